"""The working frame: rows centered, scaled by a power of two, float32."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lsec.rows.dense import MOST_FEATURES, ColumnRows, DenseRows
from lsec.rows.rows import Rows
from lsec.rows.sparse import SparseRows
from lsec.typing import AnyArray, Float32, Float64, RawRows

STEP = 2**17  # values converted at once: the float64 copy stays small
MEDIAN_ROWS = 1024
LANES = 1024  # row length at which NumPy's reductions are fast


@dataclass(frozen=True)
class Frame:
    """Position and size of the data.

    float32 has seven digits. Subtracting the center (in float64) spends them on
    the spread of the data instead of their position; a power of two as the unit
    keeps squares of very large or very small values in range and rounds nothing.
    The center is a median, so that a few rows very far away cost the others no
    digits; it is taken off as a row of the data and then an offset, since far from
    the origin differences of rows are exact where a center would be rounded.

    Attributes
    ----------
    anchor : float64 (d,)
        A row of the data; zero for sparse rows, which stay sparse.
    offset : float64 (d,)
        Median of some rows, feature by feature, seen from the anchor.
    scale : float
        A power of two; working value = ((value - anchor) - offset) * scale.
    """

    anchor: Float64
    offset: Float64
    scale: float

    @classmethod
    def of(cls, sample: RawRows) -> Frame:
        """Frame of a sample of raw rows, dense (n, d) or CSR."""
        if sparse.issparse(sample):
            anchor = offset = np.zeros(sample.shape[1])
            largest = float(np.abs(sample.data).max(initial=0.0))
        else:
            anchor = sample[0].astype(np.float64)
            some = sample[:: -(-len(sample) // MEDIAN_ROWS)]
            offset = np.median(np.subtract(some, anchor, dtype=np.float64), axis=0)
            lowest, highest = extremes(sample)
            above = np.subtract(highest, anchor, dtype=np.float64) - offset
            below = np.subtract(lowest, anchor, dtype=np.float64) - offset
            largest = float(np.maximum(above, -below).max())
        exponent = np.frexp(largest)[1] if largest > 0 else 0
        return cls(anchor, offset, float(np.ldexp(1.0, -int(exponent))))

    def rows(self, raw: RawRows, spread: Callable[..., Iterable[None]] = map) -> Rows:
        """Bring raw rows, dense (n, d) or CSR, into the frame.

        `spread` is the built-in `map`, or that of a pool of threads.
        """
        if sparse.issparse(raw):
            if not self.anchor.any() and not self.offset.any():
                return SparseRows(raw.astype(np.float64) * self.scale)
            raw = raw.toarray()  # the frame is that of dense rows
        n, d = raw.shape
        few = d <= MOST_FEATURES
        working = np.empty((d, n) if few else (n, d), np.float32)
        step = max(1, STEP // d)

        def convert(low: int) -> None:
            part = np.subtract(raw[low : low + step], self.anchor, dtype=np.float64)
            part -= self.offset
            part *= self.scale
            if few:
                working[:, low : low + step] = part.T
            else:
                working[low : low + step] = part

        for _ in spread(convert, range(0, n, step)):
            pass
        return ColumnRows(working) if few else DenseRows(working)

    def original(self, points: Float32) -> Float64:
        """Bring working points (k, d) back to the units of the data."""
        return points.astype(np.float64) / self.scale + self.offset + self.anchor


def rows_of(points: Float32) -> Rows:
    """Dense points (n, d), already in a frame, as rows of the kind that their width asks for."""
    if points.shape[1] <= MOST_FEATURES:
        return ColumnRows(np.ascontiguousarray(points.T))
    return DenseRows(np.ascontiguousarray(points))


def extremes(rows: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Smallest and largest value of every feature of dense rows (n, d)."""
    n, d = rows.shape
    side_by_side = max(1, min(n, LANES // d)) if rows.flags.c_contiguous else 1
    whole = n - n % side_by_side
    # Reductions along rows are slow where rows are short: make long ones of several.
    long = rows[:whole].reshape(-1, side_by_side * d)
    ends = []
    for extreme in (np.minimum, np.maximum):
        folded = extreme.reduce(long, axis=0).reshape(side_by_side, d)
        ends.append(extreme.reduce(np.concatenate([folded, rows[whole:]]), axis=0))
    return ends[0], ends[1]
