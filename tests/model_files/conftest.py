"""Fixtures of the tests of model files."""

import pytest

import lsec
from tests.model_files.cases import FEW, N_ROWS, Forgery, face


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """The file of a small ensemble in 2-D, rows to predict, and their labels."""
    rows, _ = face()
    few = {"n_landmarks": 20, "consensus": "bipartite", **FEW}
    model = lsec.LSEC(4, random_state=0, **few).fit(rows[:N_ROWS])
    path = tmp_path_factory.mktemp("small") / "m.lsec"
    model.save(path)
    return path, rows[:200], model.predict(rows[:200])


@pytest.fixture
def forgery(small, tmp_path):
    return Forgery(small[0], tmp_path)
