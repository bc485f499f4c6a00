"""Records of fitted ensembles: frame, landmark trees, members, k-means centers.

Landmarks are the leaves of their tree and are not written again. The tables `scores` and
`offsets` of a member are written, because they come from matrix products that another machine
may round differently. `shortcuts` are computed again on loading; no label depends on them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lsec import checks
from lsec.model_files.fields import FLAG, Array, Choice, ListOf, Place, Real, Record, Whole
from lsec.rows.frame import Frame
from lsec.rows.rows import LandmarkTree
from lsec.spectral.affinity import KERNELS, Affinity
from lsec.spectral.base_clustering import Member
from lsec.spectral.ensemble import Ensemble, LandmarkSet
from lsec.spectral.kmeans_ensemble import KMeansEnsemble
from lsec.typing import AnyArray, Float32, Float64, UInt16

REACH = 2.0  # the sample from which landmarks come lies in [-1, 1] of the working frame
LARGEST_FLOAT32 = float(np.finfo(np.float32).max)


def _build_frame(place: Place, anchor: Float64, offset: Float64, scale: float) -> Frame:
    place.require(np.frexp(scale)[0] == 0.5, f"has the scale {scale}, which is no power of two")
    return Frame(anchor, offset, scale)


def _build_tree(place: Place, **tables: AnyArray) -> LandmarkTree:
    """Return a tree in which every path ends at a leaf, with one leaf per landmark."""
    p, n_nodes = place.sizes["p"], place.sizes["nodes"]
    most = checks.MOST_LANDMARKS
    place.require(p <= most, f"has {p} landmarks, more than {most}")
    place.require(n_nodes <= 2 * p + 1, f"has {n_nodes} nodes for {p} landmarks")
    leaf = np.flatnonzero(tables["landmark_of"] >= 0)
    of_leaf = tables["landmark_of"][leaf]
    one_each = np.array_equal(np.sort(of_leaf), np.arange(p))
    place.require(one_each, "does not have exactly one leaf for every landmark")
    inner = np.flatnonzero(tables["landmark_of"] < 0)
    first, count = tables["first_child"][inner].astype(np.int64), tables["n_children"][inner]
    place.require((first > inner).all() and (count > 0).all(), "has nodes that lead nowhere")
    order = np.argsort(first)
    follow = np.cumsum(np.append(1, count[order]))
    once = np.array_equal(first[order], follow[:-1]) and follow[-1] == n_nodes
    place.require(once, "has nodes that are not the child of exactly one other")
    _check_candidates(place, tables["candidates"], tables["gaps"])
    node_of = np.empty(p, np.int64)
    node_of[of_leaf] = leaf
    return LandmarkTree(**tables, landmarks=tables["centers"][node_of])


def _check_candidates(place: Place, candidates: UInt16, gaps: Float32) -> None:
    """Check the candidate neighbors (p, near) of every landmark, and their distances."""
    p, d = place.sizes["p"], place.sizes["d"]
    place.require(candidates.shape[1] <= p, "has more candidates than landmarks")
    itself_first = np.array_equal(candidates[:, 0], np.arange(p))
    place.require(itself_first, "has candidates that do not start with the landmark itself")
    place.require((np.diff(gaps, axis=1) >= 0).all(), "has gaps that do not ascend")
    place.require(gaps.max() <= 2 * REACH * np.sqrt(d), "has gaps wider than its landmarks lie")


def _member_values(member: Member) -> dict[str, Any]:
    """Return the fields of a member, tables without their padding."""
    power = member.affinity.power
    kernel = next(kernel.name for kernel in KERNELS.values() if kernel.power == power)
    tables = {"scores": member.scores, "offsets": member.offsets}
    return {**vars(member), **member.affinity._asdict(), **tables, "kernel": kernel}


def _build_member(
    place: Place, n_neighbors: int, rate: float, kernel: str, **arrays: Any
) -> Member:
    place.require(rate <= LARGEST_FLOAT32, f"has the rate {rate}")
    affinity = Affinity(n_neighbors, np.float32(rate), KERNELS[kernel].power)
    return Member.from_scores(affinity, **arrays)


FRAME = Record(
    Frame,
    {
        "anchor": Array("float64", ("d",)),
        "offset": Array("float64", ("d",)),
        "scale": Real(),
    },
    _build_frame,
)

TREE = Record(
    LandmarkTree,
    {
        "candidates": Array("uint16", ("p", "near"), below="p"),
        "gaps": Array("float32", ("p", "near"), low=0),
        "centers": Array("float32", ("nodes", "d"), -REACH, REACH),
        "first_child": Array("int32", ("nodes",), low=0, below="nodes"),
        "n_children": Array("int32", ("nodes",), low=0, below="nodes"),
        "landmark_of": Array("int32", ("nodes",), low=-1, below="p"),
    },
    _build_tree,
    exports=("p", "near"),
)

MEMBER = Record(
    Member,
    {
        "n_neighbors": Whole(1, "near"),
        "rate": Real(),
        "kernel": Choice(tuple(KERNELS)),
        "vectors": Array("float32", ("p", "axes"), -REACH, REACH),
        "eigenvalues": Array("float64", ("axes",)),
        "centers": Array("float32", ("k", "axes")),
        "scores": Array("float32", ("p", "k")),
        "offsets": Array("float32", ("k",)),
    },
    _build_member,
    _member_values,
)

LANDMARK_SET = Record(
    LandmarkSet,
    {"tree": TREE, "members": ListOf(MEMBER)},
    lambda place, tree, members: LandmarkSet(tree, members),
)

ENSEMBLE = Record(
    Ensemble,
    {"frame": FRAME, "sets": ListOf(LANDMARK_SET), "finest": FLAG},
    lambda place, frame, sets, finest: Ensemble(frame, sets, finest),
)

KMEANS_ENSEMBLE = Record(
    KMeansEnsemble,
    {"frame": FRAME, "centers": ListOf(Array("float32", ("any", "d")))},
    lambda place, frame, centers: KMeansEnsemble(frame, centers),
)
