"""Confidence, agreement, co-association and its distribution."""

import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from lsec import USPEC, MicroClusters, consensus, plot
from lsec.metrics import agreement_matrix
from lsec.plot.ensemble import group_coassociation, pair_coassociation, runs, weighted_quantiles

MATRIX = np.array([[0, 0, 0, 1, 1, 1, 1, 2], [0, 0, 1, 1, 1, 1, 1, 0], [3, 3, 3, 3, 1, 1, 0, 0]]).T


def coassociation_of_rows(matrix):
    return (matrix[:, None] == matrix[None]).mean(axis=2)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), min_size=1, max_size=20))
def test_weighted_quantiles_are_those_of_repeated_values(pairs):
    values, weights = np.array(pairs).T
    shares = (0.05, 0.25, 0.5, 0.95)
    repeated = np.quantile(np.repeat(values, weights), shares, method="inverted_cdf")
    assert_array_equal(weighted_quantiles(values, weights.astype(float), shares), repeated)


def test_confidence_draws_the_median_of_every_cluster(face):
    _, model = face
    lines = plot.confidence(model).lines[2::3]
    of = [model.confidence_[model.labels_ == c] for c in range(4)]
    medians = [np.quantile(one, 0.5, method="inverted_cdf") for one in of]
    assert_allclose([line.get_xdata()[0] for line in lines], medians)


def test_members_draws_the_agreement_matrix(face):
    _, model = face
    drawn = plot.members(model).images[0].get_array()
    assert_allclose(drawn, agreement_matrix(model.base_labels_))


def test_group_coassociation_is_the_mean_over_pairs_of_rows():
    micro = MicroClusters.from_labels(MATRIX)
    groups = np.arange(len(micro), dtype=np.int32) % 3
    of_row, pairs = groups[micro.of_row], coassociation_of_rows(MATRIX)
    expected = [
        [pairs[np.ix_(of_row == a, of_row == b)].mean() for b in range(3)] for a in range(3)
    ]
    assert_allclose(group_coassociation(micro, groups), expected)


def test_coassociation_is_drawn_in_the_order_of_the_tree(face):
    _, model = face
    ax = plot.coassociation(model)
    drawn = np.asarray(ax.images[0].get_array())
    assert_allclose(drawn, drawn.T)
    order = [int(text.get_text()) for text in ax.get_xticklabels()]
    shares = np.bincount(model.labels_)[order] / len(model.labels_)
    ends = np.rint(600 * np.append(0, np.cumsum(shares))).astype(int)
    for low, high in pairwise(ends):  # clusters are blocks on the diagonal
        assert (
            drawn[low:high, low:high].mean()
            > 5 * np.delete(drawn[low:high], np.s_[low:high], axis=1).mean()
        )


def test_pairs_of_rows_have_the_distribution_of_all_pairs():
    micro = MicroClusters.from_labels(MATRIX)
    values = pair_coassociation(micro, 200_000)
    for value in np.unique(coassociation_of_rows(MATRIX)):
        share = (coassociation_of_rows(MATRIX) <= value).mean()
        assert_allclose((values <= value).mean(), share, atol=0.01)


def test_pairs_count_the_members_in_which_both_have_a_label():
    micro = MicroClusters.from_labels(np.array([[0, 0, 0], [1, -1, -1]]).T)
    assert_array_equal(np.unique(pair_coassociation(micro, 1000)), [1.0])


def test_cdf_names_area_and_gain():
    models = [consensus(MATRIX, k, "eac", full_output=True) for k in (2, 3)]
    texts = [text.get_text() for text in plot.cdf(models).get_legend().get_texts()]
    area = 1 - coassociation_of_rows(MATRIX).mean()
    assert [text.partition(":")[0] for text in texts] == ["k = 2", "k = 3"]
    assert_allclose(float(texts[0].split()[-1]), area, atol=0.01)
    assert texts[1].endswith("gain +0.0%")


def test_runs_of_equal_labels():
    labels, borders = runs(np.array([1, 1, 0, 2, 2]), np.arange(1.0, 6.0))
    assert_array_equal(labels, [1, 0, 2])
    assert_array_equal(borders, [0, 2, 3, 5])


def test_a_model_without_consensus_is_refused():
    model = USPEC(2, n_landmarks=20, random_state=0).fit(np.random.default_rng(0).random((50, 2)))
    with pytest.raises(TypeError, match=r"LSEC, USENC or EnsembleClustering.* got USPEC"):
        plot.members(model)


def test_without_matplotlib_the_error_names_the_extra(face, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install 'lsec\[plot\]'"):
        plot.members(face[1])
