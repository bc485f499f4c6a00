"""`labels_at` agrees with `labels_` and `predict`, for rows of the fit and new ones."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import lsec
from lsec.metrics import contingency_table


def test_rows_of_the_fit_get_their_labels_again(build_ensemble, face):
    model = build_ensemble(6).fit(face)
    assert_array_equal(model.labels_at(6), model.labels_, strict=True)
    assert_array_equal(model.labels_at(6, face), model.labels_, strict=True)
    for k in (1, 3, 17):
        assert_array_equal(model.labels_at(k, face[::-1])[::-1], model.labels_at(k), strict=True)
    assert len(model.tree_.groups) == model.n_micro_clusters_


@pytest.mark.parametrize("consensus", ["linkage", "bipartite", "kcc"])
def test_new_rows_are_predicted_in_every_layer(consensus, face):
    settings = {"n_base": 7, "base_clusters": (5, 15), "random_state": 0}
    model = lsec.EnsembleClustering(6, consensus=consensus, **settings).fit(face[::20])
    new = face[1:] + 0.05
    clusters = model.predict(new)
    assert_array_equal(model.labels_at(6, new), clusters)
    layers = [model.labels_at(k, new) for k in (2, 6, 15)]
    for coarse, fine in itertools.pairwise(layers):
        assert ((contingency_table(fine, coarse) > 0).sum(axis=1) == 1).all()


def test_a_loaded_model_has_the_same_layers_without_rows(build_ensemble, face, tmp_path):
    model = build_ensemble(4).fit(face)
    model.save(tmp_path / "model.lsec")
    loaded = lsec.load(tmp_path / "model.lsec")
    assert_array_equal(loaded.tree_.linkage, model.tree_.linkage)
    assert_array_equal(loaded.labels_at(9, face), model.labels_at(9))
    with pytest.raises(AttributeError, match=r"keeps nothing per row.*labels_at\(k, X\)"):
        loaded.labels_at(9)
    with pytest.raises(AttributeError, match=r"no confidence_.*predict_membership\(X\).*or fit it"):
        loaded.confidence_  # noqa: B018
    model.fit(face, labels_out=tmp_path / "labels.npy")
    with pytest.raises(AttributeError, match="keeps nothing per row"):
        model.labels_at(9)


def test_a_wrong_number_is_refused_before_rows_are_read(build_ensemble, face):
    model = build_ensemble(4).fit(face)
    most = len(model.tree_.weights)
    assert model.labels_at(most).max() == most - 1
    with pytest.raises(ValueError, match=f"between 1 and {most}"):
        model.labels_at(most + 1, X=None)
    with pytest.raises(ValueError, match=f"between 1 and {most}"):
        model.labels_at(most + 1, np.full((3, 9), np.nan))
