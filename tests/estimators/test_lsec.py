"""LSEC: its plan of members, the preset of the paper, and the cosine."""

import numpy as np
import pytest
from scipy import sparse

from benchmarks.paper.methods import METHODS
from lsec import LSEC
from lsec.estimators.lsec import share_out
from lsec.metrics import adjusted_rand_index


def test_members_are_shared_out_over_landmark_sets():
    assert share_out(20, (2, 3, 4, 5, 6), True) == [[2, 3, 4, 5, 6]] * 4
    assert share_out(7, (2, 3, 4), True) == [[2, 3, 4], [2, 3, 4], [4]]
    assert share_out(3, (5,), False) == [[5], [5], [5]]


def test_the_preset_of_the_paper_is_what_the_reproduction_runs():
    method = METHODS["LSEC"]
    preset = LSEC.paper(10).get_params()
    for name, value in method.parameters.items():
        assert preset[name] == (tuple(value) if isinstance(value, list) else value)
    asked = {**method.parameters, "n_neighbors": (2, 3, 4, 5, 6), "base_clusters": (20, 60)}
    assert preset == LSEC(10).set_params(**asked).get_params()
    assert LSEC.paper(3, n_base=5).n_base == 5


@pytest.mark.parametrize("n_features, nearest", [(2, (2, 3, 4, 5, 6)), (40, (3, 4, 5, 6, 7))])
def test_rows_that_are_landmarks_have_one_more_neighbor(n_features, nearest):
    X = np.random.default_rng(0).normal(size=(500, n_features))
    model = LSEC(3, random_state=0).fit(X)
    asked = LSEC(3, n_neighbors=nearest, random_state=0).fit(X)
    np.testing.assert_array_equal(model.base_labels_, asked.base_labels_)
    assert (len(model.landmarks_[0]) > 250) == (n_features == 40)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_cosine_is_the_distance_of_rows_of_unit_length(is_sparse):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5)) + 3 * np.eye(5)[rng.integers(0, 5, 600)]
    lengths = rng.uniform(0.1, 10, (600, 1)) * 2.0 ** rng.integers(-9, 9, (600, 1))
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    kind = sparse.csr_matrix if is_sparse else np.asarray
    model = LSEC(5, metric="cosine", random_state=0).fit(kind(X * lengths))
    assert (model.labels_ == LSEC(5, random_state=0).fit(kind(unit)).labels_).mean() > 0.999
    assert (model.predict(kind(X)) == model.labels_).mean() > 0.999


def test_cosine_leaves_rows_of_zeros():
    X = np.concatenate([np.eye(3).repeat(60, axis=0), np.zeros((60, 3))])
    labels = LSEC(4, metric="cosine", random_state=0).fit_predict(X)
    assert adjusted_rand_index(np.repeat(np.arange(4), 60), labels) == 1
