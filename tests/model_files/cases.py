"""Rows of a small model, and a way to forge its file."""

import zipfile

import numpy as np
import pytest

import lsec
from lsec.datasets import make_smiling_face
from lsec.model_files.archive import read_archive, write_archive

N_ROWS = 2503  # a prime: no table has as many rows by chance
FEW = {"n_base": 4, "base_clusters": (5, 12)}


def face():
    return make_smiling_face(2 * N_ROWS, random_state=0, dtype=np.float64)[0], 4


class Forgery:
    """The content of a model file, to be changed and written back with valid checksums."""

    def __init__(self, source, folder):
        with open(source, "rb") as file:
            self.document, arrays = read_archive(file)
        self.arrays = [arrays[number] for number in range(len(arrays))]
        self.path = folder / "forged.lsec"

    def array(self, *way):
        """The array at a place in the fitted tree, free to be written to."""
        number = self.node(*way)["array"]
        self.arrays[number] = self.arrays[number].copy()
        return self.arrays[number]

    def node(self, *way):
        node = self.document["fitted"]
        for step in way:
            node = (
                node["fields"][step] if isinstance(node, dict) and "fields" in node else node[step]
            )
        return node

    def replace(self, way, array):
        self.arrays[self.node(*way)["array"]] = array

    def write(self):
        with open(self.path, "wb") as file:
            write_archive(file, self.document, self.arrays)
        return self.path

    def write_bytes(self, changed, compression=zipfile.ZIP_STORED):
        """Write with some entries replaced by other bytes, or removed where they are None."""
        self.write()
        with zipfile.ZipFile(self.path) as archive:
            entries = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(self.path, "w", compression) as archive:
            for name, content in {**entries, **changed}.items():
                if content is not None:
                    archive.writestr(name, content)
        return self.path


def assert_refused(path, problem):
    with pytest.raises(ValueError, match=problem) as caught:
        lsec.load(path)
    assert "forged.lsec" in str(caught.value)
