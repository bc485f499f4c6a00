"""What lets most rows do without the scores of all centers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.kernels.labels import label_margins

# Float rounding may not decide: relative to the length of a landmark's vector.
SLACK = np.float32(1e-4)


@dataclass(frozen=True)
class Shortcuts:
    """Labels that landmarks give to their rows, and how firmly.

    They decide how much is computed for a row and never its label: a row that no
    shortcut settles is compared with all centers.

    Attributes
    ----------
    own : int32 (p,)
        Label with the largest score.
    safe : int32 (p,)
        The same where no row can be given another label by this landmark, else -1.
    margins : float32 (p, k)
        By how much a landmark prefers a label to every other; see `kernels.labels`.
    """

    own: np.ndarray
    safe: np.ndarray
    margins: np.ndarray

    @classmethod
    def of(cls, scores: np.ndarray, offsets: np.ndarray, vectors: np.ndarray) -> Shortcuts:
        """Shortcuts of a member.

        Parameters
        ----------
        scores : float32 (p, k)
        offsets : float32 (k,)
        vectors : float32 (p, c)
            As in `Member`, without padding.
        """
        by_label = np.ascontiguousarray(scores.T)
        margins = np.empty_like(by_label)
        label_margins(by_label, offsets, np.linalg.norm(vectors, axis=1), SLACK, margins)
        margins = np.ascontiguousarray(margins.T)
        own = scores.argmax(axis=1).astype(np.int32)
        firm = margins[np.arange(len(own)), own] > 0
        return cls(own, np.where(firm, own, np.int32(-1)), margins)
