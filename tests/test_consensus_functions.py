"""Every part of the consensus functions equals its plain counterpart in float64."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

import tests.consensus_oracles as plain
from lsec import MicroClusters, consensus
from lsec.consensus.bipartite_graph import Embedding, base_cluster_affinity, leading_cut
from lsec.consensus.cluster_index import ensemble_driven_index
from lsec.consensus.co_association import CoAssociation
from lsec.consensus.dendrogram import LINKAGES, agglomerate
from lsec.consensus.label_kmeans import count
from lsec.consensus.methods import ptgp
from lsec.consensus.methods.kcc import KCC, _Profiles
from lsec.consensus.methods.method import Run
from lsec.consensus.methods.ptgp import affinity_by_ties
from lsec.consensus.methods.sec import SEC, _ScaledRows
from lsec.consensus.trajectories import Walks, elite_neighbors, walk_length
from lsec.execution.threads import Workers
from lsec.kernels.agreement import CHUNK
from lsec.metrics import clustering_accuracy
from tests.consensus_oracles import random_ensemble, small_ensemble
from tests.inputs import seeds

some_missing = st.sampled_from([0.0, 0.3])


@pytest.fixture(scope="module")
def workers():
    with Workers(2) as pool:
        yield pool


# Co-association and the index of base clusters


@given(seed=seeds, missing=some_missing)
def test_co_association_is_the_share_of_clusterings_that_agree(workers, seed, missing):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    micro = MicroClusters.from_labels(labels)
    rows = plain.micro_clusters(labels)[0]
    expected = plain.co_association(rows)
    association = CoAssociation(micro)
    assert_allclose(association.similarities(micro.labels), expected, atol=1e-7)
    np.fill_diagonal(expected, 1)
    assert_allclose(association.distances(workers), 1 - expected, atol=1e-7)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("n", [CHUNK - 1, CHUNK, 2 * CHUNK + 1])
def test_co_association_does_not_depend_on_how_micro_clusters_are_divided(n, missing):
    rng = np.random.default_rng(n)
    labels = rng.integers(0, 5, (n, 12))
    labels[rng.random(labels.shape) < missing] = -1
    labels[:, 0] = rng.integers(0, 5, n)  # a row without labels is no micro-cluster
    micro = MicroClusters.from_labels(labels)
    assert len(micro) == n
    similarity = CoAssociation(micro).similarities(micro.labels[-7:])
    some, present = labels[-7:, None], (labels >= 0) & (labels[-7:, None] >= 0)
    expected = ((some == labels) & present).sum(axis=2) / present.sum(axis=2)
    assert_allclose(similarity, expected, rtol=1e-6)


@pytest.mark.parametrize("n_base", [255, 256, 300])
def test_clusterings_are_counted_however_many_there_are(n_base):
    labels = np.zeros((3, n_base), int)
    labels[2, 0] = 1
    similarity = CoAssociation(MicroClusters.from_labels(labels)).similarities(
        labels[:1].astype(np.uint8)
    )
    assert_array_equal(similarity, np.float32([[1, 1 - 1 / n_base]]))


@given(seed=seeds, missing=some_missing, theta=st.floats(0.05, 3))
def test_cluster_index_is_the_formula(seed, missing, theta):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    found = ensemble_driven_index(MicroClusters.from_labels(labels), theta)
    assert_allclose(found, plain.cluster_index(labels, theta), rtol=1e-12)


def test_cluster_index_of_a_worked_example():
    # The four rows of cluster 0 are scattered 2 : 2 by the second clustering (one bit) and
    # 2 : 1 : 1 by the third (1.5 bits): exp(-2.5 / (0.5 * 3)).
    labels = np.array([[0, 0, 0, 0, 1], [0, 0, 1, 1, 2], [0, 0, 1, 2, 3]]).T
    index = ensemble_driven_index(MicroClusters.from_labels(labels), 0.5)
    assert_allclose(index[0], np.exp(-2.5 / 1.5))
    assert_allclose(index[1], 1)
    assert_allclose(index[3], np.exp(-1 / 1.5))  # rows 2 and 3: one bit, from the third


@given(seed=seeds, missing=some_missing)
def test_weighted_co_association_is_the_formula(workers, seed, missing):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    micro = MicroClusters.from_labels(labels)
    index = ensemble_driven_index(micro, 0.4)
    rows = plain.micro_clusters(labels)[0]
    expected = 1 - plain.co_association(rows, plain.cluster_index(labels, 0.4))
    np.fill_diagonal(expected, 0)
    distance = CoAssociation(micro, index).distances(workers)
    assert_allclose(distance, expected, atol=1e-6)  # values are kept to 27 bits or more
    assert_array_equal(distance, distance.T)


# Agglomeration


UNIT = 2**5 * 3**3 * 5**2 * 7 * 11  # all products of two weights that add up to 12 divide it


def tied_distances(rng, n):
    """Symmetric distances of which most occur many times, and whose means are whole numbers."""
    distance = np.triu(rng.integers(1, rng.integers(2, 7), (n, n)), 1)
    return (distance + distance.T).astype(np.float32) * UNIT


@pytest.mark.parametrize("linkage", LINKAGES)
@given(seed=seeds, n=st.integers(2, 10))
@settings(max_examples=60)
def test_agglomeration_merges_the_first_of_the_nearest_pairs(linkage, seed, n):
    rng = np.random.default_rng(seed)
    weights = 1.0 + rng.multinomial(12 - n, np.full(n, 1 / n))
    distance = tied_distances(rng, n)
    pairs, heights = plain.greedy_mergers(distance, weights, linkage)
    tree = agglomerate(distance.copy(), weights, linkage)
    assert_array_equal(tree.pairs, pairs)
    assert_array_equal(tree.heights, heights)


def test_single_linkage_joins_nothing_before_what_links_it():
    # Rows 0 and 1 are far apart; only through row 2 do they belong together.
    distance = np.array([[0, 3, 2], [3, 0, 2], [2, 2, 0]], np.float32)
    tree = agglomerate(distance, np.ones(3), "single")
    assert_array_equal(tree.cut(2), [0, 1, 0])


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("n", [2, 3, 10, 40, 150])
def test_agglomeration_equals_scipy_where_nothing_ties(linkage, n):
    rng = np.random.default_rng(n)
    n_pairs = n * (n - 1) // 2
    distance = squareform(rng.permutation(n_pairs) + 0.5 * rng.random(n_pairs)).astype(np.float32)
    expected = hierarchy.linkage(squareform(distance.astype(float)), linkage)
    tree = agglomerate(distance, np.ones(n), linkage)
    assert_allclose(tree.heights, expected[:, 2], rtol=1e-5)
    for k in range(1, n + 1):
        cut = hierarchy.fcluster(expected, k, "maxclust")
        assert len(np.unique(np.stack([cut, tree.cut(k)]), axis=1).T) == k
        assert plain.is_numbered_by_occurrence(tree.cut(k))


# Trajectories


@given(seed=seeds, missing=some_missing, rank=st.integers(1, 5))
def test_elite_neighbors_are_those_above_the_threshold(workers, seed, missing, rank):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    micro = MicroClusters.from_labels(labels)
    assume(len(micro) >= rank)
    similarity = CoAssociation(micro).similarities(micro.labels)
    graph = elite_neighbors(micro, rank, workers).toarray()
    assert_array_equal(graph, plain.elite_graph(similarity, rank))


def dense_trajectories(labels):
    rows, counts, _ = plain.micro_clusters(labels)
    length = max(1, min(20, int(np.sqrt(len(rows)) / 2)))
    # In the precision of the similarities: which of them tie decides who is a neighbor.
    similarity = plain.co_association(rows).astype(np.float32).astype(float)
    return plain.trajectory_similarity(plain.elite_graph(similarity, length), counts, length)


@given(seed=seeds, n=st.integers(2, 300), m=st.integers(2, 7), missing=some_missing)
def test_similarity_of_trajectories_is_that_of_the_powers_of_p(workers, seed, n, m, missing):
    labels = random_ensemble(np.random.default_rng(seed), n, m, noise=0.3, missing=missing)[1]
    micro = MicroClusters.from_labels(labels)
    expected = dense_trajectories(labels)
    assert_allclose(Walks.on(micro, workers).similarities(workers), expected, atol=2e-5)


@given(seed=seeds, n=st.integers(2, 300), m=st.integers(2, 7), missing=some_missing)
def test_product_with_similarities_needs_no_matrix_of_them(workers, seed, n, m, missing):
    rng = np.random.default_rng(seed)
    labels = random_ensemble(rng, n, m, noise=0.3, missing=missing)[1]
    micro = MicroClusters.from_labels(labels)
    columns = rng.random((len(micro), rng.integers(1, 100))).astype(np.float32)
    found = Walks.on(micro, workers).similarity_times(columns, workers)
    assert_allclose(found, dense_trajectories(labels) @ columns, rtol=2e-4, atol=2e-5)


def test_isolated_micro_clusters_are_next_to_nothing_alike(workers):
    labels = np.array([[0, 0, 0, 1, 2], [0, 0, 1, 2, 3]]).T  # the last two share no cluster
    micro = MicroClusters.from_labels(labels)
    similarity = Walks.on(micro, workers).similarities(workers)
    expected = np.full((2, 4), np.float32(1e-20))
    expected[:, 2:] = np.maximum(np.eye(2), np.float32(1e-20))
    assert_array_equal(similarity[2:], expected)
    assert_allclose(similarity[:2, :2], np.eye(2), atol=1e-7)


@pytest.mark.parametrize(("n_micro", "length"), [(2, 1), (15, 1), (16, 2), (1600, 20), (10**6, 20)])
def test_walks_are_half_the_root_of_the_micro_clusters_long(n_micro, length):
    assert walk_length(n_micro) == length


# Transfer cut


@given(seed=seeds, n=st.integers(1, 60), c=st.integers(1, 20), at_once=st.integers(1, 60))
def test_affinity_by_ties_adds_up_over_parts_of_the_rows(seed, n, c, at_once):
    ties = np.random.default_rng(seed).uniform(0.01, 1, (n, c)).astype(np.float32)
    found = sum(affinity_by_ties(ties[low : low + at_once]) for low in range(0, n, at_once))
    ties = ties.astype(float)
    assert_allclose(found, ties.T @ (ties / ties.sum(axis=1, keepdims=True)), rtol=1e-12)


def test_ptgp_does_not_depend_on_the_parts_in_which_rows_are_taken(monkeypatch):
    truth, labels = random_ensemble(np.random.default_rng(0), 600, 8, noise=0.2)
    whole = consensus(labels, 4, "ptgp", random_state=0)
    monkeypatch.setattr(ptgp, "ROWS_AT_ONCE", 64)
    assert_array_equal(consensus(labels, 4, "ptgp", random_state=0), whole)
    assert clustering_accuracy(truth, whole) > 0.9


@pytest.mark.parametrize("name", ["bipartite", "lwgp"])
@given(seed=seeds, n=st.integers(20, 200), m=st.integers(2, 7), missing=some_missing)
def test_embedding_is_that_of_the_plain_transfer_cut(name, seed, n, m, missing):
    labels = random_ensemble(np.random.default_rng(seed), n, m, missing=missing)[1]
    micro = MicroClusters.from_labels(labels)
    index = ensemble_driven_index(micro, 0.4) if name == "lwgp" else np.ones(micro.n_base_clusters)
    vectors = leading_cut(base_cluster_affinity(micro, index), len(micro), 4)[0]
    found = Embedding.of(vectors * index[:, None], micro.n_labels).place(micro.labels)
    graph = plain.indicator(labels) * index
    values = plain.tcut_eigenvalues(graph)
    assume(values[3] - values[4] > 1e-3)  # else the leading four are not well defined
    expected = plain.tcut_embedding(graph, 4)
    products = found.astype(float) @ found.T  # do not depend on the basis of the eigenspace
    assert_allclose(products[micro.of_row][:, micro.of_row], expected @ expected.T, atol=1e-5)


# KCC and SEC

UTILITIES = [("category", 2), ("entropy", 2), ("cosine", 2), ("power", 5), ("power", 8)]


def labeled(seed, missing):
    """An ensemble with its micro-clusters, and a clustering of these."""
    rng = np.random.default_rng(seed)
    labels = small_ensemble(rng, missing)
    micro = MicroClusters.from_labels(labels)
    k = int(rng.integers(1, 4))
    return labels, micro, k, rng.integers(0, k, len(micro)).astype(np.int32)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize(("utility", "power"), UTILITIES)
@given(seed=seeds, missing=some_missing)
@settings(max_examples=10)
def test_kcc_distances_and_loss_are_the_formulas(utility, power, normalized, seed, missing):
    labels, micro, k, clusters = labeled(seed, missing)
    of_row = micro.of_row
    profiles = _Profiles(micro, utility, power, normalized)
    counts = count(micro, clusters, k)
    expected = plain.kcc_distances(labels, clusters[of_row], k, utility, power, normalized)
    found = profiles.distances(counts).all_of(micro)[of_row]
    assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    own = expected[np.arange(len(labels)), clusters[of_row]]
    assert_allclose(profiles.loss(counts), own.sum(), rtol=1e-9, atol=1e-9)


@given(seed=seeds, missing=some_missing)
def test_sec_distances_and_loss_are_those_of_weighted_k_means(seed, missing):
    labels, micro, k, clusters = labeled(seed, missing)
    assume(len(np.unique(clusters)) == k)
    of_row = micro.of_row
    scaled = _ScaledRows(micro)
    counts = count(micro, clusters, k)
    points, degree = plain.sec_points(labels)
    centers = np.array(
        [np.average(points[of], axis=0, weights=degree[of]) for of in clusters[of_row] == np.c_[:k]]
    )
    expected = ((points[:, None] - centers) ** 2).sum(axis=2)
    assert_allclose(scaled.distances(counts).all_of(micro)[of_row], expected, rtol=1e-9, atol=1e-12)
    constant = (degree * (points**2).sum(axis=1)).sum()
    loss = scaled.loss(counts)
    assert_allclose(constant + loss, plain.sec_loss(labels, clusters[of_row]), atol=1e-9)
    assert_allclose(k + loss, plain.normalized_cut(labels, clusters[of_row]), atol=1e-9)


@pytest.mark.parametrize("kind", [*UTILITIES, "sec"], ids=str)
@given(seed=seeds, missing=some_missing)
def test_no_iteration_raises_the_loss(workers, kind, seed, missing):
    rng = np.random.default_rng(seed)
    micro = MicroClusters.from_labels(small_ensemble(rng, missing))
    k = int(rng.integers(1, min(6, len(micro)) + 1))
    profiles = _ScaledRows(micro) if kind == "sec" else _Profiles(micro, *kind, False)
    losses = []
    for max_iter in range(1, 8):
        options = {"n_init": 1, "max_iter": max_iter}
        method = SEC(**options) if kind == "sec" else KCC(*kind[:1], power=kind[1], **options)
        labels = method.join(micro, k, Run(np.random.default_rng(seed), workers)).labels
        assert_array_equal(np.unique(labels), np.arange(k))
        losses.append(profiles.loss(count(micro, labels, k)))
    assert (np.diff(losses) <= 1e-9 * max(1, abs(losses[0]))).all()


@pytest.mark.parametrize("kind", ["kcc", "sec"])
@given(seed=seeds)
def test_of_several_starts_the_best_is_kept(workers, kind, seed):
    rng = np.random.default_rng(seed)
    micro = MicroClusters.from_labels(small_ensemble(rng))
    k = min(4, len(micro))
    method, profiles = {
        "kcc": (KCC, _Profiles(micro, "category", 2, False)),
        "sec": (SEC, _ScaledRows(micro)),
    }[kind]
    rng = np.random.default_rng(seed)  # runs follow each other in one stream of numbers
    runs = [method(n_init=1).join(micro, k, Run(rng, workers)).labels for _ in range(4)]
    best = method(n_init=4).join(micro, k, Run(np.random.default_rng(seed), workers)).labels
    losses = [profiles.loss(count(micro, labels, k)) for labels in runs]
    assert_array_equal(best, runs[int(np.argmin(losses))])
