"""One base clustering: its tables, and how they are learned from a Gram matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lsec.execution.threads import one_blas_thread
from lsec.kernels.labels import LANES, embed_rows, label_rows, sum_by_label
from lsec.rows.rows import Neighbors
from lsec.spectral.gram_sums import GramSums
from lsec.spectral.kmeans import kmeans
from lsec.spectral.landmarks import rows_of
from lsec.spectral.shortcuts import Shortcuts
from lsec.spectral.transfer_cut import transfer_cut_of_cells

NEVER = 1e30
MANY_COLUMNS = 64  # base clusters of a member, and eigenvectors, where memory is planned


def pad_tables(scores: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fill scores (p, k) and offsets (k,) up to whole vector registers.

    What is added are centers too far to ever win.
    """
    p, k = scores.shape
    padded = -(-k // LANES) * LANES
    wide = np.zeros((p, padded), np.float32)
    wide[:, :k] = scores
    far = np.full(padded, NEVER, np.float32)
    far[:k] = offsets
    return wide, far


@dataclass(frozen=True)
class MemberPlan:
    """What is decided about a member before any row is read.

    Attributes
    ----------
    n_neighbors : int
    n_clusters : int
    init : {"random", "k-means++"}
    max_iter, n_init : int
        Settings of the k-means on the embedded sample.
    precision : type
        Of the eigenvectors: an ensemble does well with float32, a single clustering
        depends on its last eigenvector and takes float64.
    """

    n_neighbors: int
    n_clusters: int
    init: str = "random"
    max_iter: int = 10
    n_init: int = 1
    precision: type = np.float32


@dataclass(frozen=True)
class Member:
    """A base clustering as tables over its landmarks.

    Attributes
    ----------
    n_neighbors : int
    rate : float32
        Affinity is exp(-rate * squared distance), or of its square (quartic).
    quartic : bool
    vectors : float32 (p, c)
        Eigenvectors; a row's embedding is its weights times these.
    eigenvalues : float64 (c,)
    centers : float32 (k, c)
        Centers of the unit-length embeddings.
    scores, offsets
        Tables of `kernels.labels`, made from the above by `with_centers`.
    shortcuts : Shortcuts
        Made from these.
    """

    n_neighbors: int
    rate: np.float32
    quartic: bool
    vectors: np.ndarray
    eigenvalues: np.ndarray
    centers: np.ndarray
    scores: np.ndarray
    offsets: np.ndarray
    shortcuts: Shortcuts

    @property
    def n_clusters(self) -> int:
        """Number of base clusters."""
        return self.centers.shape[0]

    @staticmethod
    def n_bytes(p: int, refined: bool) -> int:
        """Memory of a member on p landmarks: three tables of many columns; `inner` beside them."""
        return 4 * p * (3 * MANY_COLUMNS + (p if refined else 0))

    def __getstate__(self) -> dict[str, Any]:
        """All but `inner`, which is larger than the rest, and `shortcuts`: they are made again."""
        remade = ("inner", "shortcuts")
        return {name: value for name, value in vars(self).items() if name not in remade}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        k = self.n_clusters
        shortcuts = Shortcuts.of(self.scores[:, :k], self.offsets[:k], self.vectors)
        vars(self).update(shortcuts=shortcuts)

    @cached_property
    def inner(self) -> np.ndarray:
        """Products of every two rows of `vectors`, float32 (p, p); made only for `sums`."""
        with one_blas_thread():
            return self.vectors @ self.vectors.T

    def with_centers(self, centers: np.ndarray) -> Member:
        """The member with other centers and the tables that follow from them."""
        k, squared = len(centers), np.square(centers).sum(axis=1)
        scores, offsets = pad_tables(self.vectors @ centers.T, 0.5 * squared)
        shortcuts = Shortcuts.of(scores[:, :k], offsets[:k], self.vectors)
        moved = replace(self, centers=centers, scores=scores, offsets=offsets, shortcuts=shortcuts)
        if "inner" in vars(self):  # which does not depend on centers
            vars(moved).update(inner=self.inner)
        return moved

    def settled(self) -> Member:
        """The member without `inner`, once its centers move no more."""
        return replace(self)

    def label(self, neighbors: Neighbors, out: np.ndarray) -> None:
        """Labels of a block of rows into out, unsigned (n,)."""
        label_rows(
            neighbors.order,
            neighbors.index,
            neighbors.squared,
            self.n_neighbors,
            self.rate,
            self.quartic,
            self.shortcuts.own,
            self.shortcuts.safe,
            self.shortcuts.margins,
            self.scores,
            self.vectors,
            self.offsets,
            out,
        )

    def embed(self, neighbors: Neighbors) -> np.ndarray:
        """Unit-length embeddings of a block, float32 (n, c), in grouped order."""
        out = np.empty((len(neighbors.index), self.vectors.shape[1]), np.float32)
        embed_rows(
            neighbors.index,
            neighbors.squared,
            self.n_neighbors,
            self.rate,
            self.quartic,
            self.vectors,
            out,
        )
        return out

    def sums(self, neighbors: Neighbors) -> tuple[np.ndarray, np.ndarray]:
        """Sums of the embeddings by label, float64 (k, c), and row counts (k,)."""
        labels = np.empty(len(neighbors.index), np.uint16)
        self.label(neighbors, labels)
        sums = np.zeros(self.centers.shape)
        counts = np.zeros(self.n_clusters)
        sum_by_label(
            neighbors.order,
            neighbors.index,
            neighbors.squared,
            self.n_neighbors,
            self.rate,
            self.quartic,
            self.inner,
            self.vectors,
            labels,
            sums,
            counts,
        )
        return sums, counts


def bandwidth_rate(squared: np.ndarray, quartic: bool) -> np.float32:
    """Rate of the affinity from squared distances to the nearest landmarks (n, K).

    Gaussian: 1 / (2 sigma^2) with sigma the mean distance. Quartic: the kernel
    squares rate * squared distance, hence 1 / (sqrt(2) mean squared distance).
    """
    values = squared.astype(np.float64)
    scale = np.sqrt(2) * values.mean() if quartic else 2 * np.sqrt(values).mean() ** 2
    return np.float32(1 / scale) if scale > 0 else np.float32(0)


def learn_member(
    plan: MemberPlan,
    rate: np.float32,
    quartic: bool,
    gram: GramSums,
    number: int,
    probe: Neighbors,
    rng: np.random.Generator,
) -> Member:
    """Eigenvectors of one Gram matrix and the centers of the embedded sample.

    Parameters
    ----------
    gram : GramSums
        Of all members that share the landmarks.
    number : int
        The member among them.
    probe : Neighbors
        Neighbors of the sample rows.
    """
    p = gram.n_landmarks
    cut = transfer_cut_of_cells(*gram.of_member(number), p, min(plan.n_clusters, p), plan.precision)
    lengths = np.linalg.norm(cut.vectors, axis=1)
    vectors = (cut.vectors / max(lengths.max(), 1e-300)).astype(np.float32, order="C")
    nothing = np.empty(0)
    member = Member(
        plan.n_neighbors,
        rate,
        quartic,
        vectors,
        cut.eigenvalues,
        nothing,
        nothing,
        nothing,
        Shortcuts(nothing, nothing, nothing),
    )
    embedded = np.empty((len(probe.index), vectors.shape[1]), np.float32)
    embedded[probe.order] = member.embed(probe)
    result = kmeans(
        rows_of(embedded),
        min(plan.n_clusters, len(embedded)),
        rng,
        init=plan.init,
        max_iter=plan.max_iter,
        n_init=plan.n_init,
    )
    return member.with_centers(result.centers)
