"""Names for the types of arrays, by what they hold."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AnyArray: TypeAlias = NDArray[Any]
Float32: TypeAlias = NDArray[np.float32]
Float64: TypeAlias = NDArray[np.float64]
Int32: TypeAlias = NDArray[np.int32]
Int64: TypeAlias = NDArray[np.int64]
UInt8: TypeAlias = NDArray[np.uint8]
UInt16: TypeAlias = NDArray[np.uint16]
UInt32: TypeAlias = NDArray[np.uint32]
UInt64: TypeAlias = NDArray[np.uint64]
Bool: TypeAlias = NDArray[np.bool_]

RawRows: TypeAlias = Any
"""Rows as they were given: an ndarray (n, d) of any real type, or a CSR matrix."""
