"""Records of fitted ensembles (frame, landmarks, members, k-means centers) and of consensus.

The tables `scores` and `offsets` of a member are written, because they come from matrix products
that another machine may round differently. `shortcuts` are computed again on loading; no label
depends on them.

Micro-clusters are written with their weights, without the micro-cluster of every row. Votes
and cluster numbers are computed from them again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lsec import checks
from lsec.consensus.bipartite_graph import Embedding, NearestCenter
from lsec.consensus.consensus import Consensus
from lsec.consensus.methods import Joined
from lsec.consensus.micro_clusters import MicroClusters
from lsec.consensus.number_of_clusters import Evidence
from lsec.model_files.fields import (
    ANY,
    FLAG,
    Array,
    Choice,
    ListOf,
    Maybe,
    Names,
    Place,
    Real,
    Record,
    Whole,
)
from lsec.rows.categories import Categories
from lsec.rows.dense import MOST_COLUMNS
from lsec.rows.frame import Frame
from lsec.rows.rows import Landmarks, Routes
from lsec.spectral.base_clustering import Member
from lsec.spectral.ensemble import Ensemble, LandmarkSet
from lsec.spectral.gram import KERNELS, Affinity
from lsec.spectral.kmeans_ensemble import KMeansEnsemble
from lsec.spectral.table_ensemble import TableEnsemble
from lsec.typing import AnyArray, Float32, Float64, Int32, Int64

REACH = 2.0  # the sample from which landmarks come lies in [-1, 1] of the working frame
LONGEST = 2.0**16  # of projected rows, whose features may number thousands
LARGEST_FLOAT32 = float(np.finfo(np.float32).max)
MOST_CLUSTERS = 2**31 - 1


def _build_frame(place: Place, **fields: Any) -> Frame:
    scale, basis = fields["scale"], fields["basis"]
    place.require(np.frexp(scale)[0] == 0.5, f"has the scale {scale}, which is no power of two")
    place.sizes["width"] = place.sizes["d"] if basis is None else basis.shape[1]
    frame = Frame(**fields)
    place.require(frame.of_sparse or not frame.from_sparse, "is of sparse rows, but has a center")
    projects = frame.from_sparse and basis is not None
    place.require(projects or not frame.keeps_lengths, "keeps lengths, but projects no sparse rows")
    return frame


def _build_landmarks(place: Place, points: Float32, routes: Routes | None) -> Landmarks:
    """Return landmarks that are the leaves of the tree in their routes, if there are any."""
    p, width = points.shape
    most = checks.MOST_LANDMARKS
    place.require(p <= most, f"has {p} landmarks, more than {most}")
    routed = width <= MOST_COLUMNS
    place.require(routed == (routes is not None), "has routes for many features, or none for few")
    if routes is not None:
        leaf = np.flatnonzero(routes.landmark_of >= 0)
        same = np.array_equal(routes.centers[leaf], points[routes.landmark_of[leaf]])
        place.require(same, "has routes that end elsewhere")
    place.sizes["near"] = p if routes is None else routes.candidates.shape[1]
    return Landmarks(points, routes)


def _build_routes(place: Place, **tables: AnyArray) -> Routes:
    """Return a tree in which every path ends at a leaf, with one leaf per landmark."""
    p, n_nodes = place.sizes["p"], place.sizes["nodes"]
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
    candidates, gaps = tables["candidates"], tables["gaps"]
    place.require(candidates.shape[1] <= p, "has more candidates than landmarks")
    itself_first = np.array_equal(candidates[:, 0], np.arange(p))
    place.require(itself_first, "has candidates that do not start with the landmark itself")
    place.require((np.diff(gaps, axis=1) >= 0).all(), "has gaps that do not ascend")
    widest = 2 * REACH * np.sqrt(place.sizes["width"])
    place.require(gaps.max() <= widest, "has gaps wider than its landmarks lie")
    return Routes(**tables)


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
        "basis": Maybe(Array("float32", ("d", "width"), -REACH, REACH)),
        "unit_rows": FLAG,
        "from_sparse": FLAG,
        "keeps_lengths": FLAG,
    },
    _build_frame,
    exports=("width",),
)

ROUTES = Record(
    Routes,
    {
        "candidates": Array("uint16", ("p", "near"), below="p"),
        "gaps": Array("float32", ("p", "near"), low=0),
        "centers": Array("float32", ("nodes", "width"), -REACH, REACH),
        "first_child": Array("int32", ("nodes",), low=0, below="nodes"),
        "n_children": Array("int32", ("nodes",), low=0, below="nodes"),
        "landmark_of": Array("int32", ("nodes",), low=-1, below="p"),
    },
    _build_routes,
)

LANDMARKS = Record(
    Landmarks,
    {"points": Array("float32", ("p", "width"), -LONGEST, LONGEST), "routes": Maybe(ROUTES)},
    _build_landmarks,
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
        "centers": Array("float32", ("k", "axes"), -LONGEST, LONGEST),
        "scores": Array("float32", ("p", "k"), -LONGEST, LONGEST),  # padding lies beyond
        "offsets": Array("float32", ("k",), 0, LONGEST),
    },
    _build_member,
    _member_values,
)

LANDMARK_SET = Record(LandmarkSet, {"landmarks": LANDMARKS, "members": ListOf(MEMBER)})

ENSEMBLE = Record(Ensemble, {"frame": FRAME, "sets": ListOf(LANDMARK_SET), "finest": FLAG})


def _build_categories(
    place: Place, positions: Int64, levels: list[list[str]], scales: Float64 | None
) -> Categories:
    """Return the columns; only the other ones are features of the members."""
    n_columns = place.sizes["d"]
    fits = (np.diff(positions) > 0).all() and len(levels) == len(positions)
    place.require(fits and positions[-1] < n_columns, "does not have values for its columns")
    place.sizes["d"] = n_columns - len(positions)
    one_each = scales is None or len(scales) == place.sizes["d"]
    place.require(one_each, "does not have a scale for every numeric column")
    return Categories(positions, levels, scales)


CATEGORIES = Record(
    Categories,
    {
        "positions": Array("int64", (ANY,), low=0),
        "levels": ListOf(Names()),
        "scales": Maybe(Array("float64", (ANY,), low=1e-300)),
    },
    _build_categories,
    exports=("d",),
)


def _build_table_ensemble(
    place: Place, categories: Categories, weight: int, numeric: Ensemble | None
) -> TableEnsemble:
    fits = (numeric is None) == (place.sizes["d"] == 0)
    place.require(fits, "does not have members for its numeric columns")
    return TableEnsemble(numeric, categories, weight)


TABLE_ENSEMBLE = Record(
    TableEnsemble,
    {"categories": CATEGORIES, "weight": Whole(1, 100), "numeric": Maybe(ENSEMBLE)},
    _build_table_ensemble,
)

KMEANS_ENSEMBLE = Record(
    KMeansEnsemble, {"frame": FRAME, "centers": ListOf(Array("float32", ("any", "width")))}
)


def _build_micro(
    place: Place, labels: AnyArray, weights: Float64, n_labels: Int64
) -> MicroClusters:
    place.require((labels <= n_labels).all(), "has labels beyond those of their base clustering")
    return MicroClusters(labels, weights, np.empty(0, np.int32), n_labels)


def _build_embedding(place: Place, vectors: Float64, n_labels: Int64) -> Embedding:
    fits = len(vectors) == int(n_labels.sum()) + 1 and not vectors[-1].any()
    place.require(fits, "does not have one vector per base cluster and a last one of zeros")
    return Embedding(vectors, n_labels)


def _consensus_values(consensus: Consensus) -> dict[str, Any]:
    """Return the fields of a consensus; labels that do not occur have rank 0."""
    found = np.unique(consensus._joined.labels)
    rank = np.zeros_like(consensus._rank)
    rank[found] = consensus._rank[found]
    return {**vars(consensus), "joined": consensus._joined, "rank": rank}


def _build_consensus(
    place: Place,
    micro: MicroClusters,
    n_clusters: int,
    evidence: Evidence | None,
    joined: Joined,
    rank: Int32,
    least_confidence: Float64 | None,
) -> Consensus:
    place.require(joined.labels.max() < len(rank), "has clusters without a number")
    micro_labels = rank[joined.labels]
    every = np.array_equal(np.unique(micro_labels), np.arange(n_clusters))
    place.require(every, f"does not have micro-clusters in each of {n_clusters} clusters")
    place.require(rank.max() < n_clusters, "has numbers beyond its clusters")
    if isinstance(joined.predict, NearestCenter):
        same = np.array_equal(joined.predict.embedding.n_labels, micro.n_labels)
        place.require(same, "predicts from other base clusterings than it was made from")
        place.require(len(joined.predict.centers) <= len(rank), "has centers without a number")
    joined = replace(joined, evidence=evidence)
    one_each = least_confidence is None or len(least_confidence) == n_clusters
    place.require(one_each, "does not have a least confidence for every cluster")
    return Consensus(micro, micro_labels, n_clusters, evidence, joined, rank, least_confidence)


MICRO_CLUSTERS = Record(
    MicroClusters,
    {
        "labels": Array("uint8 uint16 uint32", ("micro", "m")),
        "weights": Array("float64", ("micro",), low=1),
        "n_labels": Array("int64", ("m",), low=1, high=MOST_CLUSTERS),
    },
    _build_micro,
    exports=("micro", "m"),
)

EVIDENCE = Record(
    Evidence,
    {
        "criterion": Choice(("eigengap", "lifetime", "worth")),
        "candidates": Array("int64", ("candidates",), low=2),
        "scores": Array("float64", ("candidates",)),
        "values": Array("float64 float32", (ANY,)),
    },
)

EMBEDDING = Record(
    Embedding,
    {
        "vectors": Array("float64", ("slots", "axes")),
        "n_labels": Array("int64", ("m",), low=1, high=MOST_CLUSTERS),
    },
    _build_embedding,
    exports=("axes",),
)

NEAREST_CENTER = Record(
    NearestCenter, {"embedding": EMBEDDING, "centers": Array("float32", ("centers", "axes"))}
)

JOINED = Record(
    Joined,
    {"labels": Array("int32", ("micro",), low=0), "predict": Maybe(NEAREST_CENTER)},
    values=lambda joined: {**vars(joined), "labels": joined.labels.astype(np.int32)},
)

CONSENSUS = Record(
    Consensus,
    {
        "micro": MICRO_CLUSTERS,
        "n_clusters": Whole(1, "micro"),
        "evidence": Maybe(EVIDENCE),
        "joined": JOINED,
        "rank": Array("int32", (ANY,), low=0),
        "least_confidence": Maybe(Array("float64", (ANY,), 0, 1)),
    },
    _build_consensus,
    _consensus_values,
)
