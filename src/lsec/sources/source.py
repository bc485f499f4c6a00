"""Rows in canonical blocks, wherever they are stored; rows of arrays, and parts of sources.

Block borders depend on the number of features only, never on memory, threads or storage:
a result computed per block is the same wherever the block lives.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from hashlib import blake2b
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from lsec.sources.tables import column_names
from lsec.typing import AnyArray, Float64, Int64, RawRows

MOST_BLOCK_ROWS = 65536
MOST_BLOCK_VALUES = 2**25
LEAST_BLOCK_ROWS = 1024
MOST_NARROW_FEATURES, LEAST_WIDE_BLOCKS = 16, 32
HASHED_ROWS = 4096
CUDA_KINDS = (2, 13)  # of memory, as the DLPack standard numbers them: on a device, and managed


def block_rows(n_features: int) -> int:
    """Rows of a block: a power of two, at most 65,536 rows or 128 MiB of float32."""
    rows = min(MOST_BLOCK_ROWS, MOST_BLOCK_VALUES // n_features)
    return max(LEAST_BLOCK_ROWS, 1 << (max(rows, 1).bit_length() - 1))


def array_block_rows(n_rows: int, n_features: int) -> int:
    """Rows of a block of an array: of wide rows, which are work, enough blocks for all threads."""
    most = block_rows(n_features)
    if n_features <= MOST_NARROW_FEATURES:
        return most
    share = max(LEAST_BLOCK_ROWS, n_rows // LEAST_WIDE_BLOCKS)
    return min(most, 1 << (share.bit_length() - 1))


class Source(ABC):
    """Rows that several threads may read at once, by block and by position.

    Rows are checked for NaN and infinity when they are read, or once if they are in memory. A
    pickled source of files holds their names, not their rows, and opens them again on first use.
    """

    kind: ClassVar[str]  # of storage, for fingerprints
    device: int | None = None  # number of the GPU that the rows live on
    is_sparse = False
    in_memory = False  # whether reading costs no memory, and all values are known to be finite
    folders: tuple[str, ...] = ()  # absolute paths of folders whose files hold the rows
    first_row = 0  # position in the whole of which this source is a part
    columns: Sequence[str] | None = None  # names of the columns, if files have them
    weights: Int64 | None = None  # a row of weight w counts as w equal rows in succession
    codes: AnyArray | None = None  # (n, c), of categorical columns beside the rows
    scales: Float64 | None = None  # (d,), what the columns were divided by
    _last_counted: Int64  # (n,), sums of the weights up to each row

    def __init__(self, shape: tuple[int, int]):
        if shape[1] < 1:
            raise ValueError(f"Rows must have at least one column; got shape {tuple(shape)}.")
        self.shape = shape
        self.rows_per_block = block_rows(shape[1])  # of every block but the last

    @property
    def files(self) -> list[str]:
        """Absolute paths of the files, or folders, that hold the rows."""
        return []

    @property
    def inputs(self) -> list[str]:
        """What outputs must not replace, or join: the files, and the folders that hold them."""
        return [*self.files, *self.folders]

    @property
    def block_bytes(self) -> int:
        """Memory of one block in float32, as read and in the working frame."""
        return 8 * self.shape[1] * min(self.shape[0], self.rows_per_block)

    @property
    def n_blocks(self) -> int:
        """Number of canonical blocks."""
        return -(-self.shape[0] // self.rows_per_block)

    def span(self, block: int) -> slice:
        """Rows of a block."""
        low = block * self.rows_per_block
        return slice(low, min(low + self.rows_per_block, self.shape[0]))

    def block(self, block: int) -> RawRows:
        """Read a block: finite raw rows (b, d)."""
        span = self.span(block)
        return self._finite(self._read(span), range(span.start, span.stop))

    def take(self, which: Int64) -> RawRows:
        """Read finite raw rows (r, d) at ascending positions (r,)."""
        return self._finite(self._gather(which), which)

    def weighted(self, weights: Int64) -> Source:
        """The same rows with weights (n,), not all zero."""
        other = copy(self)
        other.weights, other._last_counted = weights, np.cumsum(weights)
        return other

    @property
    def n_counted(self) -> int:
        """Number of rows, each counted by its weight."""
        return self.shape[0] if self.weights is None else int(self._last_counted[-1])

    def take_counted(self, which: Int64) -> RawRows:
        """Read finite raw rows (r, d) at ascending positions (r,) among `n_counted` rows."""
        if self.weights is None:
            return self.take(which)
        of_row = np.searchsorted(self._last_counted, which, side="right")
        rows, copies = np.unique(of_row, return_inverse=True)
        return self.take(rows)[copies]

    def like(self, values: Any) -> Any:
        """Return values of rows where the rows live: on the GPU for an array there."""
        return values

    def part(self, blocks: range) -> Source:
        """Return the rows of consecutive blocks: its block i is ``blocks[i]`` of this source.

        The part refers to little more than its own rows, so that it can be sent to a worker.
        """
        if blocks.step != 1 or not 0 <= blocks.start <= blocks.stop <= self.n_blocks:
            raise ValueError(
                f"blocks must be a range of consecutive blocks of {self.n_blocks}; got {blocks}."
            )
        stop = min(blocks.stop * self.rows_per_block, self.shape[0])
        return PartSource(self, slice(min(blocks.start * self.rows_per_block, stop), stop))

    def fingerprint(self) -> dict[str, Any]:
        """Identity of the rows, as JSON values: equal for the same rows in a later run.

        Only names and times of files, or a few rows of an array, are read.
        """
        identity = {"kind": self.kind, "shape": list(self.shape), **self._identity()}
        beside = {"weights": self.weights, "codes": self.codes}
        return identity | {name: hash_rows(a) for name, a in beside.items() if a is not None}

    @abstractmethod
    def _identity(self) -> dict[str, Any]:
        """Return what tells the rows from others of this kind and shape."""

    def _place(self, row: int, column: int) -> str:
        """Describe the place of a value, for messages."""
        name: object = column if self.columns is None else repr(self.columns[column])
        return f"row {self.first_row + row}, column {name}"

    def _narrow(self, span: slice) -> tuple[Source, int]:
        """Return a source with the rows of a span and few others, and the span's start in it."""
        return self, span.start

    @abstractmethod
    def _read(self, span: slice) -> RawRows:
        """Read the raw rows of a span."""

    def _gather(self, which: Int64) -> RawRows:
        """Read raw rows at ascending positions; by default, all blocks that hold some."""
        parts = []
        for block in np.unique(which // self.rows_per_block).tolist():
            span = self.span(block)
            low, high = np.searchsorted(which, [span.start, span.stop])
            parts.append(self._read(span)[which[low:high] - span.start])
        return np.concatenate(parts) if parts else np.empty((0, self.shape[1]))

    def _finite(self, rows: RawRows, positions: Int64 | range) -> RawRows:
        """Return rows that were read, or name the first value that is NaN or infinite."""
        values = rows if isinstance(rows, np.ndarray) else rows.data
        if self.in_memory or values.dtype.kind != "f":
            return rows
        with np.errstate(over="ignore", invalid="ignore"):
            total = values.sum(dtype=np.float64)
        if np.isfinite(total):
            return rows
        bad = ~np.isfinite(values)
        if not bad.any():  # the sum may overflow although every value is finite
            return rows
        if isinstance(rows, np.ndarray):
            row, column = np.argwhere(bad)[0].tolist()
        else:
            entries = rows.tocoo()
            row, column = int(entries.row[bad][0]), int(entries.col[bad][0])
        raise ValueError(
            f"Input X contains NaN or infinity: {self._place(int(positions[row]), column)} is "
            f"{rows[row, column]}. Remove or impute such rows before fitting."
        )


class ArraySource(Source):
    """Rows (n, d) of an array in memory, a memory map or a sparse matrix.

    A `mapped` array is checked for NaN and infinity as it is read; it is never copied as a whole.
    Other rows are checked once, on construction.
    """

    kind = "array"

    def __init__(
        self,
        rows: RawRows,
        *,
        mapped: bool = False,
        first_row: int = 0,
        columns: Sequence[str] | None = None,
    ):
        super().__init__(rows.shape)
        self.columns = columns
        self.first_row = first_row
        if not isinstance(rows, np.ndarray):
            from scipy.sparse import csr_matrix

            rows = csr_matrix(rows)
            self.is_sparse = True
        self._rows = rows
        self.rows_per_block = array_block_rows(*rows.shape)
        if not mapped:
            for block in range(self.n_blocks):
                self.block(block)
            self.in_memory = True

    @property
    def files(self) -> list[str]:
        """Absolute path of the file that a memory map shows."""
        base: Any = self._rows
        while base is not None:
            if isinstance(base, np.memmap) and base.filename is not None:
                return [os.path.abspath(base.filename)]
            base = getattr(base, "base", None)
        return []

    def _identity(self) -> dict[str, Any]:
        """Return the type, and a hash of rows spread over the array."""
        some = spread_rows(self.shape[0])
        return {"dtype": self._rows.dtype.str, "hash": hash_rows(self._rows[some])}

    def _narrow(self, span: slice) -> tuple[Source, int]:
        narrow = copy(self)
        narrow._rows = self._rows[span]
        narrow.shape = narrow._rows.shape
        narrow.first_row = self.first_row + span.start
        return narrow, 0

    def _read(self, span: slice) -> RawRows:
        return self._rows[span]

    def _gather(self, which: Int64) -> RawRows:
        return self._rows if len(which) == self.shape[0] else self._rows[which]


def spread_rows(n_rows: int) -> Int64:
    """Positions of rows spread over all, for the identity of an array."""
    return np.linspace(0, n_rows - 1, min(n_rows, HASHED_ROWS)).astype(np.int64)


def hash_rows(rows: RawRows) -> str:
    """Hash the values of an array or of a CSR matrix."""
    dense = isinstance(rows, np.ndarray)
    digest = blake2b(digest_size=16)
    for array in [rows] if dense else [rows.indptr, rows.indices, rows.data]:
        digest.update(np.ascontiguousarray(array).data.cast("B"))
    return digest.hexdigest()


class PartSource(Source):
    """Rows between two borders of blocks of a whole, with the blocks they have there."""

    kind = "part"

    def __init__(self, whole: Source, span: slice):
        super().__init__((span.stop - span.start, whole.shape[1]))
        self.rows_per_block = whole.rows_per_block
        self.in_memory = whole.in_memory
        self.is_sparse = whole.is_sparse
        self.first_row = whole.first_row + span.start
        self.folders = whole.folders
        self._source, self._start = whole._narrow(span)

    @property
    def files(self) -> list[str]:
        """Absolute paths of the files of the rows of this part, or of more."""
        return self._source.files

    def _identity(self) -> dict[str, Any]:
        return {"first_row": self.first_row, "of": self._source.fingerprint()}

    def _place(self, row: int, column: int) -> str:
        return self._source._place(self._start + row, column)

    def _narrow(self, span: slice) -> tuple[Source, int]:
        return self._source._narrow(self._inside(span))

    def _read(self, span: slice) -> RawRows:
        return self._source._read(self._inside(span))

    def _gather(self, which: Int64) -> RawRows:
        return self._source._gather(self._start + which)

    def _inside(self, span: slice) -> slice:
        """Return the rows of a span in the narrowed source."""
        return slice(self._start + span.start, self._start + span.stop)


def open_source(
    X: Any,
    validate: Callable[[Any], RawRows] | None = None,
    fitted_on: Sequence[str] | None = None,
) -> Source:
    """Open the rows (n, d) that `fit` and `predict` take.

    A source is returned unchanged, paths go to `open_rows`; of files with column names, only the
    columns that a model was `fitted_on` are read. `validate` turns rows in memory, or mapped into
    memory, into a 2-D array or a sparse matrix of real numbers.
    """
    if isinstance(X, Source):
        return X
    if are_paths(X):
        from lsec.sources.opening import open_columns

        return open_columns(X, fitted_on)
    if is_dask(X):
        from lsec.sources.dask import DaskRows

        return DaskRows(X)
    if lives_on_device(X):
        from lsec.sources.device import DeviceSource

        return DeviceSource(X)
    rows = X if validate is None else validate(X)
    return ArraySource(rows, mapped=isinstance(X, np.memmap), columns=column_names(X))


def is_dask(rows: Any) -> bool:
    """Whether rows are a Dask collection; does not import Dask."""
    return callable(getattr(rows, "__dask_graph__", None))


def lives_on_device(rows: Any) -> bool:
    """Whether rows are an array on a CUDA device, of any library."""
    if hasattr(type(rows), "__cuda_array_interface__"):
        return hasattr(rows, "__cuda_array_interface__")  # PyTorch has it for all tensors
    kind = getattr(rows, "__dlpack_device__", None)
    return callable(kind) and kind()[0] in CUDA_KINDS


def are_paths(X: Any) -> bool:
    """Whether rows are given as a path or as a list of paths."""
    several = X if isinstance(X, (list, tuple)) else [X]
    return len(several) > 0 and all(isinstance(one, (str, PathLike)) for one in several)
