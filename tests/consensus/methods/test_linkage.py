"""Linkage consensus: known answers, and the choice among its candidates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from benchmarks.harness.families import make
from lsec import LSEC, MicroClusters, consensus
from lsec.consensus.methods import linkage
from lsec.metrics import adjusted_rand_index, clustering_accuracy
from tests.consensus.ensembles import random_ensemble


def test_a_small_class_survives_if_it_stands_apart():
    rng = np.random.default_rng(1)
    truth, labels = random_ensemble(rng, 6000, 12, noise=0.0)[:2]
    labels = labels.astype(int)
    labels[:120] = 40 + rng.integers(
        0, 2, (120, 12)
    )  # 2 % of the rows, in base clusters of their own
    truth[:120] = 9
    found = consensus(labels, 5, "linkage", random_state=0)
    assert adjusted_rand_index(truth, found) > 0.99


@pytest.mark.parametrize("n_clusters", [5, "auto"])
def test_more_micro_clusters_than_the_most_are_drawn_from(monkeypatch, n_clusters):
    truth, labels = random_ensemble(np.random.default_rng(0), 6000, 12, 5, noise=0.1)[:2]
    micro = MicroClusters.from_labels(labels)
    assert len(micro) > 4000
    whole = consensus(micro, n_clusters, "linkage", random_state=0, full_output=True)
    seen = []
    views = linkage.Space.view
    monkeypatch.setattr(
        linkage.Space,
        "view",
        lambda self, some, *a: seen.append(len(some)) or views(self, some, *a),
    )
    monkeypatch.setattr(linkage, "MOST_MICRO_CLUSTERS", 1000)
    drawn = consensus(micro, n_clusters, "linkage", random_state=0, full_output=True)
    assert max(seen) <= 1000
    assert drawn.n_clusters == whole.n_clusters == 5
    assert (
        adjusted_rand_index(truth, drawn.labels) > adjusted_rand_index(truth, whole.labels) - 0.01
    )
    assert (drawn.predict(labels) == drawn.labels).all()
    assert (drawn.labels_at(5) == drawn.labels).all()
    again = consensus(micro, n_clusters, "linkage", random_state=0, full_output=True)
    assert (again.labels == drawn.labels).all()


@st.composite
def spoiled_candidates(draw):
    """Groups with clear clusters, copies of the true labels, and labels with changed thirds."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    k = draw(st.integers(2, 6))
    truth, labels = random_ensemble(rng, 600, 10, k, noise=0.05)[:2]
    micro = MicroClusters.from_labels(labels)
    groups = linkage.Groups.of(micro, np.arange(len(micro), dtype=np.int32))
    right = truth[np.unique(micro.of_row, return_index=True)[1]].astype(np.int32)
    right = np.unique(right, return_inverse=True)[1].astype(np.int32)
    k = int(right.max()) + 1
    candidates, spoiled = [right] * draw(st.integers(1, 3)), rng.integers(2, 9, 4)
    for step in spoiled:
        wrong = right.copy()
        wrong[::step] = (wrong[::step] + 1) % k
        candidates.append(wrong)
    space = linkage.Space.of(micro, 2 * k, np.ones(micro.n_base_clusters))
    order = rng.permutation(len(candidates))
    return [candidates[i] for i in order], right, groups, groups.means(space.view(micro, 2 * k)), k


@settings(max_examples=20)
@given(spoiled_candidates())
def test_of_all_candidates_one_that_stands_apart_is_elected(case):
    candidates, right, groups, judging, k = case
    elected = candidates[linkage._elect(candidates, groups, judging, k)]
    assert (elected == right).all()


def elected(candidates, truth, pieces):
    """Number of the elected candidate, and the micro-clusters that candidates label."""
    micro = MicroClusters.from_labels(pieces)
    groups = linkage.Groups.of(micro, np.arange(len(micro), dtype=np.int32))
    first = np.unique(micro.of_row, return_index=True)[1]
    labels = [one[first].astype(np.int32) for one in candidates]
    alike = np.ones((len(micro), 1))  # every candidate has the same lead
    return linkage._elect(labels, groups, alike, int(truth.max()) + 1)


@pytest.mark.parametrize("seed", range(3))
def test_clusters_that_stand_apart_are_elected_before_even_ones(seed):
    """Even candidates split a large cluster and merge two small ones; base clusters know better."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(4), [40, 40, 600, 600])
    pieces = [truth * 30 + rng.integers(0, 6, len(truth)) for _ in range(10)]
    even = np.where(truth < 2, 0, truth)
    even[truth == 3] = np.where(rng.random(600) < 0.5, 1, 3)
    assert elected([even, even, even, truth], truth, pieces) == 3


@pytest.mark.parametrize("seed", range(3))
def test_halves_that_overlap_are_elected_before_some_outliers_and_the_rest(seed):
    """Nearly all rows are in the larger cluster, so that base clusters predict it better."""
    rng = np.random.default_rng(seed)
    halves, outliers = np.repeat([0, 1], 600), np.arange(1200) % 600 < 15
    shape = 20, len(halves)
    pieces = np.where(rng.random(shape) < 0.4, rng.integers(0, 2, shape), halves)
    pieces = np.where(outliers & (rng.random(shape) < 0.5), 2, pieces)
    assert elected([outliers.astype(int), halves], halves, list(pieces)) == 1


@pytest.mark.parametrize("seed", range(3))
def test_most_votes_win_among_candidates_of_nearly_the_same_doubt(seed):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(4), 300)
    shape = 20, len(truth)
    pieces = np.where(rng.random(shape) < 0.3, rng.integers(0, 4, shape), truth)
    other = np.where(rng.random(len(truth)) < 0.01, 0, truth)
    assert elected([truth, other, other, other], truth, list(pieces)) > 0
    assert elected([other, truth, truth, truth], truth, list(pieces)) > 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("large", [1000, 3000])
def test_blobs_far_apart_come_back_exactly_whatever_their_sizes(seed, large):
    X, y = make_blobs([200] * 15 + [large] * 3, 10, random_state=seed)
    assert adjusted_rand_index(y, LSEC(18, random_state=seed).fit_predict(X)) == 1


@pytest.mark.parametrize("seed", [1, 2])
def test_shapes_that_the_leading_vectors_do_not_tell_apart(seed):
    X, y = make("small classes far off", seed, 20_000)
    micro = LSEC(6, random_state=seed).fit(X).micro_clusters_
    by_cut = consensus(micro, 6, "bipartite", random_state=seed)
    by_linkage = consensus(micro, 6, "linkage", random_state=seed)
    assert clustering_accuracy(y, by_linkage) > 0.98
    assert clustering_accuracy(y, by_cut) < 0.9


@pytest.mark.parametrize("light", [1, 5])
def test_a_number_of_clusters_is_chosen_where_nearly_all_rows_are_alike(light):
    labels = np.array([0] * 10_000 + [1] * light)
    found = consensus(labels[:, None], "auto", "linkage", random_state=0)
    assert adjusted_rand_index(labels, found) == 1
