"""Translation, scaling and the order of columns change no label, up to ties."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lsec.metrics import adjusted_rand_index
from tests.laws.same_fit import assert_same_labels


@pytest.mark.parametrize("shift", [1e6, -1e6, 2.0**30])
def test_translation_changes_no_label(build, dense, shift):
    X, k = dense
    assert_array_equal((X + shift) - shift, X)  # on the grid: the translation is exact
    model = build(k).fit(X)
    moved = build(k).fit(X + shift)
    assert_same_labels(model, moved)
    assert_array_equal(moved.predict(X + shift), model.labels_)


@pytest.mark.parametrize("power", [-100, -20, 1, 20, 100])
def test_scaling_by_a_power_of_two_changes_no_label(build, dense, power):
    X, k = dense
    assert_same_labels(build(k).fit(X), build(k).fit(X * 2.0**power))


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_scaling_changes_labels_up_to_ties(build, dense, factor):
    X, k = dense
    labels = build(k).fit(X * factor).labels_
    assert adjusted_rand_index(build(k).fit(X).labels_, labels) >= 0.999


def test_permuting_columns_changes_labels_up_to_ties(build, dense):
    X, k = dense
    permuted = np.ascontiguousarray(X[:, ::-1])
    assert adjusted_rand_index(build(k).fit(X).labels_, build(k).fit(permuted).labels_) >= 0.99
