"""The data sets of the studies, by short name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class DataSet:
    """A data set and how to ask for it.

    Attributes
    ----------
    key, title : str
        Its name on the command line, and in tables.
    n_rows, n_features, n_clusters : int
        Rows, features and classes.
    source : str
        The function of `lsec.datasets` or `benchmarks.harness.embeddings` that makes or loads it.
    options : dict
        Arguments of that function.
    dtype : str or None
        Type to convert a loaded data set to; None keeps its own.
    part : dict
        How many ``rows`` and ``columns`` to keep of a loaded data set, where not all.
    """

    key: str
    title: str
    n_rows: int
    n_features: int
    n_clusters: int
    source: str
    options: dict[str, Any] = field(default_factory=dict)
    dtype: str | None = None
    part: dict[str, int] = field(default_factory=dict)

    @property
    def made(self) -> bool:
        """Whether the data set is synthetic."""
        return self.source.startswith("make_")

    @property
    def name(self) -> str:
        """A name for files that tells versions of a data set apart."""
        return f"{self.key}-{self.n_rows}x{self.n_features}"

    @property
    def request(self) -> dict[str, Any]:
        """Arguments of the task that writes it to a folder, `benchmarks.harness.tasks.stage`."""
        names = ("source", "options", "dtype", "part")
        return {name: getattr(self, name) for name in names}

    def sized(self, rows: int, random_state: int = 0) -> DataSet:
        """The same data set with another number of rows, or other rows if it is synthetic."""
        short = self.title.split("-")[0].split(",")[0]
        if self.made:
            options = {"n_samples": rows, "random_state": random_state}
            title = f"{short}-{count(rows)}"
            return replace(self, title=title, n_rows=rows, options=options)
        if rows >= self.n_rows:
            return self
        part = {**self.part, "rows": rows}
        return replace(self, title=f"{short}, {rows:,} rows", n_rows=rows, part=part)

    def as_float32(self) -> DataSet:
        """The same data set with rows of float32, as those of synthetic ones are."""
        return self if self.made else replace(self, dtype="float32")

    def narrowed(self, columns: int) -> DataSet:
        """A loaded data set with some of its columns."""
        if columns >= self.n_features:
            return self
        return replace(self, n_features=columns, part={**self.part, "columns": columns})


def count(rows: int) -> str:
    """A number of rows as it stands in the name of a synthetic data set.

    >>> count(20_000_000), count(50_000), count(1234)
    ('20M', '50k', '1234')
    """
    for unit, letter in ((1_000_000, "M"), (1000, "k")):
        if rows % unit == 0:
            return f"{rows // unit}{letter}"
    return str(rows)


def _made(key: str, title: str, rows: int, n_clusters: int, source: str) -> DataSet:
    return DataSet(key, title, rows, 2, n_clusters, source).sized(rows)


_ALL = [
    DataSet("pendigits", "PenDigits", 10_992, 16, 10, "load_pendigits"),
    DataSet("usps", "USPS", 9_298, 256, 10, "load_usps", {"version": "smoothed"}),
    DataSet(
        "usps_balanced", "USPS, 11,000 rows", 11_000, 256, 10, "load_usps", {"version": "balanced"}
    ),
    DataSet("letters", "Letters", 20_000, 16, 26, "load_letters"),
    DataSet("mnist", "MNIST", 70_000, 784, 10, "load_mnist"),
    DataSet("covertype", "Covertype", 581_012, 54, 7, "load_covertype"),
    _made("tb", "TB", 1_000_000, 2, "make_two_bananas"),
    _made("sf", "SF", 2_000_000, 4, "make_smiling_face"),
    _made("cc", "CC", 5_000_000, 3, "make_concentric_circles"),
    _made("cg", "CG", 10_000_000, 11, "make_circles_gaussians"),
    _made("fl", "FL", 20_000_000, 13, "make_flower"),
]

DATA = {data.key: data for data in _ALL}
PAPER_SETS = [key for key in DATA if key != "usps_balanced"]
