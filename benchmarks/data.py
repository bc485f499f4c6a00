"""The data sets of the studies, by short name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class DataSet:
    """A data set of `lsec.datasets` and how to ask for it.

    Attributes
    ----------
    key, title : str
        Its name on the command line, and in tables.
    n_clusters : int
        Number of classes.
    source : str
        The function of `lsec.datasets` that makes or loads it.
    options : dict
        Arguments of that function.
    dtype : str or None
        Type to convert a loaded data set to; None keeps its own.
    """

    key: str
    title: str
    n_clusters: int
    source: str
    options: dict = field(default_factory=dict)
    dtype: str | None = None

    @property
    def made(self) -> bool:
        """Whether the data set is synthetic."""
        return self.source.startswith("make_")

    def sized(self, rows: int, random_state: int = 0) -> DataSet:
        """The same synthetic data set with another number of rows or other rows."""
        return replace(self, options={"n_samples": rows, "random_state": random_state})


def _made(key: str, title: str, n_clusters: int, source: str, millions: int) -> DataSet:
    data = DataSet(key, f"{title}-{millions}M", n_clusters, source)
    return data.sized(millions * 1_000_000)


_ALL = [
    DataSet("pendigits", "PenDigits", 10, "load_pendigits"),
    DataSet("usps", "USPS", 10, "load_usps", {"version": "smoothed"}),
    DataSet("usps_balanced", "USPS, 11,000 rows", 10, "load_usps", {"version": "balanced"}),
    DataSet("letters", "Letters", 26, "load_letters"),
    DataSet("mnist", "MNIST", 10, "load_mnist"),
    DataSet("covertype", "Covertype", 7, "load_covertype"),
    _made("tb", "TB", 2, "make_two_bananas", 1),
    _made("sf", "SF", 4, "make_smiling_face", 2),
    _made("cc", "CC", 3, "make_concentric_circles", 5),
    _made("cg", "CG", 11, "make_circles_gaussians", 10),
    _made("fl", "FL", 13, "make_flower", 20),
]

DATA = {data.key: data for data in _ALL}
PAPER_SETS = [key for key in DATA if key != "usps_balanced"]
