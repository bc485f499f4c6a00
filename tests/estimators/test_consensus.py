"""Estimators that join an ensemble: every generator with every consensus function."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from lsec import LSEC, EnsembleClustering, consensus
from lsec.estimators.consensus import fit_bounds
from lsec.metrics import adjusted_rand_index, agreement_matrix, diversity, purity
from tests.conftest import make_blobs
from tests.consensus.oracles import vote

METHODS = ("bipartite", "linkage", "eac", "lwea", "lwgp", "kcc", "sec", "pta", "ptgp")
GENERATORS = ("lsec", "kmeans", "dncsc", "uspec")
# Five random starts are few for five clusters: one fit in four stays at an index of .7.
OPTIONS = {"kcc": {"n_init": 40}, "sec": {"n_init": 40}}
CHOOSE = tuple(name for name in METHODS if name not in OPTIONS)
X, Y = make_blobs(1000, 7)
NEW = make_blobs(1000, 7)[0][::3] + np.random.default_rng(1).normal(size=(334, 7))

every_generator = pytest.mark.parametrize("generator", GENERATORS)
# Every generator and every function, where the two have nothing to do with each other.
every_part = pytest.mark.parametrize(
    ("generator", "function"),
    [("lsec", "lwgp"), ("dncsc", "eac"), ("uspec", "kcc"), *(("kmeans", name) for name in METHODS)],
)


def build(generator, function, n_clusters=5, **parameters):
    """A cheap estimator: `LSEC`, or `EnsembleClustering` with one of its generators."""
    settings = {
        # Random walks ("pta", "ptgp") miss a blob in a fifth of the fits with (5, 15).
        "n_base": 12,
        "base_clusters": (8, 20),
        "n_landmarks": 100,
        "random_state": 0,
        "consensus": function,
        "consensus_options": OPTIONS.get(function),
        **parameters,
    }
    if generator == "lsec":
        return LSEC(n_clusters, **settings)
    return EnsembleClustering(n_clusters, generator=generator, **settings)


@pytest.fixture(
    scope="module",
    params=[(generator, function) for generator in GENERATORS for function in METHODS],
    ids="-".join,
)
def fitted(request):
    """Every generator with every consensus function, fitted to five blobs."""
    return build(*request.param).fit(X)


# Every combination


def test_blobs_are_found(fitted):
    assert fitted.labels_.dtype == np.int32
    assert_array_equal(np.unique(fitted.labels_), np.arange(5))
    assert fitted.n_clusters_ == 5
    assert adjusted_rand_index(Y, fitted.labels_) > 0.95


def test_predict_of_training_rows_equals_labels(fitted):
    assert_array_equal(fitted.predict(X), fitted.labels_, strict=True)
    some = np.random.default_rng(0).permutation(len(X))[:100]
    assert_array_equal(fitted.predict(X[some]), fitted.labels_[some])
    assert_array_equal(fitted.predict(X[:1]), fitted.labels_[:1])


def test_new_rows_join_the_blob_they_come_from(fitted):
    assert adjusted_rand_index(Y[::3], fitted.predict(NEW)) > 0.8  # blobs twice as wide


def test_membership_sums_to_one_and_is_largest_at_the_prediction(fitted):
    for rows in (X, NEW):
        membership = fitted.predict_membership(rows)
        assert membership.shape == (len(rows), 5)
        assert membership.dtype == np.float32
        assert membership.min() >= 0
        assert_allclose(membership.sum(axis=1), 1, atol=1e-6)
        assert_array_equal(membership.argmax(axis=1), fitted.predict(rows))


def test_confidence_is_the_vote_of_the_members_for_the_label(fitted):
    votes = vote(fitted.base_labels_.astype(int), fitted.labels_, 5)
    expected = votes[np.arange(len(X)), fitted.labels_]
    assert fitted.confidence_.shape == (len(X),)
    assert fitted.confidence_.dtype == np.float32
    assert_allclose(fitted.confidence_, expected, atol=1e-6)


def test_agreement_and_diversity_are_those_of_the_base_labels(fitted):
    assert fitted.agreement_.shape == (12, 12)
    assert_allclose(fitted.agreement_, agreement_matrix(fitted.base_labels_), atol=1e-12)
    assert fitted.diversity_ == pytest.approx(diversity(fitted.base_labels_))
    assert 0 < fitted.diversity_ < 1


def test_the_consensus_is_that_of_the_base_labels(fitted):
    settings = {"random_state": 1, **(fitted.consensus_options or {})}
    again = consensus(fitted.base_labels_, 5, fitted.consensus, **settings)
    assert adjusted_rand_index(again, fitted.labels_) > 0.95  # other random choices
    direct = consensus(fitted.micro_clusters_, 5, fitted.consensus, **settings)
    assert_array_equal(direct, again)


def test_evidence_is_only_there_for_auto(fitted):
    assert fitted.evidence_ is None


# Laws


@every_part
def test_pickle_and_clone_keep_what_a_model_does(generator, function):
    model = build(generator, function).fit(X)
    copy = pickle.loads(pickle.dumps(model))
    assert_array_equal(copy.predict(NEW), model.predict(NEW))
    assert_array_equal(copy.predict_membership(NEW), model.predict_membership(NEW))
    assert_array_equal(clone(model).fit(X).labels_, model.labels_)


@every_generator
def test_the_consensus_function_does_not_change_the_members(generator):
    base = [build(generator, name).fit(X).base_labels_ for name in ("eac", "lwgp", "kcc")]
    assert_array_equal(base[1], base[0], strict=True)
    assert_array_equal(base[2], base[0], strict=True)


def test_generators_differ():
    base = [build(generator, "eac").fit(X).base_labels_ for generator in GENERATORS]
    for labels in base:
        assert min(purity(Y, member) for member in labels.T) > 0.7
    for labels, other in combinations(base, 2):
        same = [adjusted_rand_index(a, b) for a in labels.T for b in other.T]
        assert max(same) < 1


@pytest.mark.parametrize("generator", ["kmeans", "dncsc", "uspec"])
def test_members_have_numbers_of_clusters_within_their_bounds(generator):
    model = build(generator, "bipartite", base_clusters=(6, 9), n_base=20).fit(X)
    assert set(model.n_base_clusters_) == {6, 7, 8, 9}
    assert (model.base_labels_.max(axis=0) < model.n_base_clusters_).all()


def test_predict_equals_labels_where_members_see_samples_only():
    rows = make_blobs(30_000, 3)[0]  # more than the 500 per cluster that each member looks at
    model = EnsembleClustering(5, n_base=4, base_clusters=(8, 8), random_state=0).fit(rows)
    assert_array_equal(model.predict(rows), model.labels_)
    assert model.diversity_ > 0.01


@given(n=st.integers(1, 10**7), k=st.integers(1, 100))
def test_bounds_of_base_clusters_never_exceed_what_rows_and_clusters_need(n, k):
    k = min(n, k)
    low, high = fit_bounds((20, 60), n, k)
    assert 1 <= low <= high
    assert high <= max(60, k)
    if n >= 3600:
        assert (low, high) == (20, 60)


# The number of clusters


@pytest.mark.parametrize("generator", ["lsec", "kmeans"])
@pytest.mark.parametrize("function", CHOOSE)
def test_auto_finds_the_number_of_blobs(generator, function):
    # Members of fewer clusters than ten may well see two blobs as one.
    model = build(generator, function, "auto", n_base=20, base_clusters=(10, 20)).fit(X)
    assert model.n_clusters_ == 5
    assert model.evidence_.best == 5
    assert model.evidence_.candidates[np.argmax(model.evidence_.scores)] == 5
    assert adjusted_rand_index(Y, model.labels_) > 0.95
    assert model.predict_membership(NEW).shape == (len(NEW), 5)
    assert model.n_clusters == "auto"


@every_generator
@pytest.mark.parametrize("function", ["kcc", "sec"])
def test_functions_without_a_criterion_refuse_auto(generator, function):
    with pytest.raises(ValueError, match=rf"'auto' has no criterion for '{function}'"):
        build(generator, function, "auto").fit(X)


@every_generator
def test_auto_finds_one_cluster_where_all_rows_are_equal(generator):
    model = build(generator, "bipartite", "auto").fit(np.full((50, 3), 2.5))
    assert model.n_clusters_ == 1
    assert_array_equal(model.labels_, np.zeros(50))


# Options


@pytest.mark.parametrize("generator", ["lsec", "kmeans"])
def test_options_reach_the_consensus_function(generator):
    default = build(generator, "lwea").fit(X)
    same = build(generator, "lwea", consensus_options={"theta": 0.4}).fit(X)
    assert_array_equal(same.labels_, default.labels_)
    noise = np.random.default_rng(0).random((800, 2))  # no clusters: options decide
    single, average = (
        build(generator, "eac", 8, consensus_options={"linkage": linkage}).fit(noise).labels_
        for linkage in ("single", "average")
    )
    assert adjusted_rand_index(single, average) < 0.9


@pytest.mark.parametrize("generator", ["lsec", "kmeans"])
def test_options_are_not_changed(generator):
    options = {"n_init": 3}
    model = build(generator, "kcc", consensus_options=options).fit(X)
    assert model.get_params()["consensus_options"] is options
    assert options == {"n_init": 3}


@pytest.mark.parametrize("generator", ["lsec", "kmeans"])
@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        ("bipartite", {"theta": 1}, "'bipartite' has no options; got 'theta'"),
        ("eac", {"theta": 1}, "'eac' has the options linkage, memory_limit; got 'theta'"),
        ("eac", {"linkage": "ward"}, "linkage must be one of .*got 'ward'"),
        ("lwea", {"theta": -1}, "theta must be a positive number; got -1"),
        ("kcc", ["n_init"], "consensus_options must be None or a dictionary"),
        ("pta", {"memory_limit": 1}, "'pta' .*micro-clusters.*Raise memory_limit"),
    ],
)
def test_bad_options_are_refused(generator, function, options, message):
    model = build(generator, function, consensus_options=options)
    with pytest.raises(ValueError, match=message):
        model.fit(X)
    with pytest.raises(NotFittedError):
        model.predict(X)


@every_generator
def test_nothing_is_known_before_fit(generator):
    model = build(generator, "bipartite")
    for name in ("confidence_", "agreement_", "diversity_", "evidence_", "micro_clusters_"):
        with pytest.raises(NotFittedError):
            getattr(model, name)
    with pytest.raises(NotFittedError):
        model.predict_membership(X)
