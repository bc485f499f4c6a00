"""A fit changes neither rows, nor parameters, nor the global random state."""

import numpy as np
from numpy.testing import assert_array_equal
from scipy import sparse

from tests.laws.same_fit import assert_same_fit


def test_fit_changes_neither_rows_nor_parameters(build, dense):
    X, k = dense
    for rows in (X.copy(), np.asfortranarray(X)):
        rows.flags.writeable = False  # a write would raise
        model = build(k)
        before = {name: (value, repr(value)) for name, value in model.get_params().items()}
        model.fit(rows).predict(rows)
        assert_array_equal(rows, X)
        for name, value in model.get_params().items():
            assert value is before[name][0]
            assert repr(value) == before[name][1]


def test_fit_does_not_change_a_sparse_matrix(build, words):
    # Unsorted indices and a value stored in two halves: legal CSR that SciPy may tidy in place.
    data = np.concatenate([words.data[:1] / 2, words.data[:1] / 2, words.data[1:]])
    indices = np.concatenate([words.indices[:1], words.indices])
    indptr = np.concatenate([[0], words.indptr[1:] + 1])
    first = slice(0, indptr[1])
    data[first], indices[first] = data[first][::-1].copy(), indices[first][::-1].copy()
    X = sparse.csr_matrix((data, indices, indptr), shape=words.shape)
    parts = [part.copy() for part in (X.data, X.indices, X.indptr)]
    model = build(5).fit(X)
    for part, before in zip((X.data, X.indices, X.indptr), parts, strict=True):
        assert_array_equal(part, before)
    assert_same_fit(model, build(5).fit(words))


def test_fit_leaves_the_global_random_state_alone(build, face):
    before = np.random.get_state(legacy=False)  # noqa: NPY002
    build(4).fit(face).predict(face)
    after = np.random.get_state(legacy=False)  # noqa: NPY002
    assert_array_equal(before["state"]["key"], after["state"]["key"])
    assert before["state"]["pos"] == after["state"]["pos"]
