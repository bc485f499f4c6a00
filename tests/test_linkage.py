"""The parts of the linkage consensus, against plain counterparts and known answers."""

import numpy as np
import pytest
from benchmarks.harness.families import make
from hypothesis import given
from hypothesis import strategies as st

from consensus_oracles import random_ensemble
from lsec import LSEC, consensus
from lsec.consensus import spherical_kmeans as sphere
from lsec.consensus.balanced_cut import LOOSE, SplitTree
from lsec.consensus.dendrogram import agglomerate
from lsec.consensus.methods import linkage
from lsec.consensus.methods.method import Run
from lsec.consensus.spherical_kmeans import group_rows, mean_lead, mean_vectors, spherical_kmeans
from lsec.execution.threads import Workers
from lsec.metrics import adjusted_rand_index, clustering_accuracy
from test_kernels import seeds


def unit_vectors(rng, n, d):
    rows = rng.normal(size=(n, d))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def split_tree(rng, n):
    distance = rng.random((n, n)).astype(np.float32)
    distance = distance + distance.T
    weights = rng.integers(1, 9, n).astype(float)
    dendrogram = agglomerate(distance, weights, "average")
    return dendrogram, SplitTree.of(dendrogram, weights), weights


def leaves(tree, node):
    """The objects below a node."""
    n = len(tree.children) + 1
    if node < n:
        return [int(node)]
    return [leaf for child in tree.children[node - n] for leaf in leaves(tree, child)]


@given(seed=seeds, n=st.integers(2, 40), k=st.integers(1, 40))
def test_a_heavy_cut_without_a_least_weight_is_the_plain_cut(seed, n, k):
    dendrogram, tree, _ = split_tree(np.random.default_rng(seed), n)
    k = min(k, n)
    assert adjusted_rand_index(tree.cut(k, 0.0), dendrogram.cut(k)) == 1


@given(seed=seeds, n=st.integers(5, 60), k=st.integers(2, 5), share=st.floats(0.01, 1.0))
def test_clusters_of_a_heavy_cut_weigh_enough(seed, n, k, share):
    _, tree, weights = split_tree(np.random.default_rng(seed), n)
    least = share * weights.sum() / k
    enough = len(tree.heavy_splits(least)) >= k - 1
    labels = tree.cut(k, least)
    assert set(np.unique(labels[labels != LOOSE])) == set(range(k))
    if enough:
        # Clusters are the sides of the chosen splits that no other of these splits again.
        chosen = tree.heavy_splits(least)[: k - 1]
        sides = {frozenset(leaves(tree, side)) for split in chosen for side in tree.children[split]}
        assert min(weights[list(side)].sum() for side in sides) >= least
        for cluster in range(k):
            inside = set(np.flatnonzero(labels == cluster))
            around = min((side for side in sides if inside <= side), key=len)
            # What falls off lighter is loose.
            assert (labels[list(around - inside)] == LOOSE).all()


def test_outliers_do_not_use_up_the_clusters():
    # Two heavy pairs of groups and two light far ones: a plain cut in two takes an outlier off.
    place = np.array([0.0, 0.1, 2.0, 2.1, 50.0, 90.0])
    weights = np.array([100.0, 100, 100, 100, 1, 1])
    distance = np.abs(place[:, None] - place).astype(np.float32)
    dendrogram = agglomerate(distance, weights, "average")
    assert dendrogram.cut(2).tolist() == [0, 0, 0, 0, 1, 1]
    labels = SplitTree.of(dendrogram, weights).cut(2, 0.05 * weights.sum() / 2)
    assert labels.tolist() == [0, 0, 1, 1, LOOSE, LOOSE]


@given(seed=seeds, n=st.integers(6, 60), k=st.integers(2, 5))
def test_mean_lead_is_that_of_mean_cosines(seed, n, k):
    rng = np.random.default_rng(seed)
    rows, weights = unit_vectors(rng, n, 4), rng.integers(1, 5, n).astype(float)
    labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    cosine = rows.astype(float) @ rows.T
    leads = np.zeros(n)
    for i in range(n):
        mean = [np.average(cosine[i, labels == c], weights=weights[labels == c]) for c in range(k)]
        own = mean.pop(labels[i])
        leads[i] = own - max(mean)
    of_clusters = [np.average(leads[labels == c], weights=weights[labels == c]) for c in range(k)]
    assert mean_lead(rows, weights, labels, k) == pytest.approx(np.mean(of_clusters), abs=1e-5)


@given(seed=seeds, n=st.integers(10, 200), k=st.integers(1, 6))
def test_steps_of_k_means_never_empty_a_cluster_nor_lower_the_cosine(seed, n, k):
    rng = np.random.default_rng(seed)
    rows, weights = unit_vectors(rng, n, 5), rng.integers(1, 5, n).astype(float)
    before = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    after = spherical_kmeans(rows, weights, before, k, 20)
    assert set(np.unique(after)) == set(range(k))
    total = [
        (sizes * np.linalg.norm(means, axis=1)).sum()
        for means, sizes in (mean_vectors(rows, weights, x, k) for x in (before, after))
    ]
    assert total[1] >= total[0] - 1e-4


@pytest.mark.parametrize("n_threads", [1, 3])
def test_groups_hold_near_rows(n_threads):
    rng = np.random.default_rng(0)
    centers = unit_vectors(rng, 30, 8)
    truth = rng.integers(0, 30, 3000)
    rows = centers[truth] + rng.normal(scale=0.01, size=(3000, 8)).astype(np.float32)
    with Workers(n_threads) as workers:
        run = Run(rng, workers)
        groups = group_rows(rows, np.ones(3000), 300, run)
        alone = group_rows(rows, np.ones(3000), 5000, run)
    assert groups.max() < 300
    mixed = sum(len(np.unique(truth[groups == g])) > 1 for g in np.unique(groups))
    assert mixed < 15
    assert alone.tolist() == list(range(3000))


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


@pytest.mark.parametrize("right", range(3))
def test_of_all_candidates_the_one_that_stands_apart_wins(monkeypatch, right):
    rng = np.random.default_rng(2)
    truth, labels = random_ensemble(rng, 3000, 10, noise=0.1)[:2]
    n_clusters = len(np.unique(truth))
    merge, widths = linkage._merge, []

    def spoiled(view, weights, groups, n_clusters):
        """The candidate of the right dimensions, and others with every third label changed."""
        found = merge(view, weights, groups, n_clusters)
        widths.append(view.shape[1])
        if view.shape[1] != wanted:
            found[::3] = (found[::3] + 1) % n_clusters
        return found

    wanted = np.ceil(np.array(linkage.DIMENSIONS_PER_CLUSTER) * n_clusters)[right]
    monkeypatch.setattr(linkage, "_merge", spoiled)
    joined = consensus(labels, n_clusters, "linkage", random_state=0)
    assert wanted in widths
    assert len(set(widths)) == 3
    assert adjusted_rand_index(truth, joined) > 0.99


@pytest.mark.parametrize(
    ("leads", "winner"),
    [
        ([0.6, 0.5, 0.55], 0),
        ([0.6, 0.58, 0.55], 1),
        ([0.6, 0.5, 0.62], 2),
        ([-0.105, -0.1, -0.2], 1),
    ],
)
def test_the_candidate_of_few_dimensions_must_win_clearly(leads, winner):
    assert linkage._clear_winner(leads) == winner


@pytest.mark.parametrize("seed", [0, 1])
def test_shapes_that_the_leading_vectors_do_not_tell_apart(seed):
    X, y = make("rings, arcs and blobs", seed, 20_000)
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


def test_more_groups_than_a_small_sample_has_rows():
    rows = unit_vectors(np.random.default_rng(0), 300, 3)
    with Workers(1) as workers, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sphere, "GROUP_SAMPLE", 20)
        run = Run(np.random.default_rng(0), workers)
        groups = sphere.group_rows(rows, np.ones(300), 40, run)
    assert len(np.unique(groups)) == 40
