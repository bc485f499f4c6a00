"""The methods of the paper: how each is run, and the parameters that the paper gives it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from benchmarks.paper.peers import PEERS

MEMBERS = {"n_base": 20, "base_clusters": [20, 60]}
# Of every spectral method; a cell that names them is the cell of the records that do not.
GRAPH: dict[str, Any] = {"n_landmarks": 1000, "projection": None}


class Way(Enum):
    """How a method is run."""

    FIT = "an estimator of lsec"
    JOIN = "a consensus function on a k-means ensemble, which is made once for all of them"
    PEER = "another library"


@dataclass(frozen=True)
class Method:
    """A method.

    Attributes
    ----------
    name : str
        Its name in tables.
    way : Way
    target : str
        Estimator, consensus function or peer.
    parameters : dict
        Of the estimator, or of the generator of the ensemble.
    options : dict
        Of the consensus function.
    """

    name: str
    way: Way
    target: str
    parameters: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


_FITTED = [
    Method("DnC-SC", Way.FIT, "DnCSC", GRAPH),
    Method("U-SENC", Way.FIT, "USENC", {**MEMBERS, **GRAPH}),
    Method("LSEC", Way.FIT, "LSEC", {**MEMBERS, **GRAPH, "consensus": "bipartite"}),
    Method("LSEC+", Way.FIT, "LSEC", {**MEMBERS, **GRAPH, "consensus": "linkage"}),
    Method(
        "LSEC++",
        Way.FIT,
        "LSEC",
        {**MEMBERS, **GRAPH, "consensus": "linkage", "n_landmarks": 2000},
    ),
]
_JOINED = [
    *(
        Method(name, Way.JOIN, name.lower(), MEMBERS)
        for name in ("EAC", "KCC", "PTGP", "SEC", "LWEA", "LWGP")
    ),
    Method("ECC", Way.JOIN, "kcc", MEMBERS, {"utility": "entropy"}),
]
_PEERS = [Method(name, Way.PEER, name) for name in PEERS]

METHODS = {method.name: method for method in (*_FITTED, *_JOINED, *_PEERS)}
