"""Records of a consensus: micro-clusters, their clusters, the rule for new label rows.

Micro-clusters are written with their weights, without the micro-cluster of every row. Votes
and cluster numbers are computed from them again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lsec.consensus.bipartite_graph import Embedding, NearestCenter
from lsec.consensus.consensus import Consensus
from lsec.consensus.methods import Joined
from lsec.consensus.micro_clusters import MicroClusters
from lsec.consensus.number_of_clusters import Evidence
from lsec.model_files.fields import ANY, Array, Choice, Maybe, Place, Record, Whole
from lsec.typing import AnyArray, Float64, Int32, Int64

MOST_CLUSTERS = 2**31 - 1


def _build_micro(
    place: Place, labels: AnyArray, weights: Float64, n_labels: Int64
) -> MicroClusters:
    place.require((labels <= n_labels).all(), "has labels beyond those of their base clustering")
    return MicroClusters(labels, weights, np.empty(0, np.int32), n_labels)


def _build_evidence(place: Place, **values: Any) -> Evidence:
    return Evidence(**values)


def _build_embedding(place: Place, vectors: Float64, n_labels: Int64) -> Embedding:
    fits = len(vectors) == int(n_labels.sum()) + 1 and not vectors[-1].any()
    place.require(fits, "does not have one vector per base cluster and a last one of zeros")
    return Embedding(vectors, n_labels)


def _joined_values(joined: Joined) -> dict[str, Any]:
    return {"labels": joined.labels.astype(np.int32), "predict": joined.predict}


def _build_joined(place: Place, labels: Int32, predict: NearestCenter | None) -> Joined:
    return Joined(labels, None, predict)


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
    return Consensus(micro, micro_labels, n_clusters, evidence, joined, rank)


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
        "criterion": Choice(("eigengap", "lifetime")),
        "candidates": Array("int64", ("candidates",), low=2),
        "scores": Array("float64", ("candidates",)),
        "values": Array("float64 float32", (ANY,)),
    },
    _build_evidence,
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
    NearestCenter,
    {"embedding": EMBEDDING, "centers": Array("float32", ("centers", "axes"))},
    lambda place, embedding, centers: NearestCenter(embedding, centers),
)

JOINED = Record(
    Joined,
    {"labels": Array("int32", ("micro",), low=0), "predict": Maybe(NEAREST_CENTER)},
    _build_joined,
    _joined_values,
)

CONSENSUS = Record(
    Consensus,
    {
        "micro": MICRO_CLUSTERS,
        "n_clusters": Whole(1, "micro"),
        "evidence": Maybe(EVIDENCE),
        "joined": JOINED,
        "rank": Array("int32", (ANY,), low=0),
    },
    _build_consensus,
    _consensus_values,
)
