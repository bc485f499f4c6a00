"""Refinement: Lloyd steps of the members over all rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.spectral.base_clustering import Member, embed
from lsec.spectral.ensemble import (
    CENTER_TOLERANCE,
    LandmarkSet,
    move_centers,
    settle,
    sums_of_block,
)
from lsec.spectral.gram import Affinity
from tests.inputs import normal_points, random_neighbors, seeds

P, C = 30, 5


def random_member(rng, k):
    """A member whose centers are of unit length, as those of unit vectors nearly are."""
    centers = normal_points(rng, k, C)
    centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    vectors = normal_points(rng, P, C)
    return Member.of(Affinity(4, np.float32(1), 1), vectors, np.ones(C), centers)


def group_of(*members):
    return LandmarkSet(None, list(members))


def sums_of(group, near):
    """Sums of a block by the names that `move_centers` takes."""
    arrays = iter(sums_of_block([group], [near]))
    members = range(len(group.members))
    return {f"{kind}-{j}": next(arrays) for j in members for kind in ("sums", "counts")}


@given(seed=seeds, n=st.integers(1, 300))
def test_centers_move_to_the_means_of_their_rows(seed, n):
    rng = np.random.default_rng(seed)
    group = group_of(random_member(rng, 4), random_member(rng, 7))
    near = random_neighbors(rng, n, P, 4, shuffled=True)
    moved, _ = move_centers(group, sums_of(group, near))
    for member, after in zip(group.members, moved.members, strict=True):
        labels = np.empty(n, np.uint8)
        member.label(near, labels)
        embedded = embed(near, member.affinity, member.vectors)
        for c in range(member.n_clusters):
            mine = embedded[labels == c]
            expected = mine.mean(axis=0) if len(mine) else member.centers[c]
            np.testing.assert_allclose(after.centers[c], expected, atol=1e-4)


@pytest.mark.parametrize(("step", "settled"), [(0.9, True), (1.1, False)])
def test_a_set_has_settled_when_no_center_moves_by_more_than_the_tolerance(step, settled):
    rng = np.random.default_rng(0)
    group = group_of(random_member(rng, 4), random_member(rng, 7))
    sums = {}
    for j, member in enumerate(group.members):
        counts = np.full(member.n_clusters, 10.0)
        sums |= {f"sums-{j}": member.centers * counts[:, None], f"counts-{j}": counts}
    sums["sums-1"][3, 2] += 10 * step * CENTER_TOLERANCE
    assert move_centers(group, sums)[1] == settled


def test_a_settled_set_has_no_products_of_landmarks():
    rng = np.random.default_rng(0)
    group = group_of(random_member(rng, 4))
    sums_of(group, random_neighbors(rng, 10, P, 4))
    assert "inner" in vars(group.members[0])
    (member,) = settle(group).members
    assert "inner" not in vars(member)
    np.testing.assert_array_equal(member.centers, group.members[0].centers)
