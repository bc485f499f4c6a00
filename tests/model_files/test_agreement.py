"""A model file that contradicts itself is refused, and so is saving such a model."""

import numpy as np
import pytest

import lsec
from tests.conftest import builder
from tests.model_files.cases import Forgery, assert_refused, face

WRONG_PARAMETERS = {
    "n_clusters": (8, "n_clusters=8 differs from the 4 clusters"),
    "n_base": (5, "n_base=5 differs from the members"),
    "metric": ("cosine", "metric='cosine' is not that of the fit"),
    "kernel": ("quartic", "kernel='quartic' is not that of the fit"),
}


@pytest.mark.parametrize("name", WRONG_PARAMETERS)
def test_a_parameter_that_is_not_that_of_the_fit(name, forgery, small, tmp_path):
    value, problem = WRONG_PARAMETERS[name]
    forgery.document["parameters"][name] = value
    assert_refused(forgery.write(), problem)
    changed = lsec.load(small[0]).set_params(**{name: value})
    with pytest.raises(ValueError, match=f"{problem}.*Fit again before saving"):
        changed.save(tmp_path / "m.lsec")
    assert not (tmp_path / "m.lsec").exists()


def test_a_micro_cluster_with_the_label_k_of_k(forgery):
    n_labels = forgery.array("_consensus", "micro", "n_labels")[0]
    forgery.array("_consensus", "micro", "labels")[0, 0] = n_labels
    assert_refused(forgery.write(), "lacks the label of a member")


@pytest.mark.parametrize("change", [-1, 1])
def test_another_number_of_micro_clusters(change, forgery):
    forgery.document["fitted"]["n_micro_clusters_"] += change
    assert_refused(forgery.write(), "n_micro_clusters_ is")


def test_other_numbers_of_base_clusters(forgery):
    forgery.array("n_base_clusters_")[0] += 1
    assert_refused(forgery.write(), "n_base=4 differs")


@pytest.fixture(scope="module", params=["DnCSC", "LightKMeans"])
def single(request, tmp_path_factory):
    """A saved model of four clusters whose labels no consensus checks."""
    path = tmp_path_factory.mktemp("single") / "m.lsec"
    builder(request.param)(4).fit(face()[0][:1000]).save(path)
    return path


def test_more_clusters_than_asked_are_refused(single, tmp_path):
    # `predict` would return the label 3 of 3 clusters
    forgery = Forgery(single, tmp_path)
    forgery.document["parameters"]["n_clusters"] = 3
    assert_refused(forgery.write(), "n_clusters=3 differs from the 4 clusters of the fit")


def test_evidence_for_another_number_is_refused(tmp_path):
    rows = face()[0][:1000]
    model = builder("LSEC")("auto", consensus="eac").fit(rows)
    model.save(tmp_path / "m.lsec")
    forgery = Forgery(tmp_path / "m.lsec", tmp_path)
    scores = forgery.array("_consensus", "evidence", "scores")
    scores[...] = -np.arange(len(scores))
    scores[model.n_clusters_ - 1] = 1  # the candidate after the best one
    assert_refused(forgery.write(), f"the evidence for {model.n_clusters_ + 1} clusters")


def test_messages_are_short(forgery):
    forgery.document["parameters"]["alpha"] = [10**30] * 1000
    with pytest.raises(ValueError, match="alpha must be an integer") as caught:
        lsec.load(forgery.write())
    assert len(str(caught.value)) < 300 + len(str(forgery.path))
