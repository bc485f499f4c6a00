"""Rows that the laws are tested on."""

import numpy as np
import pytest
from scipy import sparse

DENSE = {"2-D": ("face", 4), "7-D": ("blobs7", 5), "40-D": ("blobs40", 5)}


@pytest.fixture(params=DENSE)
def dense(request):
    """Rows and their number of clusters: two and seven features (columns), 40 (products)."""
    fixture, n_clusters = DENSE[request.param]
    return request.getfixturevalue(fixture), n_clusters


@pytest.fixture(params=["2-D", "7-D"])
def low(request):
    """Rows with few features: every row is computed by itself, in any company."""
    fixture, n_clusters = DENSE[request.param]
    return request.getfixturevalue(fixture), n_clusters


@pytest.fixture(scope="module")
def words():
    """Sparse counts, 2,000 x 60: five topics with their own words, a few words of all."""
    rng = np.random.default_rng(3)
    topic = rng.integers(0, 5, 2000)
    rates = np.full((5, 60), 0.02)
    for t in range(5):
        rates[t, 12 * t : 12 * t + 12] = 0.8
    return sparse.csr_matrix(rng.poisson(rates[topic]).astype(np.float64))
