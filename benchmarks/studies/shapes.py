"""Small data sets of many shapes, beside other clusterings.

Data sets like those of the public suite clustering-data-v1 (`benchmarks/harness/shapes`: 120 to
10,000 rows, drawn anew for every seed), rows as they are. `LSEC` with default parameters, and
clusterings of scikit-learn and genieclust, all with the true number of clusters; one that is not
installed is left out. Adjusted Rand index in percent. For information: there are no targets.

References
----------
M. Gagolewski, "A framework for benchmarking clustering algorithms", SoftwareX 20, 2022.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from statistics import mean
from typing import Any

from benchmarks.harness import study_tasks
from benchmarks.harness.process import measure
from benchmarks.harness.shapes import BATTERIES, SHAPES
from benchmarks.harness.store import Record
from benchmarks.pages.numbers import percent
from benchmarks.pages.table import Table
from benchmarks.studies.figures import NOT_YET, runs_of, table
from benchmarks.studies.study import Cells, Session


@dataclass(frozen=True)
class Method:
    """A clustering with a scikit-learn interface.

    Attributes
    ----------
    module, estimator : str
    parameters : dict
        Those that differ from the defaults.
    counts : str
        The parameter that takes the number of clusters.
    seeded : bool
        Whether it takes ``random_state``.
    """

    module: str
    estimator: str
    parameters: dict[str, Any] = field(default_factory=dict)
    counts: str = "n_clusters"
    seeded: bool = False

    @property
    def installed(self) -> bool:
        """Whether its package can be imported."""
        return find_spec(self.module.partition(".")[0]) is not None

    def request(self, seed: int, more: dict[str, Any]) -> dict[str, Any]:
        """The method as the task is asked for it, with a seed and more parameters."""
        parameters = {**self.parameters, **more}
        parameters |= {"random_state": seed} if self.seeded else {}
        names = ("module", "estimator", "counts")
        return {"parameters": parameters, **{name: getattr(self, name) for name in names}}


def linked(linkage: str) -> Method:
    """Agglomerative clustering of scikit-learn."""
    return Method("sklearn.cluster", "AgglomerativeClustering", {"linkage": linkage})


OURS = "LSEC"
MIXTURE = {"n_init": 5}
METHODS = {
    OURS: Method("lsec", "LSEC", seeded=True),
    "Genie": Method("genieclust", "Genie", {"gini_threshold": 0.5}),
    "GaussianMixture": Method("sklearn.mixture", "GaussianMixture", MIXTURE, "n_components", True),
    "KMeans": Method("sklearn.cluster", "KMeans", {"n_init": 10}, seeded=True),
    "Ward": linked("ward"),
    "average linkage": linked("average"),
}
SEEDS = 3
SMALL = ["hepta", "ring", "jain", "iris", "smile"]
APART = 5.0  # points of the adjusted Rand index
RESUMABLE = True
Runs = dict[str, list[Record]]  # of every shape that has some


def run(session: Session) -> None:
    plan = session.plan
    more = {OURS: plan.parameters(OURS)}
    methods = {name: method for name, method in METHODS.items() if method.installed}
    for shape in plan.pick(list(SHAPES), SMALL):
        for seed in plan.seeds(SEEDS):
            asked = {name: of.request(seed, more.get(name, {})) for name, of in methods.items()}
            request = {"shape": shape, "seed": seed, "methods": asked}
            session.cell(f"{shape}/{seed}", lambda request=request: cluster(request))


def cluster(asked: dict[str, Any]) -> Record:
    return measure(study_tasks.cluster_shape, **asked).record()


def tables(cells: Cells) -> list[Table]:
    runs = {shape: found for shape in SHAPES if (found := runs_of(cells, shape))}
    every = [run["scores"] for found in runs.values() for run in found]
    methods = [name for name in METHODS if every and all(name in scores for scores in every)]
    return [summary(methods, runs), *(battery_table(of, methods, runs) for of in BATTERIES)]


def scores_of(runs: list[Record], method: str) -> list[float]:
    return [run["scores"][method]["ari"] for run in runs]


def summary(methods: list[str], runs: Runs) -> Table:
    """Means over shapes, and the number of shapes on which LSEC is ahead and behind."""
    scores = {
        shape: {name: mean(scores_of(found, name)) for name in methods}
        for shape, found in runs.items()
    }
    groups = {
        battery: [shape for shape in of if shape in runs] for battery, of in BATTERIES.items()
    }
    rows: list[tuple] = []
    for title, shapes in {**groups, "all": list(runs)}.items():
        if shapes:
            means = (mean(scores[shape][name] for shape in shapes) for name in methods)
            rows.append((title, len(shapes), *(f"{value:.2f}" for value in means)))
    leads = {name: [of[OURS] - of[name] for of in scores.values()] for name in methods}
    for side, sign in (("ahead", 1), ("behind", -1)) if runs else ():
        counts = (sum(sign * lead > APART for lead in of) for of in leads.values())
        rows.append((f"shapes with LSEC more than {APART:g} points {side}", len(runs), *counts))
    return table("Mean adjusted Rand index, %", ("battery", "shapes", *methods), rows)


def battery_table(battery: str, methods: list[str], runs: Runs) -> Table:
    """The scores of every shape of a battery."""
    rows = []
    for shape in BATTERIES[battery]:
        if shape in runs:
            sizes = (runs[shape][0][name] for name in ("n_rows", "n_columns", "n_clusters"))
            scores = (percent(scores_of(runs[shape], name)) for name in methods)
            rows.append((shape, *sizes, *scores))
        else:
            rows.append((shape, NOT_YET, *["-"] * (2 + len(methods))))
    columns = ("shape", "rows", "columns", "clusters", *methods)
    return table(f"Shapes like those of {battery}: adjusted Rand index, %", columns, rows)
