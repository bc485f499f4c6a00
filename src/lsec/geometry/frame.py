"""The working frame: rows centred, scaled by a power of two, float32."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lsec.geometry.columns import MOST_FEATURES, ColumnRows
from lsec.geometry.dense import DenseRows
from lsec.geometry.rows import Rows
from lsec.geometry.sparse import SparseRows
from lsec.sources.source import RawRows

STEP = 2**17  # values converted at once: the float64 copy stays small


@dataclass(frozen=True)
class Frame:
    """Where the data sit and how large they are.

    float32 has seven digits. Subtracting the centre (in float64) spends them on
    the spread of the data instead of their position; a power of two as the unit
    keeps squares of very large or very small values in range and rounds nothing.

    Attributes
    ----------
    centre : float64 (d,)
        Zero for sparse rows, which stay sparse.
    scale : float
        A power of two; working value = (value - centre) * scale.
    """

    centre: np.ndarray
    scale: float

    @classmethod
    def of(cls, sample: RawRows) -> Frame:
        """Frame of a sample of raw rows, dense (n, d) or CSR."""
        if sparse.issparse(sample):
            largest = float(abs(sample).max()) if sample.nnz else 0.0
            centre = np.zeros(sample.shape[1])
        else:
            centre = _mean(sample)
            spread = np.maximum(sample.max(axis=0) - centre, centre - sample.min(axis=0))
            largest = float(spread.max())
        exponent = np.frexp(largest)[1] if largest > 0 else 0
        return cls(centre, float(np.ldexp(1.0, -int(exponent))))

    def rows(self, raw: RawRows) -> Rows:
        """Bring raw rows, dense (n, d) or CSR, into the frame."""
        if sparse.issparse(raw):
            return SparseRows(raw.astype(np.float64) * self.scale)
        n, d = raw.shape
        few = d <= MOST_FEATURES
        working = np.empty((d, n) if few else (n, d), np.float32)
        step = max(1, STEP // d)
        for low in range(0, n, step):
            part = np.subtract(raw[low : low + step], self.centre, dtype=np.float64)
            part *= self.scale
            if few:
                working[:, low : low + step] = part.T
            else:
                working[low : low + step] = part
        return ColumnRows(working) if few else DenseRows(working)

    def original(self, points: np.ndarray) -> np.ndarray:
        """Bring working points (k, d) back to the units of the data."""
        return points / self.scale + self.centre


def _mean(sample: np.ndarray) -> np.ndarray:
    """Mean row in float64, exact for rows far from the origin: summed around the first row."""
    first = sample[0].astype(np.float64)
    step = max(1, STEP // sample.shape[1])
    total = np.zeros_like(first)
    for low in range(0, len(sample), step):
        total += np.subtract(sample[low : low + step], first, dtype=np.float64).sum(axis=0)
    return first + total / len(sample)
