"""The cut of the bipartite graph equals the plain transfer cut."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from lsec import MicroClusters
from lsec.consensus import micro_clusters as module
from lsec.consensus.bipartite_graph import Embedding, leading_cut
from lsec.consensus.micro_clusters import base_cluster_affinity, ensemble_driven_index, with_missing
from tests.consensus import oracles as plain
from tests.consensus.ensembles import random_ensemble, seeds, small_ensemble, some_missing


@pytest.mark.parametrize("name", ["bipartite", "lwgp"])
@given(seed=seeds, n=st.integers(20, 200), m=st.integers(2, 7), missing=some_missing)
def test_embedding_is_that_of_the_plain_transfer_cut(name, seed, n, m, missing):
    labels = random_ensemble(np.random.default_rng(seed), n, m, missing=missing)[1]
    micro = MicroClusters.from_labels(labels)
    index = ensemble_driven_index(micro, 0.4) if name == "lwgp" else np.ones(micro.n_base_clusters)
    vectors = leading_cut(base_cluster_affinity(micro, index), len(micro), 4)[0]
    found = Embedding(with_missing(vectors * index[:, None]), micro.n_labels).place(micro.labels)
    graph = plain.indicator(labels) * index
    values = plain.tcut_eigenvalues(graph)
    assume(values[3] - values[4] > 1e-3)  # else the leading four are not well defined
    expected = plain.tcut_embedding(graph, 4)
    products = found.astype(float) @ found.T  # do not depend on the basis of the eigenspace
    assert_allclose(products[micro.of_row][:, micro.of_row], expected @ expected.T, atol=1e-5)


@given(seed=seeds, missing=st.sampled_from([0.0, 0.3]))
def test_affinity_of_base_clusters_is_the_plain_product(seed, missing):
    labels = small_ensemble(np.random.default_rng(seed), missing)
    micro = MicroClusters.from_labels(labels)
    inside = plain.indicator(labels)
    expected = inside.T @ (inside / inside.sum(axis=1, keepdims=True))
    equal = np.ones(micro.n_base_clusters)
    np.testing.assert_allclose(base_cluster_affinity(micro, equal), expected, atol=1e-12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_DENSE", 0)
        thin = base_cluster_affinity(micro, equal)
    assert sparse.issparse(thin)
    np.testing.assert_allclose(thin.toarray(), expected, atol=1e-12)
