"""Soft membership as `transform`, with names and containers; typical rows of a fit."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import lsec
from tests.conftest import builder, make_blobs

build = builder("LSEC")


def test_transform_is_the_soft_membership(build_ensemble, face):
    model = build_ensemble(4).fit(face)
    soft = model.transform(face)
    assert soft.dtype == np.float32 and soft.shape == (len(face), 4)
    assert_array_equal(soft, model.predict_membership(face))
    assert_array_equal(soft.argmax(axis=1), model.labels_)
    np.testing.assert_allclose(soft.sum(axis=1), 1, atol=1e-5)
    prefix = type(model).__name__.lower()
    assert_array_equal(model.get_feature_names_out(), [f"{prefix}{c}" for c in range(4)])


def test_frames_come_out_with_names_and_index(face, tmp_path):
    frame = pd.DataFrame(face, columns=["x", "y"], index=np.arange(len(face)) + 7)
    model = build(4).set_output(transform="pandas").fit(frame)
    soft = model.transform(frame)
    assert soft.columns.tolist() == ["lsec0", "lsec1", "lsec2", "lsec3"]
    assert_array_equal(soft.index, frame.index)
    model.save(tmp_path / "m.lsec")
    loaded = lsec.load(tmp_path / "m.lsec").set_output(transform="polars")
    assert_array_equal(loaded.transform(frame).to_numpy(), soft.to_numpy())


def test_files_have_memberships_too(face, tmp_path):
    np.save(tmp_path / "x.npy", face)
    model = build(4).fit(tmp_path / "x.npy")
    assert_array_equal(model.transform(str(tmp_path / "x.npy")), model.transform(face))
    frame = model.set_output(transform="pandas").transform(str(tmp_path / "x.npy"))
    assert_array_equal(frame.index, np.arange(len(face)))


def test_memberships_are_features_of_a_pipeline():
    X, y = make_blobs(1000, 7)
    pipeline = make_pipeline(build(5), LogisticRegression()).fit(X, y)
    assert pipeline.score(X, y) > 0.95


def test_typical_rows_lie_in_their_clusters(face, tmp_path):
    model = build(4, noise=0.1).fit(face)
    found = model.typical_rows(6)
    assert len(found) == 4
    for cluster, rows in enumerate(found):
        assert rows.dtype == np.int64 and len(set(rows.tolist())) == 6
        assert (model.labels_[rows] == cluster).all()
        own = model.labels_ == cluster
        assert model.confidence_[rows[0]] == model.confidence_[own].max()
        if len(np.unique(model.micro_clusters_.of_row[own])) >= 6:  # else all of them have a row
            assert model.confidence_[rows].mean() >= model.confidence_[own].mean()
    with pytest.raises(ValueError, match="n_rows must be an integer at least 1"):
        model.typical_rows(0)
    model.save(tmp_path / "m.lsec")
    with pytest.raises(AttributeError, match="keeps nothing per row"):
        lsec.load(tmp_path / "m.lsec").typical_rows()
