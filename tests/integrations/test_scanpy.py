"""Clusters of an AnnData."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import lsec
from lsec.integrations import scanpy

anndata = pytest.importorskip("anndata")
FAST = {"n_base": 6, "n_landmarks": 100}


@pytest.fixture
def adata():
    X, _ = lsec.datasets.make_flower(900, random_state=0)
    names = [f"cell {i}" for i in range(900)]
    counts = sparse.csr_matrix(np.abs(X))
    return anndata.AnnData(counts, obs=pd.DataFrame(index=names), obsm={"X_pca": X})


def test_the_results_are_those_of_the_estimator(adata):
    assert scanpy.lsec(adata, 13, random_state=3, **FAST) is None
    model = lsec.LSEC(13, random_state=3, **FAST).fit(adata.obsm["X_pca"])
    clusters = adata.obs["lsec"]
    assert clusters.cat.categories.tolist() == [str(k) for k in range(13)]  # "10" after "9"
    assert_array_equal(clusters.astype(int), model.labels_)
    assert_array_equal(adata.obs["lsec_confidence"], model.confidence_)
    membership = model.predict_membership(adata.obsm["X_pca"])
    assert_allclose(adata.obsm["lsec_membership"], membership, atol=1e-6)
    given = {"n_clusters": 13, "use_rep": "X_pca", "random_state": 3}
    assert adata.uns["lsec"]["params"] == {**given, **FAST}


def test_a_copy_leaves_the_original_alone(adata):
    found = scanpy.lsec(adata, 3, key_added="shapes", copy=True, **FAST)
    assert "shapes" in found.obs and "shapes" not in adata.obs
    assert "shapes" not in adata.uns and not set(adata.obsm) - {"X_pca"}


def test_noise_is_the_first_category(adata):
    scanpy.lsec(adata, 3, noise=0.1, **FAST)
    assert adata.obs["lsec"].cat.categories.tolist() == ["-1", "0", "1", "2"]
    assert 0 < (adata.obs["lsec"] == "-1").sum() <= 90


def test_sparse_counts_are_a_representation(adata):
    scanpy.lsec(adata, 3, use_rep="X", **FAST)
    model = lsec.LSEC(3, random_state=0, **FAST).fit(adata.X)
    assert_array_equal(adata.obs["lsec"].astype(int), model.labels_)


def test_the_results_are_written_to_files(adata, tmp_path):
    scanpy.lsec(adata, 3, base_clusters=(4, 9), **FAST)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    read = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert read.obs["lsec"].equals(adata.obs["lsec"])
    assert read.uns["lsec"]["params"]["n_clusters"] == 3
    assert read.uns["lsec"]["params"]["base_clusters"] == "(4, 9)"


def test_a_missing_representation_is_refused_with_the_remedy(adata):
    with pytest.raises(ValueError, match=r"no 'X_umap'; it has 'X_pca'. Pass use_rep"):
        scanpy.lsec(adata, 3, use_rep="X_umap")
    del adata.obsm["X_pca"]
    with pytest.raises(ValueError, match=r"it has nothing.*scanpy\.pp\.pca"):
        scanpy.lsec(adata, 3)
    assert list(adata.obs) == []
