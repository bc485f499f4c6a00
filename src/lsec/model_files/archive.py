"""The zip archive of a model: a document of JSON values and numbered arrays, as plain bytes.

Entries are stored, not compressed: arrays of numbers hardly shrink, and a small file cannot ask
for much memory. No path that an archive names is ever written to.
"""

from __future__ import annotations

import json
import re
from io import BytesIO
from math import prod
from typing import IO, Any, NoReturn
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from lsec.typing import AnyArray

DOCUMENT = "model.json"
ARRAY = "arrays/{}.npy"
MOST_DOCUMENT_BYTES = 2**26
ENCRYPTED = 1  # bit of an entry's flags
LARGE = 2**31  # bytes from which on zip needs its 64-bit fields
# Headers as `write_npy` writes them. They are Python literals; no other literal is evaluated.
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<length>..)"
    rb"\{'descr': '[|<][fiu](?P<itemsize>[1248])', 'fortran_order': (?:False|True), "
    rb"'shape': \((?P<shape>\d{1,15},(?: \d{1,15})?|\d{1,15}(?:, \d{1,15}){1,2})\), \} *\n",
    re.DOTALL,
)
BEFORE_HEADER = 10  # bytes: the magic string, the version and the length of the header


def write_archive(file: IO[bytes], document: dict[str, Any], arrays: list[AnyArray]) -> None:
    """Write a document of JSON values, and arrays, as an archive.

    The same values give the same bytes: no time is written.
    """
    with ZipFile(file, "w", ZIP_STORED) as archive:
        archive.writestr(ZipInfo(DOCUMENT), json.dumps(document, allow_nan=False, indent=1))
        for number, array in enumerate(arrays):
            info = ZipInfo(ARRAY.format(number))
            with archive.open(info, "w", force_zip64=array.nbytes >= LARGE) as entry:
                write_npy(entry, array)


def read_archive(file: IO[bytes]) -> tuple[Any, dict[int, AnyArray]]:
    """Read the document, and the arrays by number.

    Any other file raises a ValueError, or an error of `zipfile`.
    """
    with ZipFile(file) as archive:
        entries = archive.infolist()
        _check_directory(entries, file.seek(0, 2))
        document = json.loads(archive.read(DOCUMENT).decode(), parse_constant=_refuse)
        arrays = {}
        for number in range(len(entries) - 1):
            name = ARRAY.format(number)
            try:
                arrays[number] = read_npy(archive.read(name))
            except ValueError as error:
                raise ValueError(f"{name} {error}") from error
    return document, arrays


def _check_directory(entries: list[ZipInfo], file_bytes: int) -> None:
    """Refuse unexpected entries, and entries that claim to be larger than the file."""
    expected = {DOCUMENT, *(ARRAY.format(number) for number in range(len(entries) - 1))}
    names = [entry.filename for entry in entries]
    for name in names:
        if name not in expected:
            raise ValueError(f"it has an unexpected entry {name[:80]!r}")
    missing = expected.difference(names)
    if missing:
        raise ValueError(f"its entry {min(missing)!r} is missing")
    if any(one.compress_type != ZIP_STORED or one.flag_bits & ENCRYPTED for one in entries):
        raise ValueError("its entries are compressed or encrypted, which lsec never does")
    # Either size of an entry may lie, and as many bytes would be allocated before one is read.
    announced = sum(max(entry.file_size, entry.compress_size) for entry in entries)
    if announced > file_bytes:
        raise ValueError(f"it announces {announced} bytes of entries and has {file_bytes}")
    document = next(entry for entry in entries if entry.filename == DOCUMENT)
    if document.file_size > MOST_DOCUMENT_BYTES:
        raise ValueError(
            f"{DOCUMENT} has {document.file_size} bytes, more than {MOST_DOCUMENT_BYTES}"
        )


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{DOCUMENT} holds the number {constant}")


def write_npy(file: IO[bytes], array: AnyArray) -> None:
    """Write an array of numbers as a .npy file, little-endian, in its own memory order."""
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    np.lib.format.write_array(file, little, version=(1, 0), allow_pickle=False)


def read_npy(data: bytes) -> AnyArray:
    """Read an array that `write_npy` wrote, in the byte order of this machine.

    Any other bytes raise a ValueError, before memory for an array is allocated.
    """
    header = HEADER.match(data)
    length = len(header[0]) if header else 0
    if not header or int.from_bytes(header["length"], "little") != length - BEFORE_HEADER:
        raise ValueError("is not a plain .npy array of numbers")
    shape = [int(size) for size in re.findall(rb"\d+", header["shape"])]
    announced = prod(shape) * int(header["itemsize"])
    if announced != len(data) - length:
        raise ValueError(f"announces {announced} bytes of numbers and has {len(data) - length}")
    array: AnyArray = np.lib.format.read_array(BytesIO(data), allow_pickle=False)
    return array.astype(array.dtype.newbyteorder("="), copy=False)
