"""`consensus` with every function: known answers, laws, and labels of new rows."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from lsec import Consensus, MicroClusters, consensus
from lsec.metrics import adjusted_rand_index, normalized_mutual_information
from tests.consensus import oracles as plain
from tests.consensus.ensembles import (
    METHODS,
    every_method,
    is_numbered_by_occurrence,
    random_ensemble,
    seeds,
    small_ensemble,
)

CENTERS = ("bipartite", "lwgp")  # new rows go to the nearest center of an embedding
POOLS = Path(os.environ.get("LSEC_DATA", "")) / "pools"


@every_method
@pytest.mark.parametrize("seed", range(3))
def test_the_clustering_behind_a_noisy_ensemble_is_found(method, seed):
    # Three labels in ten are drawn at random, a fifth is missing, and no member says much by
    # itself (an index of .2). Seeds 0 to 3 gave .961 to 1.
    truth, labels = random_ensemble(
        np.random.default_rng(seed), 1000, 15, noise=0.3, missing=0.2, split=2
    )
    found = consensus(labels, 4, method, random_state=0)
    assert adjusted_rand_index(truth, found) > 0.95
    assert max(adjusted_rand_index(truth, column) for column in labels.T) < 0.25


@pytest.mark.parametrize("linkage", ["complete", "single"])
@pytest.mark.parametrize("method", ["eac", "pta"])
def test_other_linkages_find_a_clustering_that_hardly_any_label_contradicts(method, linkage):
    truth, labels = random_ensemble(np.random.default_rng(0), 500, 15, noise=0.02, split=2)
    assert adjusted_rand_index(truth, consensus(labels, 4, method, linkage=linkage)) > 0.95


PRINTED = [  # Huang et al. 2018 and 2016: NMI (max), number of clusters as of classes
    ("lw_vs", "lwea", 0.133),
    ("lw_vs", "lwgp", 0.132),
    ("lw_vs", "eac", 0.129),
    ("pt_mf", "pta", 0.614),
    ("pt_mf", "ptgp", 0.613),
    ("pt_mf", "eac", 0.578),
]


@pytest.mark.skipif(not POOLS.is_dir(), reason="LSEC_DATA has no folder pools")
@pytest.mark.parametrize(("pool", "method", "printed"), PRINTED)
def test_published_scores_on_published_pools(pool, method, printed):
    data = np.load(POOLS / f"{pool}.npz")
    members, y = data["members"], data["y"]
    rng = np.random.default_rng(0)
    scores = []
    for _ in range(10):
        some = members[:, rng.choice(members.shape[1], 10, replace=False)]
        labels = consensus(some, len(np.unique(y)), method, random_state=0)
        scores.append(normalized_mutual_information(y, labels, average="max"))
    assert np.mean(scores) == pytest.approx(printed, abs=0.03)


@pytest.fixture(scope="module")
def noisy():
    """1,000 rows, some 600 micro-clusters; labels are missing."""
    return random_ensemble(np.random.default_rng(5), 1000, 6, 3, 0.1, missing=0.05, split=2)[1]


@every_method
def test_labels_are_numbered_in_order_of_occurrence(method, noisy):
    labels = consensus(noisy, 6, method, random_state=0)
    assert labels.dtype == np.int32
    assert_array_equal(np.unique(labels), np.arange(6))
    assert is_numbered_by_occurrence(labels)


@every_method
def test_names_of_labels_and_order_of_columns_change_nothing(method):
    rng = np.random.default_rng(6)
    labels = random_ensemble(rng, 1000, 8, noise=0.3, missing=0.1)[1]
    names = np.append(rng.choice(10**9, 12, replace=False), -7)  # -1: the last one
    renamed = names[labels][:, rng.permutation(8)]
    expected = consensus(labels, 4, method, random_state=0)
    assert_array_equal(consensus(renamed, 4, method, random_state=0), expected)


@every_method
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_threads_change_nothing(method, noisy, n_jobs):
    one = consensus(noisy, 5, method, random_state=0, n_jobs=1, full_output=True)
    many = consensus(noisy, 5, method, random_state=0, n_jobs=n_jobs, full_output=True)
    assert_array_equal(one.labels, many.labels, strict=True)
    assert_array_equal(one.confidence, many.confidence, strict=True)
    assert_array_equal(one.membership, many.membership, strict=True)


@every_method
def test_same_seed_same_labels(method, noisy):
    first = consensus(noisy, 5, method, random_state=3)
    assert_array_equal(consensus(noisy, 5, method, random_state=3), first)
    state = np.random.RandomState(3)
    assert_array_equal(consensus(noisy, 5, method, random_state=state), first)


@pytest.mark.parametrize("method", ["eac", "lwea", "pta"])
def test_functions_without_random_choices_need_no_seed(method, noisy):
    first = consensus(noisy, 5, method, random_state=0)
    assert_array_equal(consensus(noisy, 5, method, random_state=1), first)


@pytest.mark.parametrize("method", ["bipartite", "lwgp", "kcc", "sec", "ptgp"])
def test_different_seeds_differ(method):
    noise = np.random.default_rng(0).integers(0, 6, (400, 5))  # no clusters: the seed decides
    labels = [consensus(noise, 8, method, random_state=seed) for seed in (0, 1)]
    assert adjusted_rand_index(*labels) < 0.95
    for found in labels:  # members agree with each other by chance only: 0, against 0.12 to 0.19
        assert np.mean([adjusted_rand_index(member, found) for member in noise.T]) > 0.1


@every_method
def test_the_matrix_is_not_changed(method, noisy):
    before = noisy.copy()
    noisy.flags.writeable = False  # a write would raise
    consensus(noisy, 4, method, random_state=0)
    assert_array_equal(noisy, before)


@every_method
def test_the_global_random_state_is_left_alone(method, noisy):
    before = np.random.get_state(legacy=False)  # noqa: NPY002
    consensus(noisy, 4, method, random_state=0)
    after = np.random.get_state(legacy=False)  # noqa: NPY002
    assert_array_equal(before["state"]["key"], after["state"]["key"])
    assert before["state"]["pos"] == after["state"]["pos"]


@every_method
def test_micro_clusters_give_the_same_as_their_matrix(method, noisy):
    micro = MicroClusters.from_labels(noisy)
    kept = micro.labels.copy(), micro.weights.copy()
    expected = consensus(noisy, 4, method, random_state=0)
    for _ in range(2):  # nothing is used up
        assert_array_equal(consensus(micro, 4, method, random_state=0), expected)
    assert_array_equal(micro.labels, kept[0])
    assert_array_equal(micro.weights, kept[1])


@every_method
def test_full_output_has_the_same_labels(method, noisy):
    result = consensus(noisy, 4, method, random_state=0, full_output=True)
    assert isinstance(result, Consensus)
    assert_array_equal(result.labels, consensus(noisy, 4, method, random_state=0), strict=True)
    assert_array_equal(result.micro_labels[result.micro.of_row], result.labels)
    assert result.n_clusters == 4
    assert result.evidence is None


@every_method
@given(seed=seeds, k=st.integers(1, 5), missing=st.sampled_from([0.0, 0.3]))
@settings(max_examples=8)
def test_rows_with_equal_labels_stay_together_in_exactly_k_clusters(method, seed, k, missing):
    rng = np.random.default_rng(seed)
    labels = small_ensemble(rng, missing)
    k = min(k, len(plain.micro_clusters(labels)[0]))
    try:
        found = consensus(labels, k, method, random_state=seed)
    except ValueError as error:  # the embedding may have fewer distinct rows than the labels
        assert method in (*CENTERS, "ptgp")
        assert f"n_clusters={k}" in str(error)
        return
    of_row = plain.micro_clusters(labels)[2]
    assert_array_equal(found, found[np.unique(of_row, return_index=True)[1]][of_row])
    assert_array_equal(np.unique(found), np.arange(k))


@every_method
def test_predict_of_the_same_matrix_equals_labels(method, noisy):
    result = consensus(noisy, 4, method, random_state=0, full_output=True)
    assert_array_equal(result.predict(noisy), result.labels, strict=True)
    some = np.random.default_rng(0).permutation(len(noisy))[:300]
    assert_array_equal(result.predict(noisy[some]), result.labels[some])
    assert_array_equal(result.predict(noisy[some[:1]]), result.labels[some[:1]])
    as_floats = np.where(noisy < 0, np.nan, noisy)
    assert_array_equal(result.predict(list(as_floats.T)), result.labels)


@every_method
def test_predict_after_micro_clusters_whose_labels_are_their_own_names(method):
    # So estimators have them: numbers up to n_labels, of which new rows may show a few.
    labels = random_ensemble(np.random.default_rng(0), 300, 6)[1]
    known = MicroClusters.from_labels(labels)
    micro = MicroClusters(known.labels, known.weights, known.of_row, known.n_labels)
    result = consensus(micro, 4, method, random_state=0, full_output=True)
    numbers = micro.labels[micro.of_row]
    assert_array_equal(result.predict(numbers), result.labels)
    for row in range(10):
        assert_array_equal(result.predict(numbers[[row]]), result.labels[[row]])


@every_method
def test_new_rows_join_the_cluster_they_share_most_with(method):
    rng = np.random.default_rng(0)
    truth, labels = random_ensemble(rng, 300, 5, k=2, noise=0.0)
    result = consensus(labels, 2, method, random_state=0, full_output=True)
    assert adjusted_rand_index(truth, result.labels) == 1
    mine, other = labels[truth == truth[0]][:50].copy(), labels[truth != truth[0]][:50]
    mine[:, 1], mine[:, 2], mine[:25, 3] = other[:, 1], 99, -1  # two or three of three or four
    assert_array_equal(result.predict(mine), np.zeros(50))


@pytest.mark.parametrize("method", [name for name in METHODS if name not in CENTERS])
@given(seed=seeds, missing=st.sampled_from([0.0, 0.2]))
@settings(max_examples=10)
def test_unseen_rows_go_to_the_nearest_micro_cluster_the_first_among_equals(method, seed, missing):
    rng = np.random.default_rng(seed)
    labels = random_ensemble(rng, 80, 4, 3, noise=0.3, missing=missing, split=2)[1]
    result = consensus(labels, 3, method, random_state=0, full_output=True)
    new = rng.integers(-1, 8, (50, 4))  # 6 and 7 did not occur
    rows = plain.micro_clusters(labels)[0]
    known = np.stack([np.isin(new[:, j], labels[:, j]) for j in range(4)], axis=1)
    new[(~known | (new < 0)).all(axis=1)] = labels[0]
    known = np.stack([np.isin(new[:, j], labels[:, j]) for j in range(4)], axis=1)
    together = np.concatenate([rows, np.where(known, new, -1)])
    similarity = plain.co_association(together)[len(rows) :, : len(rows)]
    nearest = similarity.argmax(axis=1)
    same = (together[len(rows) :, None] == rows).all(axis=2)  # failing an equal one
    nearest = np.where(same.any(axis=1), same.argmax(axis=1), nearest)
    assert_array_equal(result.predict(new), result.micro_labels[nearest])


@every_method
def test_new_rows_that_cannot_be_placed_are_refused(method, noisy):
    result = consensus(noisy, 4, method, random_state=0, full_output=True)
    with pytest.raises(ValueError, match=r"has 5 columns.*made from 6.*same order"):
        result.predict(noisy[:, :5])
    strange = noisy[:5].copy()
    strange[3] = 77
    strange[3, 2] = -1
    with pytest.raises(ValueError, match=r"Row 3 has no base label.*Remove such rows"):
        result.predict(strange)
    with pytest.raises(ValueError, match=r"Row 1 has no label in any base clustering"):
        result.predict(np.where(np.arange(5)[:, None] == 1, -1, np.abs(noisy[:5])))
