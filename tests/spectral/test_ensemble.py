"""Ensembles of spectral members: plans clipped to the landmarks, and labels column by column."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lsec.rows.frame import Frame, rows_of
from lsec.spectral.base_clustering import Member, MemberPlan
from lsec.spectral.ensemble import Ensemble, LandmarkSet, plan_set
from lsec.spectral.gram import KERNELS, Affinity
from lsec.spectral.landmarks import divide_and_conquer
from tests.inputs import normal_points


@pytest.fixture(scope="module")
def rows():
    return rows_of(normal_points(np.random.default_rng(0), 500, 2))


def tree_of(rows, n_landmarks):
    rng = np.random.default_rng(n_landmarks)
    return divide_and_conquer(rows, 4, rng, n_landmarks=n_landmarks, alpha=5)


def random_set(rows, n_landmarks, clusters):
    """Landmarks with members of random vectors and centers."""
    rng = np.random.default_rng(1)
    members = []
    for n_neighbors, n_clusters in zip((2, 4), clusters, strict=True):
        vectors, centers = normal_points(rng, n_landmarks, 3), normal_points(rng, n_clusters, 3)
        affinity = Affinity(n_neighbors, np.float32(1), 1)
        members.append(Member.of(affinity, vectors, np.ones(3), centers))
    return LandmarkSet(tree_of(rows, n_landmarks), members)


def test_plans_ask_for_no_more_than_the_landmarks(rows):
    tree = tree_of(rows, 5)
    plan = plan_set(tree, [MemberPlan(2, 3), MemberPlan(9, 40)], rows, KERNELS["gaussian"])
    assert [(m.n_neighbors, m.n_clusters) for m in plan.members] == [(2, 3), (5, 5)]
    assert plan.task.n_neighbors == plan.sample.landmarks.shape[1] == 5
    # Members share one search: the K_j nearest are its first K_j columns.
    for member, affinity in zip(plan.members, plan.task.affinities, strict=True):
        squared = plan.sample.squared[:, : member.n_neighbors]
        assert affinity == KERNELS["gaussian"].affinity(squared)


def test_labels_are_those_of_the_members_set_by_set(rows):
    sets = [random_set(rows, 20, (6, 7)), random_set(rows, 30, (8, 9))]
    ensemble = Ensemble(Frame(np.zeros(2), np.zeros(2), 1.0), sets)
    assert ensemble.n_clusters == [6, 7, 8, 9]
    assert ensemble.searches == [(sets[0].landmarks, 4), (sets[1].landmarks, 4)]
    near = [rows.neighbors(tree, k) for tree, k in ensemble.searches]
    labels = ensemble.label(near, 500)
    assert labels.dtype == np.uint8
    expected = np.empty(500, np.uint8)
    for j, member in enumerate(ensemble.members):
        member.label(near[j // 2], expected)
        assert_array_equal(labels[:, j], expected)


@pytest.mark.parametrize(("n_landmarks", "dtype"), [(60, np.uint8), (300, np.uint16)])
def test_the_finest_column_is_the_nearest_landmark(rows, n_landmarks, dtype):
    group = random_set(rows, n_landmarks, (6, 7))
    ensemble = Ensemble(Frame(np.zeros(2), np.zeros(2), 1.0), [group]).finer(500, None)
    near = rows.neighbors(group.landmarks, 4)
    labels = ensemble.label([near], 500)
    assert labels.dtype == dtype
    assert_array_equal(ensemble.n_labels, [6, 7, n_landmarks])
    assert_array_equal(labels[near.order, 2], near.landmarks[:, 0])
