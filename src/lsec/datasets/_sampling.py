"""Draw the rows of a mixture block by block, to memory or to a ``.npy`` file.

The rows are in uniformly random order and have exact class counts, although only one block is in
memory at a time: the class counts of each block are drawn without replacement from the rows that
remain, and rows are permuted within the block. Each block has a generator of its own, so that it
depends on the seed, its position and its class counts only.

NumPy's multivariate hypergeometric draws are limited to fewer than a billion rows. More rows are
split into parts with the same share of every class.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lsec import checks
from lsec.datasets._mixtures import Mixture
from lsec.output.atomic import open_atomically
from lsec.sources.npy import write_header
from lsec.typing import AnyArray

BLOCK_ROWS = 65_536
MOST_DRAWN = 10**9 - 1  # rows, the limit of NumPy's hypergeometric draws

RandomState = int | np.random.Generator | np.random.RandomState | None
PathLike = str | os.PathLike[str]


@dataclass(frozen=True)
class Block:
    """The plan of one block of rows."""

    rows: slice  # position of the block among all rows
    class_counts: NDArray[np.int64]  # (n_classes,), number of rows in each class
    seed: np.random.SeedSequence  # of the block's generator


def sample_mixture(
    mixture: Mixture,
    n_samples: int,
    random_state: RandomState = None,
    dtype: DTypeLike = np.float32,
    out: PathLike | None = None,
) -> tuple[NDArray[np.floating], NDArray[np.uint8]]:
    """Draw rows of a mixture, with the parameters and returns of `lsec.datasets.synthetic`."""
    n_samples, float_type = checks.integer("n_samples", n_samples, 1), _check_dtype(dtype)
    path = None if out is None else _check_out(out)
    blocks = plan_blocks(mixture, n_samples, _seed_sequence(random_state))
    y = _empty((n_samples,), np.uint8)
    if path is None:
        X = _empty((n_samples, 2), float_type)
        for block in blocks:
            fill_block(mixture, block, X[block.rows], y[block.rows])
        return X, y
    buffer = np.empty((min(n_samples, BLOCK_ROWS), 2), float_type)
    with open_atomically(path) as file:
        write_header(file, (n_samples, 2), float_type)
        for block in blocks:
            X = buffer[: block.rows.stop - block.rows.start]
            fill_block(mixture, block, X, y[block.rows])
            file.write(X.data)
    return np.load(path, mmap_mode="r"), y


def class_counts(mixture: Mixture, n_samples: int) -> NDArray[np.int64]:
    """Return the rows per class: shares rounded down, the remainder to the largest class."""
    counts = np.array([int(part.share * n_samples) for part in mixture], dtype=np.int64)
    largest = max(range(len(mixture)), key=lambda k: mixture[k].share)
    counts[largest] += n_samples - counts.sum()
    return counts


def plan_blocks(mixture: Mixture, n_samples: int, seed: np.random.SeedSequence) -> Iterator[Block]:
    """Split `n_samples` rows into blocks with random class counts that add up exactly."""
    (plan_seed,) = seed.spawn(1)
    rng = np.random.default_rng(plan_seed)
    start = 0
    for left in split_counts(class_counts(mixture, n_samples)):
        stop = start + int(left.sum())
        for low in range(start, stop, BLOCK_ROWS):
            rows = slice(low, min(low + BLOCK_ROWS, stop))
            counts = rng.multivariate_hypergeometric(left, rows.stop - low, method="marginals")
            left -= counts
            yield Block(rows, counts, *seed.spawn(1))
        start = stop


def split_counts(counts: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Split rows into parts that NumPy can draw from, with the same share of every class.

    Takes and yields rows per class, int64 (n_classes,): the exact share of what is left, rounded
    up or down. All but the last part are whole blocks. Up to `MOST_DRAWN` rows are one part.
    """
    left, whole_blocks = counts.tolist(), MOST_DRAWN // BLOCK_ROWS * BLOCK_ROWS
    while sum(left) > MOST_DRAWN:
        scaled = [divmod(count * whole_blocks, sum(left)) for count in left]
        part = [share for share, _ in scaled]
        by_rest = sorted(range(len(left)), key=lambda k: -scaled[k][1])
        for k in by_rest[: whole_blocks - sum(part)]:
            part[k] += 1
        left = [count - taken for count, taken in zip(left, part, strict=True)]
        yield np.array(part, dtype=np.int64)
    yield np.array(left, dtype=np.int64)


def fill_block(
    mixture: Mixture, block: Block, X: NDArray[np.floating], y: NDArray[np.uint8]
) -> None:
    """Write one block's rows to `X`, of shape (n, 2), and its classes to `y`, of shape (n,)."""
    rng = np.random.default_rng(block.seed)
    by_class = np.empty_like(X)
    stops = np.cumsum(block.class_counts)
    for part, start, stop in zip(mixture, stops - block.class_counts, stops, strict=True):
        part.draw(rng, by_class[start:stop])
    labels = np.repeat(np.arange(len(mixture), dtype=np.uint8), block.class_counts)
    order = rng.permutation(len(X))
    np.take(by_class, order, axis=0, out=X, mode="clip")
    np.take(labels, order, out=y, mode="clip")


def _seed_sequence(random_state: RandomState) -> np.random.SeedSequence:
    """Return the seed from which every block's seed is derived."""
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(2**32, size=4).tolist())
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(2**32, size=4, dtype=np.uint32).tolist())
    if random_state is None or (isinstance(random_state, Integral) and random_state >= 0):
        return np.random.SeedSequence(random_state)
    raise ValueError(
        "random_state must be None, an integer >= 0, a numpy Generator or a RandomState; got "
        f"{random_state!r}. Pass an integer for rows that can be drawn again."
    )


def _empty(shape: tuple[int, ...], dtype: DTypeLike) -> AnyArray:
    """Allocate memory for a result, or raise an error that names the remedy."""
    try:
        return np.empty(shape, dtype)
    except (MemoryError, ValueError) as error:
        raise ValueError(
            f"n_samples={shape[0]} is more than memory can hold: {error}. Ask for fewer rows, or "
            "name a file in out: then memory holds only the class of every row, a byte each."
        ) from error


def _check_dtype(dtype: DTypeLike) -> np.dtype[np.floating]:
    checked: np.dtype = np.dtype(dtype)
    if checked not in (np.float32, np.float64):
        raise ValueError(
            f"dtype must be float32 or float64; got {dtype!r}. Convert X afterwards if you need "
            "another one."
        )
    return checked


def _check_out(out: PathLike) -> Path:
    path = Path(out)
    if path.suffix != ".npy" or not path.parent.is_dir():
        raise ValueError(
            f"out must be the path of a .npy file in an existing folder; got {str(out)!r}. Make "
            "the folder first, or give the name the ending .npy."
        )
    return path
