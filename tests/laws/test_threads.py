"""The number of threads changes nothing: every fitted array has the same bits."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lsec import EnsembleClustering
from lsec.datasets import make_smiling_face
from tests.conftest import make_blobs
from tests.laws.same_fit import assert_same_fit

CONSENSUS = ("bipartite", "linkage", "eac", "lwea", "lwgp", "kcc", "sec", "pta", "ptgp")


def test_dense_rows_in_several_blocks(build, dense, block_rows):
    block_rows(1024)  # three to five blocks
    X, k = dense
    one = build(k, n_jobs=1).fit(X)
    for n_jobs in (2, 3):
        assert_same_fit(one, build(k, n_jobs=n_jobs).fit(X))


def test_full_blocks(build):
    X, _ = make_smiling_face(140_000, random_state=0)
    one = build(4, n_jobs=1).fit(X)
    for n_jobs in (2, 3):
        assert_same_fit(one, build(4, n_jobs=n_jobs).fit(X))


def test_sparse_rows(build, words, block_rows):
    block_rows(1024)
    one = build(5, n_jobs=1).fit(words)
    for n_jobs in (2, 3):
        assert_same_fit(one, build(5, n_jobs=n_jobs).fit(words))


@pytest.mark.parametrize("function", CONSENSUS)
def test_every_consensus_function(function, block_rows):
    block_rows(256)
    X, new = make_blobs(1000, 7)[0], make_blobs(300, 7)[0]
    settings = {"n_base": 8, "base_clusters": (5, 15), "consensus": function, "random_state": 0}
    one, two = (EnsembleClustering(5, n_jobs=n, **settings).fit(X) for n in (1, 2))
    assert_same_fit(one, two)
    assert_array_equal(one.confidence_, two.confidence_, strict=True)
    assert_array_equal(one.predict_membership(new), two.predict_membership(new), strict=True)


def test_confidence_and_membership(build_ensemble, face, block_rows):
    block_rows(256)
    one, two = (build_ensemble(4, n_jobs=n).fit(face) for n in (1, 2))
    assert_array_equal(one.confidence_, two.confidence_, strict=True)
    new = face + np.random.default_rng(0).normal(scale=0.1, size=face.shape)
    assert_array_equal(one.predict_membership(new), two.predict_membership(new), strict=True)
