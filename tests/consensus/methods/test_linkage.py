"""Linkage consensus: known answers, and the choice among its candidates."""

import numpy as np
import pytest

from benchmarks.harness.families import make
from lsec import LSEC, consensus
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
    assert linkage._winner(leads) == winner


@pytest.mark.parametrize("seed", [1, 2])
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
