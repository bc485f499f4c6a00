"""The zip archive around a model: a document and numbered arrays, as plain bytes.

Members are stored, not compressed: arrays of numbers hardly shrink, and no small file can
then ask for much memory. Nothing is ever written to a path that the archive names.
"""

from __future__ import annotations

import json
from typing import IO, Any, NoReturn
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from lsec.model_files.npy import read_npy, write_npy

DOCUMENT = "model.json"
ARRAY = "arrays/{}.npy"
MOST_DOCUMENT_BYTES = 2**26
ENCRYPTED = 1  # bit of a member's flags
LARGE = 2**31  # bytes, from which zip needs its 64-bit fields


def write_members(file: IO[bytes], document: dict[str, Any], arrays: list[np.ndarray]) -> None:
    """Write a document of JSON values, and arrays, as an archive.

    The same values give the same bytes: the archive knows no time.
    """
    with ZipFile(file, "w", ZIP_STORED) as archive:
        archive.writestr(ZipInfo(DOCUMENT), json.dumps(document, allow_nan=False, indent=1))
        for number, array in enumerate(arrays):
            info = ZipInfo(ARRAY.format(number))
            with archive.open(info, "w", force_zip64=array.nbytes >= LARGE) as member:
                write_npy(member, array)


def read_members(file: IO[bytes]) -> tuple[Any, dict[int, np.ndarray]]:
    """The document and the arrays by number.

    Raises
    ------
    ValueError, or what `zipfile` raises
        Of a file that `write_members` did not write.
    """
    with ZipFile(file) as archive:
        infos = archive.infolist()
        _check_directory(infos, file.seek(0, 2))
        document = json.loads(archive.read(DOCUMENT).decode(), parse_constant=_refuse)
        arrays = {}
        for number in range(len(infos) - 1):
            name = ARRAY.format(number)
            try:
                arrays[number] = read_npy(archive.read(name))
            except ValueError as error:
                raise ValueError(f"{name} {error}") from error
    return document, arrays


def _check_directory(infos: list[ZipInfo], file_bytes: int) -> None:
    """Refuse members that should not be there, or claim to be larger than the file."""
    expected = {DOCUMENT, *(ARRAY.format(number) for number in range(len(infos) - 1))}
    names = [info.filename for info in infos]
    for name in names:
        if name not in expected:
            raise ValueError(f"it has an unexpected member {name[:80]!r}")
    missing = expected.difference(names)
    if missing:
        raise ValueError(f"its member {min(missing)!r} is missing")
    if any(info.compress_type != ZIP_STORED or info.flag_bits & ENCRYPTED for info in infos):
        raise ValueError("its members are compressed or encrypted, which lsec never does")
    announced = sum(info.file_size for info in infos)
    if announced > file_bytes:
        raise ValueError(f"it announces {announced} bytes of members and has {file_bytes}")
    document = next(info for info in infos if info.filename == DOCUMENT)
    if document.file_size > MOST_DOCUMENT_BYTES:
        raise ValueError(
            f"{DOCUMENT} has {document.file_size} bytes, more than {MOST_DOCUMENT_BYTES}"
        )


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{DOCUMENT} holds the number {constant}")
