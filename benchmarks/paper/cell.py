"""A cell: one method, with one seed, on one data set, as part of one study."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from benchmarks.harness.data import DataSet
from benchmarks.paper.methods import GRAPH, Method, Way

PARAMETER_OF = {
    "m": "n_base",
    "p": "n_landmarks",
    "K": "n_neighbors",
    "reuse_neighbors": "reuse_neighbors",
    "discretization": "discretization",
}
SIZES = ("N", "d")
VARIED = (*SIZES, *PARAMETER_OF)


@dataclass(frozen=True)
class Cell:
    """One run, whose record is kept.

    Attributes
    ----------
    group, study : str
    data : DataSet
    method : Method
    seed : int
    limit_seconds : float
        Wall time a process may take.
    varied : dict or None
        ``name`` and ``value`` of what the study varies.
    """

    group: str
    study: str
    data: DataSet
    method: Method
    seed: int
    limit_seconds: float
    varied: dict[str, Any] | None = field(default=None)

    def with_varied(self, name: str, value: Any) -> Cell:
        """The cell with one size or parameter set to a value."""
        varied = {"name": name, "value": value}
        if name == "N":
            return replace(self, varied=varied, data=self.data.sized(value))
        if name == "d":
            return replace(self, varied=varied, data=self.data.narrowed(value))
        parameters = {**self.method.parameters, PARAMETER_OF[name]: value}
        return replace(self, varied=varied, method=replace(self.method, parameters=parameters))

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters for the record; a peer tells its own when it is run."""
        if self.method.way is Way.JOIN:
            return {
                "generator": "kmeans",
                **self.method.parameters,
                "consensus": self.method.target,
                **self.method.options,
            }
        return dict(self.method.parameters)

    @cached_property
    def setting(self) -> str:
        """Data, method and parameters: cells of one setting differ in seed or study only."""
        parts = [self.data.name, self.data.request, self.method.name, _settled(self.method)]
        return json.dumps(parts, sort_keys=True)

    @cached_property
    def run(self) -> str:
        """What is computed: cells of one run differ in study only."""
        return f"{self.setting} seed {self.seed}"

    @property
    def ensemble(self) -> str | None:
        """Name of the k-means ensemble that is joined, or None."""
        if self.method.way is not Way.JOIN:
            return None
        made = json.dumps(self.method.parameters, sort_keys=True)
        return f"{self.data.name}-m{self.method.parameters['n_base']}-{_digest(made)}-s{self.seed}"

    @cached_property
    def key(self) -> str:
        """Name of the cell, for its file."""
        varied = "" if self.varied is None else f"-{self.varied['name']}={self.varied['value']}"
        words = f"{self.study}-{self.data.name}-{self.method.name}{varied}-s{self.seed}"
        plain = re.sub(r"[^A-Za-z0-9=._+-]+", "_", words)
        return f"{plain}-{_digest(self.run)}"

    @property
    def title(self) -> str:
        """The cell in words, for people."""
        varied = "" if self.varied is None else f", {self.varied['name']} = {self.varied['value']}"
        return f"{self.study}: {self.data.title}, {self.method.name}{varied}, seed {self.seed}"

    def describe(self) -> dict[str, Any]:
        """The part of the record that is known before the cell is run."""
        return {
            "group": self.group,
            "study": self.study,
            "data": self.data.key,
            "data_title": self.data.title,
            "method": self.method.name,
            "parameters": self.parameters,
            "varied": self.varied,
            "seed": self.seed,
            "n_rows": self.data.n_rows,
            "n_features": self.data.n_features,
            "n_classes": self.data.n_clusters,
            "limit_seconds": self.limit_seconds,
        }


def _settled(method: Method) -> dict[str, Any]:
    """All that is set for a method; naming the value that is the default anyway changes nothing."""
    defaults = (
        {"reuse_neighbors": True, "discretization": "light"} if method.target == "LSEC" else {}
    )
    settled = {**defaults, **method.parameters, **method.options}
    return {name: value for name, value in settled.items() if (name, value) not in GRAPH.items()}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
