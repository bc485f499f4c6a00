"""Documents: topics of sparse rows of unit length."""

import numpy as np
import pytest
from scipy import sparse

from benchmarks.harness.embeddings import make_documents
from lsec import LSEC
from lsec.metrics import adjusted_rand_index


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_topics_of_documents_are_found(metric):
    # 500 landmarks give .77 to .81, k-means of singular vectors .63.
    X, y = make_documents(3000, 5000, 8, random_state=0)
    if metric == "cosine":
        X = sparse.diags_array(np.random.default_rng(0).uniform(1, 5, len(y))) @ X
    model = LSEC(8, metric=metric, random_state=0).fit(X)
    assert adjusted_rand_index(y, model.labels_) > 0.82
    np.testing.assert_array_equal(model.predict(X[:100]), model.labels_[:100])
