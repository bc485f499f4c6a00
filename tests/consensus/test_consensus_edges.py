"""Ensembles at the edge of what can be joined: the right answer or one clear message."""

import re
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from lsec import LSEC, EnsembleClustering, MicroClusters, consensus
from lsec.metrics import adjusted_rand_index
from tests.consensus.ensembles import every_method, random_ensemble, seeds

# Spectral functions may find fewer distinct rows in their embedding than in the labels.


MAY_REFUSE = ("bipartite", "lwgp", "ptgp")


def partition(labels, k, method, seed=0):
    """The consensus, or None where the function says that k clusters cannot be had."""
    try:
        return consensus(labels, k, method, random_state=seed)
    except ValueError as error:
        assert method in MAY_REFUSE
        message = rf"support only \d+ clusters, n_clusters={k} were asked. Lower n_clusters"
        assert re.search(message, str(error))
        return None


@every_method
def test_one_clustering_is_its_own_consensus(method):
    one = np.random.default_rng(0).integers(0, 5, 200)
    found = consensus(one[:, None] + 7, 5, method, random_state=0)
    assert adjusted_rand_index(one, found) == 1


@every_method
def test_identical_clusterings_are_their_own_consensus(method):
    rng = np.random.default_rng(0)
    one = rng.integers(0, 5, 200)
    same = np.stack([rng.permutation(5)[one] for _ in range(7)], axis=1)
    assert adjusted_rand_index(one, consensus(same, 5, method, random_state=0)) == 1


@every_method
def test_identical_clusterings_are_merged_whole(method):
    one = np.random.default_rng(0).integers(0, 5, 200)
    found = consensus(np.repeat(one[:, None], 7, axis=1), 3, method, random_state=0)
    assert len(np.unique(np.stack([one, found]), axis=1).T) == 5
    assert_array_equal(np.unique(found), np.arange(3))


@every_method
def test_a_clustering_with_one_cluster_adds_nothing(method):
    truth, labels = random_ensemble(np.random.default_rng(1), 300, 8)
    wider = np.column_stack([labels, np.zeros(300, int)])
    expected = consensus(labels, 4, method, random_state=0)
    assert adjusted_rand_index(truth, expected) > 0.95
    assert_array_equal(consensus(wider, 4, method, random_state=0), expected)


@every_method
def test_a_clustering_of_singletons_adds_nothing(method):
    truth, labels = random_ensemble(np.random.default_rng(1), 300, 8)
    wider = np.column_stack([labels, np.random.default_rng(2).permutation(300)])
    expected = consensus(labels, 4, method, random_state=0)
    assert adjusted_rand_index(truth, expected) > 0.95
    found = consensus(wider, 4, method, random_state=0)
    assert adjusted_rand_index(expected, found) > 0.98  # every row counts by itself now


@every_method
def test_singletons_alone_give_some_k_clusters(method):
    found = consensus(np.arange(100)[:, None], 4, method, random_state=0)
    assert_array_equal(np.unique(found), np.arange(4))


@every_method
def test_one_cluster_holds_every_row(method):
    labels = random_ensemble(np.random.default_rng(0), 50, 4)[1]
    result = consensus(labels, 1, method, random_state=0, full_output=True)
    assert_array_equal(result.labels, np.zeros(50))
    assert_array_equal(result.predict(labels[:3]), np.zeros(3))
    assert_array_equal(result.membership, np.ones((50, 1)))


@every_method
def test_rows_that_are_all_equal_are_one_cluster(method):
    same = np.full((30, 4), 6)
    assert_array_equal(consensus(same, 1, method), np.zeros(30))
    with pytest.raises(ValueError, match=r"tell only 1 groups.*n_clusters=2.*Lower n_clusters"):
        consensus(same, 2, method)


@every_method
def test_one_row_is_one_cluster(method):
    assert_array_equal(consensus([[3], [4]], 1, method), [0])


@every_method
@given(seed=seeds, n=st.integers(2, 40))
@settings(max_examples=8)
def test_as_many_clusters_as_rows_that_differ(method, seed, n):
    rng = np.random.default_rng(seed)
    distinct = np.unique(rng.integers(0, 4, (n, 6)), axis=0)
    found = partition(distinct, len(distinct), method, seed)
    assert method in MAY_REFUSE or found is not None
    if found is not None:
        assert_array_equal(found, np.arange(len(distinct)))


@every_method
def test_more_clusters_than_rows_that_differ_are_refused(method):
    labels = np.repeat([[0, 0], [0, 1], [1, 1]], 20, axis=0)
    with pytest.raises(ValueError, match=r"tell only 3 groups of rows apart, n_clusters=4 .*Lower"):
        consensus(labels, 4, method)


@every_method
def test_clusterings_of_different_rows_share_nothing(method):
    first, second = [0] * 9 + [-1] * 9, [-1] * 9 + [5] * 9
    assert_array_equal(consensus([first, second], 2, method), np.repeat([0, 1], 9))


@pytest.mark.parametrize("method", ["bipartite", "lwgp"])
@pytest.mark.parametrize("k", [4, "auto"])
def test_very_many_base_clusters_take_seconds(method, k):
    # 5,096 base clusters, more than a dense solver is used for.
    truth, labels = random_ensemble(np.random.default_rng(0), 5000, 8)
    many = np.column_stack([labels, np.arange(5000)])
    start = time.perf_counter()
    found = consensus(many, k, method, random_state=0)
    assert time.perf_counter() - start < 10
    assert adjusted_rand_index(truth, found) > 0.99


@pytest.mark.parametrize("method", ["eac", "lwea", "pta"])
def test_more_memory_than_allowed_is_refused(method):
    labels = np.random.default_rng(0).permutation(23_456)[:, None]
    message = rf"'{method}' .*23,456 micro-clusters.*2\.05 GiB; memory_limit is 1\.5 GiB. Raise"
    with pytest.raises(ValueError, match=message + " memory_limit.*'bipartite'"):
        consensus(labels, 4, method, memory_limit="1.5GiB")


@pytest.mark.parametrize("method", ["eac", "lwea", "pta"])
def test_a_memory_limit_that_is_just_enough(method):
    labels = random_ensemble(np.random.default_rng(0), 100, 6)[1]
    n_micro = len(MicroClusters.from_labels(labels))
    consensus(labels, 4, method, memory_limit=4 * n_micro**2)
    with pytest.raises(ValueError, match=f"{n_micro} micro-clusters"):
        consensus(labels, 4, method, memory_limit=4 * n_micro**2 - 1)


@pytest.mark.parametrize("method", ["average", "EAC", "", None, 3, ["eac"]])
def test_unknown_functions_are_refused(method):
    with pytest.raises(ValueError, match=r"one of .*'bipartite'.*'eac'.*'ptgp'; got"):
        consensus([[0, 1]], 2, method)


@every_method
def test_unknown_options_are_refused(method):
    with pytest.raises(ValueError, match=rf"'{method}' has .*option.*got 'color'"):
        consensus([[0, 1]], 2, method, color="red")


WRONG_OPTIONS = [
    (("eac", "pta"), "linkage", ["ward", None, 1], "'average', 'complete', 'single'; got"),
    (("lwea", "lwgp"), "theta", [0, -1, "x", None, np.nan, np.inf, True], "positive number; got"),
    (("eac", "lwea", "pta"), "memory_limit", ["much", 0, None], "such as '512MiB' or '2GiB'; got"),
    (("kcc",), "utility", ["entropic", None], "'category', 'entropy', 'cosine', 'power'; got"),
    (("kcc",), "normalized", [1, "yes", None], "True or False; got"),
    (("kcc",), "power", [1, 2.5, None], "integer at least 2; got"),
    (("kcc", "sec"), "n_init", [0, 1.5, None], "integer at least 1; got"),
    (("kcc", "sec"), "max_iter", [0, -1, "many"], "integer at least 1; got"),
]


@pytest.mark.parametrize(
    ("method", "name", "value", "message"),
    [(m, name, v, text) for ms, name, values, text in WRONG_OPTIONS for m in ms for v in values],
)
def test_wrong_values_of_options_are_refused(method, name, value, message):
    with pytest.raises(ValueError, match=f"{name} must be .*{message}"):
        consensus([[0, 1, 0], [0, 1, 1]], 2, method, **{name: value})


@pytest.mark.parametrize("n_clusters", [0, -2, 2.0, None, True, np.nan, (2,)])
def test_wrong_numbers_of_clusters_are_refused(n_clusters):
    with pytest.raises(ValueError, match="n_clusters must be an integer at least 1 or 'auto'; got"):
        consensus([[0, 1]], n_clusters)


@pytest.mark.parametrize("n_clusters", ["many", "2", ""])
def test_words_for_the_number_of_clusters_other_than_auto_are_refused(n_clusters):
    with pytest.raises(ValueError, match=f"n_clusters must be .*'auto'; got '{n_clusters}'"):
        consensus([[0, 1]], n_clusters)


@pytest.mark.parametrize("method", ["kcc", "sec"])
def test_functions_without_a_criterion_refuse_auto(method):
    with pytest.raises(ValueError, match=rf"'auto' has no criterion for '{method}'. Pass a number"):
        consensus([[0, 1]], "auto", method)


@pytest.mark.parametrize(("name", "value"), [("n_jobs", 0), ("verbose", -1), ("n_jobs", "all")])
def test_other_wrong_parameters_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} must be .*got {value!r}"):
        consensus([[0, 1]], 2, **{name: value})


def test_parameters_are_checked_before_labels():
    with pytest.raises(ValueError, match="n_clusters"):
        consensus(None, 0)
    with pytest.raises(ValueError, match="theta"):
        consensus(None, 2, "lwea", theta=-1)


# What it looks like, and when it is equal


def test_results_are_short_to_look_at_and_equal_only_themselves():
    labels = np.random.default_rng(0).integers(0, 5, (3000, 6))
    one = consensus(labels, "auto", "bipartite", random_state=0, full_output=True)
    other = consensus(labels, "auto", "bipartite", random_state=0, full_output=True)
    assert_array_equal(one.labels, other.labels)
    for name in (None, "micro", "tree", "evidence"):
        first, second = (
            result if name is None else getattr(result, name) for result in (one, other)
        )
        assert len(repr(first)) < 100
        assert first == first
        assert first != second
        assert len({first, second}) == 2
    assert (
        repr(one)
        == f"Consensus(n_clusters={one.n_clusters}, n_micro_clusters={len(one.micro)}, n_base=6)"
    )
    assert "n_rows=3000" in repr(one.micro)


@pytest.mark.parametrize(("method", "said"), [("lwpg", "Did you mean 'lwgp'"), ("k", "got 'k'.$")])
def test_a_mistyped_method_is_blamed_on_the_parameter_there_is(method, said):
    with pytest.raises(ValueError, match=rf"^method must be one of .*{said}"):
        consensus(np.zeros((5, 2), int), 1, method)
    with pytest.raises(ValueError, match=rf"^consensus must be one of .*{said}"):
        EnsembleClustering(2, consensus=method).fit(np.zeros((5, 2)))
    with pytest.raises(ValueError, match=rf"^consensus must be one of 'auto', .*{said}"):
        LSEC(2, consensus=method).fit(np.zeros((5, 2)))


@every_method
@pytest.mark.parametrize("n_base", [1, 2, 6])
def test_names_of_labels_do_not_matter_even_without_structure(method, n_base):
    # Many eigenvalues are equal here: their eigenvectors depend on the order of the base clusters.
    rng = np.random.default_rng(n_base)
    for _ in range(5):
        labels = rng.integers(-1, 9, (50, n_base))
        labels = labels[(labels >= 0).any(axis=1)]
        names = rng.permutation(9)
        renamed = np.where(labels < 0, -3, names[labels])
        found = [partition(some, 3, method, 0) for some in (labels, renamed)]
        assert_array_equal(found[0], found[1])
