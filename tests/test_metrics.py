"""Scores: known answers, agreement with plain code and scikit-learn, laws, errors."""

import math
import tracemalloc
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk
from sklearn.metrics.cluster import contingency_matrix

from lsec import contingency
from lsec.metrics import (
    adjusted_rand_index,
    align_labels,
    clustering_accuracy,
    contingency_table,
    normalized_mutual_information,
    purity,
)

SCORES = [clustering_accuracy, normalized_mutual_information, purity, adjusted_rand_index]
AVERAGES = ["geometric", "joint", "max", "arithmetic", "min"]

pairs_of_labelings = st.integers(1, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.integers(0, 5), min_size=n, max_size=n),
    )
)


def random_labels(seed, n_rows=5000, n_classes=7, agreement=0.7):
    """Two labelings that agree on a part of the rows, up to names."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, n_classes, n_rows)
    pred = np.where(rng.random(n_rows) < agreement, true, rng.integers(0, n_classes + 2, n_rows))
    return true, rng.permutation(n_classes + 2)[pred]


def accuracy_by_trying_all(true, pred):
    """Plain oracle: the best of all one-to-one assignments of clusters to classes."""
    classes, clusters = np.unique(true), np.unique(pred)
    names = list(classes) + [None] * max(0, clusters.size - classes.size)
    renamings = (
        dict(zip(clusters, chosen, strict=True)) for chosen in permutations(names, clusters.size)
    )
    return max(np.mean([to[p] == t for t, p in zip(true, pred, strict=True)]) for to in renamings)


# Known answers


def test_known_answers():
    true, pred = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    np.testing.assert_array_equal(contingency_table(true, pred), [[2, 1, 0], [0, 1, 2]])
    assert clustering_accuracy(true, pred) == pytest.approx(4 / 6)
    assert purity(true, pred) == pytest.approx(5 / 6)
    assert purity(pred, true) == pytest.approx(4 / 6)
    information = 2 / 3 * math.log(2)  # the four rows of clusters 0 and 2 tell their class
    h_true, h_pred, h_joint = math.log(2), math.log(3), math.log(3) + math.log(2) / 3
    divisors = {
        "geometric": math.sqrt(h_true * h_pred),
        "joint": h_joint,
        "max": h_pred,
        "arithmetic": (h_true + h_pred) / 2,
        "min": h_true,
    }
    for average, divisor in divisors.items():
        score = normalized_mutual_information(true, pred, average=average)
        assert score == pytest.approx(information / divisor, rel=1e-12)
    assert adjusted_rand_index(true, pred) == pytest.approx(0.24242424242424243)


@pytest.mark.parametrize("score", SCORES)
def test_one_for_equal_partitions_with_other_names(score):
    true, _ = random_labels(0)
    assert score(true, 100 - 3 * true) == pytest.approx(1.0)


@pytest.mark.parametrize("score", [clustering_accuracy, purity])
def test_independent_labels_score_like_chance(score):
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 10, (2, 100_000))
    assert 0.1 < score(true, pred) < 0.12
    assert normalized_mutual_information(true, pred) < 1e-3
    assert abs(adjusted_rand_index(true, pred)) < 1e-3


@pytest.mark.parametrize("average", AVERAGES)
def test_mutual_information_is_zero_when_its_divisor_is(average):
    one, two = np.zeros(6, int), np.array([0, 0, 0, 1, 1, 1])
    assert normalized_mutual_information(one, one, average=average) == 0.0
    assert normalized_mutual_information(two, one, average=average) == 0.0
    assert normalized_mutual_information(one, two, average=average) == 0.0


def test_surplus_clusters_count_as_errors():
    assert clustering_accuracy([0, 0, 0, 0], [0, 0, 0, 1]) == 0.75
    assert clustering_accuracy([0, 0, 0, 1], [0, 0, 0, 0]) == 0.75


# Agreement with plain code and with scikit-learn


@settings(max_examples=30, deadline=None)
@given(pairs_of_labelings)
def test_accuracy_equals_the_best_of_all_assignments(pair):
    true, pred = pair
    assert clustering_accuracy(true, pred) == pytest.approx(accuracy_by_trying_all(true, pred))


@settings(max_examples=100, deadline=None)
@given(pairs_of_labelings)
def test_table_and_rand_index_equal_scikit_learn(pair):
    np.testing.assert_array_equal(contingency_table(*pair), contingency_matrix(*pair))
    expected = sk.adjusted_rand_score(*pair)
    assert adjusted_rand_index(*pair) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("average", ["geometric", "arithmetic", "max", "min"])
@pytest.mark.parametrize("seed", range(5))
def test_mutual_information_equals_scikit_learn(average, seed):
    true, pred = random_labels(seed, n_rows=300 * (seed + 1), agreement=seed / 5)
    score = normalized_mutual_information(true, pred, average=average)
    expected = sk.normalized_mutual_info_score(true, pred, average_method=average)
    assert score == pytest.approx(expected, rel=1e-9, abs=1e-12)


# Laws


@settings(max_examples=100, deadline=None)
@given(pairs_of_labelings, st.permutations(range(6)), st.permutations(range(6)))
def test_names_of_labels_do_not_matter(pair, names_true, names_pred):
    true, pred = map(np.asarray, pair)
    new_true, new_pred = np.array(names_true)[true] * 1000 - 7, np.array(names_pred)[pred]
    for score in SCORES:
        assert score(new_true, new_pred) == pytest.approx(score(true, pred), abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(pairs_of_labelings, st.sampled_from(AVERAGES))
def test_mutual_information_is_symmetric_and_between_0_and_1(pair, average):
    true, pred = pair
    score = normalized_mutual_information(true, pred, average=average)
    assert 0.0 <= score <= 1.0
    assert normalized_mutual_information(pred, true, average=average) == pytest.approx(
        score, abs=1e-12
    )


@settings(max_examples=50, deadline=None)
@given(pairs_of_labelings)
def test_purity_is_at_least_accuracy(pair):
    assert purity(*pair) >= clustering_accuracy(*pair)


@pytest.mark.parametrize(
    "convert",
    [
        lambda v: v.astype(np.uint8),
        lambda v: (v - 128).astype(np.int8),
        lambda v: v.astype(np.uint64) + np.uint64(2**64 - 100),
        lambda v: v.astype(np.int64) + np.iinfo(np.int64).min,
        lambda v: v.astype(np.int64) * 10**17,  # too wide for counting without sorting
        lambda v: v.astype(np.float32),
        lambda v: np.array([f"cluster {i}" for i in v]),
        lambda v: np.array([f"c{i}" for i in v], dtype=object),
        lambda v: np.repeat(v, 2).astype(np.int16)[::2],
        lambda v: v.tolist(),
    ],
)
def test_type_of_labels_does_not_matter(convert):
    true, pred = random_labels(1)
    expected = contingency_table(true, pred)
    np.testing.assert_array_equal(contingency_table(convert(true), pred), expected)
    np.testing.assert_array_equal(contingency_table(true, convert(pred)), expected)


def test_booleans_and_full_range_bytes():
    flags = np.array([True, False, True])
    np.testing.assert_array_equal(contingency_table(flags, flags), [[1, 0], [0, 2]])
    bytes_ = np.arange(-128, 128, dtype=np.int8)
    np.testing.assert_array_equal(contingency_table(bytes_, bytes_), np.eye(256))


def test_counting_equals_sorting_across_block_borders(monkeypatch):
    true, pred = random_labels(2, n_rows=1000)
    expected = contingency_table(true, pred)
    monkeypatch.setattr(contingency, "_BLOCK_ROWS", 64)
    np.testing.assert_array_equal(contingency_table(true, pred), expected)
    monkeypatch.setattr(contingency, "_SMALL_RANGE", 0)
    np.testing.assert_array_equal(contingency_table(true, pred), expected)


def test_memory_does_not_grow_with_rows():
    true = np.zeros(4_000_000, dtype=np.uint8)
    pred = true.copy()
    pred[::3] = 1
    tracemalloc.start()
    try:
        clustering_accuracy(true, pred)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < true.nbytes  # below one byte per row


def test_inputs_are_left_unchanged():
    true, pred = random_labels(3)
    kept = true.copy(), pred.copy()
    for score in SCORES:
        score(true, pred)
    np.testing.assert_array_equal((true, pred), kept)


# Errors


@pytest.mark.parametrize("score", [contingency_table, *SCORES])
@pytest.mark.parametrize(
    ("true", "pred", "message"),
    [
        ([0, 1], [0, 1, 1], "same length.*got 2 and 3"),
        ([[0, 1]], [0, 1], r"labels_true must be one-dimensional.*\(1, 2\)"),
        ([0, 1], np.zeros((2, 2)), r"labels_pred must be one-dimensional.*\(2, 2\)"),
        (3, [3], r"labels_true must be one-dimensional.*shape \(\)"),
        ([], [], "labels_true must hold at least one label"),
        ([0, 1], [0.0, np.nan], "labels_pred must not contain NaN; got 1 of 2"),
    ],
)
def test_bad_labels_are_named(score, true, pred, message):
    with pytest.raises(ValueError, match=message):
        score(true, pred)


def test_unknown_average_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"one of 'geometric', 'joint'.*got 'mean'"):
        normalized_mutual_information([0, 1], [0, 1], average="mean")


def test_row_numbers_as_labels_are_refused_before_memory_is():
    rows = np.arange(20_000)
    with pytest.raises(ValueError, match="20000 distinct labels against 20000"):
        purity(rows, rows)


# Numbers that survive a refit


@given(pairs_of_labelings)
def test_aligned_labels_keep_as_many_rows_as_any_renaming(pair):
    new, old = pair
    aligned = align_labels(new, old)
    assert adjusted_rand_index(new, aligned) == 1
    assert np.mean(aligned == old) == pytest.approx(accuracy_by_trying_all(old, new))


def test_numbers_come_back_after_a_permutation():
    old, _ = random_labels(0)
    np.testing.assert_array_equal(align_labels((old + 3) % 7, old), old)
    np.testing.assert_array_equal(align_labels(np.where(old == 2, -1, old), old)[old == 2], -1)


def test_clusters_without_a_partner_get_new_numbers():
    assert align_labels([5, 5, 6, 6, 7], [1, 1, 0, 0, 0]).tolist() == [1, 1, 0, 0, 2]
    assert align_labels([0, 1, 1], [-1, 4, 4]).tolist() == [5, 4, 4]
    assert align_labels([-1, -1], [0, 1]).tolist() == [-1, -1]
    assert align_labels([3, 4], [-1, -1]).tolist() == [0, 1]


@pytest.mark.parametrize(("new", "message"), [([0.5, 1], "new must be int"), ([[0]], "new must")])
def test_labels_that_are_no_numbers_are_not_aligned(new, message):
    with pytest.raises(ValueError, match=message):
        align_labels(new, [0, 1])
