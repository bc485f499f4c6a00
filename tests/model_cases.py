"""A small model file, and a way to forge it, for the tests of model files."""

import zipfile

import numpy as np
import pytest

import lsec
from lsec.datasets import make_smiling_face
from lsec.model_files.members import read_members, write_members

N_ROWS = 2503  # a prime: no table has as many rows by chance
FEW = {"n_base": 4, "base_clusters": (5, 12)}


def face():
    return make_smiling_face(2 * N_ROWS, random_state=0, dtype=np.float64)[0], 4


def save_small(tmp_path_factory):
    """The file of a small ensemble in 2-D, rows to predict, and their labels."""
    rows, _ = face()
    few = {"n_landmarks": 20, "consensus": "bipartite", **FEW}
    model = lsec.LSEC(4, random_state=0, **few).fit(rows[:N_ROWS])
    path = tmp_path_factory.mktemp("small") / "m.lsec"
    model.save(path)
    return path, rows[:200], model.predict(rows[:200])


class Forgery:
    """The content of a model file, to be changed and written back with valid checksums."""

    def __init__(self, source, folder):
        with open(source, "rb") as file:
            self.document, arrays = read_members(file)
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
            write_members(file, self.document, self.arrays)
        return self.path

    def write_bytes(self, changed, compression=zipfile.ZIP_STORED):
        """Write with some members replaced by other bytes, or removed where they are None."""
        self.write()
        with zipfile.ZipFile(self.path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(self.path, "w", compression) as archive:
            for name, content in {**members, **changed}.items():
                if content is not None:
                    archive.writestr(name, content)
        return self.path


def assert_refused(path, problem):
    with pytest.raises(ValueError, match=problem) as caught:
        lsec.load(path)
    assert "forged.lsec" in str(caught.value)
