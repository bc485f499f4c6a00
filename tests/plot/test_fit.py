"""Evidence and timings."""

import pytest
from numpy.testing import assert_allclose

from lsec import LSEC, plot


def test_evidence_marks_the_number_that_was_chosen(face):
    X, _ = face
    model = LSEC("auto", n_base=6, random_state=0).fit(X[:600])
    ax = plot.evidence(model)
    scores, mark = ax.lines
    assert_allclose(scores.get_xdata(), model.evidence_.candidates)
    assert_allclose(scores.get_ydata(), model.evidence_.scores)
    assert mark.get_xdata()[0] == model.n_clusters_


def test_a_given_number_has_no_evidence(face):
    with pytest.raises(ValueError, match="n_clusters='auto'"):
        plot.evidence(face[1])


def test_timings_has_a_bar_per_stage(face):
    _, model = face
    ax = plot.timings(model)
    assert_allclose([bar.get_width() for bar in ax.patches], list(model.timings_.values()))
    assert [text.get_text() for text in ax.get_yticklabels()] == list(model.timings_)


def test_a_picture_is_drawn_into_the_given_axes(face):
    from matplotlib import pyplot as plt

    ax = plt.subplots()[1]
    assert plot.timings(face[1], ax=ax) is ax
