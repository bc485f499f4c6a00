"""One array as the bytes of a .npy file, of the plainest kind only."""

from __future__ import annotations

import re
from io import BytesIO
from math import prod
from typing import IO

import numpy as np

# What `write_npy` writes. Headers are Python literals; no other literal is ever evaluated.
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<length>..)"
    rb"\{'descr': '[|<][fiu](?P<itemsize>[1248])', 'fortran_order': (?:False|True), "
    rb"'shape': \((?P<shape>\d{1,15},(?: \d{1,15})?|\d{1,15}(?:, \d{1,15}){1,2})\), \} *\n",
    re.DOTALL,
)
BEFORE_HEADER = 10  # bytes: the magic string, the version and the length of the header


def write_npy(file: IO[bytes], array: np.ndarray) -> None:
    """Write an array of numbers, little-endian, in its own memory order."""
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    np.lib.format.write_array(file, little, version=(1, 0), allow_pickle=False)


def read_npy(data: bytes) -> np.ndarray:
    """The array that `write_npy` wrote, in the byte order of this machine.

    Raises
    ------
    ValueError
        Of any other bytes, before memory for an array is taken.
    """
    header = HEADER.match(data)
    if (
        header is None
        or int.from_bytes(header["length"], "little") != len(header[0]) - BEFORE_HEADER
    ):
        raise ValueError("is not a plain .npy array of numbers")
    shape = [int(size) for size in re.findall(rb"\d+", header["shape"])]
    announced = prod(shape) * int(header["itemsize"])
    if announced != len(data) - len(header[0]):
        raise ValueError(
            f"announces {announced} bytes of numbers and has {len(data) - len(header[0])}"
        )
    array = np.lib.format.read_array(BytesIO(data), allow_pickle=False)
    return array.astype(array.dtype.newbyteorder("="), copy=False)
