"""Callbacks of scikit-learn hear of a fit and of its stages, and change nothing."""

import io
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lsec import LSEC, USPEC, EnsembleClustering, LightKMeans
from lsec.datasets import make_smiling_face
from lsec.execution.threads import Display, Displays

callback = pytest.importorskip("sklearn.callback")
FAST = {"n_base": 4, "n_landmarks": 60, "random_state": 0}


class Listener:
    """A callback that notes what it hears."""

    def __init__(self):
        self.heard = []

    def setup(self, estimator, context):
        self.heard.append(("setup", context.task_name))

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context):
        self.heard.append(("end", context.task_name))

    def teardown(self, estimator, context):
        self.heard.append(("teardown", context.task_name))


@pytest.fixture(scope="module")
def X():
    return make_smiling_face(900, random_state=0)[0]


MODELS = [
    LSEC(4, **FAST),
    EnsembleClustering(4, n_base=4, random_state=0),
    USPEC(4, n_landmarks=60, random_state=0),
    LightKMeans(4, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_stages_begin_and_end_within_the_fit(model, X):
    listener = Listener()
    model = clone(model)
    plain = clone(model).fit(X)
    model.set_callbacks(listener).fit(X)
    assert_array_equal(model.labels_, plain.labels_)
    heard = listener.heard
    assert heard[:2] == [("setup", "fit"), ("begin", "fit")]
    assert heard[-2:] == [("end", "fit"), ("teardown", "fit")]
    begun = [name for kind, name in heard if kind == "begin"]
    assert set(model.timings_) <= set(begun)
    for name in set(begun):
        assert heard.count(("begin", name)) == heard.count(("end", name))
    assert begun.count("step") >= len(model.timings_)
    assert not [name for name in vars(model) if "ctx" in name]


def test_a_fit_that_fails_is_torn_down(X):
    listener = Listener()
    model = LSEC(4, **FAST).set_callbacks(listener)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full_like(X, np.nan))
    assert listener.heard[-1] == ("teardown", "fit")
    assert not hasattr(model, "_callback_fit_ctx")
    n_heard = len(listener.heard)
    model.fit(X).predict(X)
    assert listener.heard[n_heard] == ("setup", "fit")


def test_predict_tells_callbacks_nothing(X):
    model = LSEC(4, **FAST).fit(X)
    listener = Listener()
    model.set_callbacks(listener)
    model.predict(X)
    model.labels_at(2, X)
    assert listener.heard == []


def test_the_progress_bar_of_scikit_learn_shows_the_stages(X, monkeypatch):
    pytest.importorskip("rich")
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stdout", shown)
    LSEC(4, **FAST).set_callbacks(callback.ProgressBar()).fit(X)
    for stage in ("landmarks", "eigenvectors", "consensus"):
        assert stage in shown.getvalue()


def test_a_pipeline_passes_its_callbacks_on(X):
    pytest.importorskip("rich")
    pipeline = make_pipeline(StandardScaler(), LSEC(4, **FAST))
    pipeline.set_callbacks(callback.ProgressBar()).fit(X)
    assert len(pipeline[-1].labels_) == len(X)


def test_bars_and_callbacks_hear_the_same(X):
    class Notes(Display):
        def __init__(self):
            self.heard = []

        def start(self, *told):
            self.heard.append(told)

        def advance(self, *told):
            self.heard.append(told)

        def stop(self, seconds):
            self.heard.append(seconds)

    one, other = Notes(), Notes()
    both = Displays(one, other)
    both.start("labels", 2, 100)
    both.advance("labels", 0.5)
    both.stop({"labels": 0.5})
    assert one.heard == other.heard == [("labels", 2, 100), ("labels", 0.5), {"labels": 0.5}]
    listener = Listener()
    LSEC(4, **FAST, verbose=1).set_callbacks(listener).fit(X)
    assert ("begin", "consensus") in listener.heard
