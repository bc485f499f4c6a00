"""LSEC: large-scale spectral ensemble clustering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec import checks
from lsec.checks import AUTO
from lsec.estimators.entries import estimator_docs
from lsec.estimators.mixed_tables import MixedTables

if TYPE_CHECKING:
    from lsec.spectral.ensemble import EnsemblePlan
    from lsec.spectral.table_ensemble import TablePlan

MEMBER_ITERATIONS = 10
REFINE_ITERATIONS = 5
NEIGHBORS = (2, 3, 4, 5, 6)
PAPER = {
    "n_neighbors": NEIGHBORS,
    "n_landmarks": 1000,
    "base_clusters": (20, 60),
    "projection": None,
    "consensus": "bipartite",
}
MOST_VALUES = 16  # with MOST_LANDMARKS: cells of the Gram matrices fit 32 bits


@estimator_docs
@dataclass(eq=False, repr=False)
class LSEC(MixedTables):
    """Large-scale spectral ensemble clustering.

    Generates many diverse spectral clusterings of the same rows at low cost (members that share
    landmarks differ in their numbers of neighbors and clusters; landmark sets differ in their
    random choices), and joins them by a consensus function. Time and memory are linear in the
    number of rows.

    Parameters
    ----------
    {n_clusters, n_base}
    n_neighbors : int, ascending tuple of int, or "auto", default="auto"
        Nearest landmarks that each row is connected to: at most 16 values up to 100, one per
        member of a landmark set. An incomplete last set uses the largest values. "auto" is
        (2, 3, 4, 5, 6), or one more where most rows are landmarks themselves.
    {n_landmarks, base_clusters, projection, metric, alpha, kernel}
    discretization : {"light", "kmeans"}, default="light"
        Clustering of the embedded rows: k-means on a sample, after which the other rows join
        the nearest center, or k-means on all rows.
    reuse_neighbors : bool, default=True
        Whether the members of a landmark set share one search. False selects new landmarks and
        searches again for every member.
    consensus : {"auto", "linkage", "bipartite", "eac", "lwea", "lwgp", "kcc", "sec", "pta", \
"ptgp"}, default="auto"
        Consensus function; see `lsec.consensus`. "auto" is "linkage", or "kcc" if there are a fifth
        as many categorical columns as numeric ones, or more; by default, every other member then
        has no more clusters than the result. The paper's is "bipartite".
    {consensus_options, noise, min_cluster_size}
    categorical_features : "from_dtype", list of str or int, or None, default=None
        Categorical columns of a table in memory, by type (categorical, string, boolean and object
        columns of a data frame), by name or by position. Each votes as a base clustering: equal
        values are a base cluster, and a row whose value is missing, or did not occur in `fit`,
        takes no part. Numeric columns go through the spectral members.
    categorical_weight : int or "auto", default="auto"
        Base clusterings that a categorical column counts as, beside the `n_base` of all numeric
        columns together. "auto" gives it twice the weight of a numeric column, 2 n_base divided by
        their number, but at most 7.
    scale_numeric : bool, default=False
        Divide the numeric columns of a table with categorical features by their standard
        deviations.
    {random_state, n_jobs, device}
    {memory_limit, verbose}

    Attributes
    ----------
    {labels_, n_clusters_, confidence_, probabilities_, agreement_, diversity_, evidence_}
    {micro_clusters_, tree_}
    {base_labels_}
        Labels of the members, set by set.
    {n_base_clusters_, n_micro_clusters_}
    landmarks_ : list of ndarray of shape (n_landmarks, n_features)
        One per landmark set.
    eigenvalues_ : list of ndarray
        Of each member's cut, in [0, 1], descending.
    {timings_, n_features_in_}

    Notes
    -----
    Features are not scaled: those with large values dominate the distances. Landmarks are
    selected from a uniform sample of at most 500 rows per landmark.

    References
    ----------
    .. [1] Li, H., Ye, X., Imakura, A., Sakurai, T. "LSEC: Large-scale spectral ensemble
       clustering", Intelligent Data Analysis 27(1), 2023, arXiv:2106.09852.

    Examples
    --------
    >>> from lsec import LSEC
    >>> from lsec.datasets import make_smiling_face
    >>> from lsec.metrics import clustering_accuracy
    >>> X, y = make_smiling_face(20_000, random_state=0)
    >>> model = LSEC(n_clusters=4, n_landmarks=300, random_state=0).fit(X)
    >>> model.base_labels_.shape
    (20000, 20)
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    n_clusters: int | str = 8
    _: KW_ONLY
    n_base: int = 20
    n_neighbors: int | Sequence[int] | str = "auto"
    n_landmarks: int | str = "auto"
    base_clusters: tuple[int, int] | str = "auto"
    projection: int | str | None = "auto"
    metric: str = "euclidean"
    alpha: int = 50
    kernel: str = "gaussian"
    discretization: str = "light"
    reuse_neighbors: bool = True
    consensus: str = "auto"
    consensus_options: dict[str, Any] | None = None
    noise: float | tuple[str, float] | None = None
    min_cluster_size: int = 1
    categorical_features: str | Sequence[str | int] | None = None
    categorical_weight: int | str = "auto"
    scale_numeric: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    device: str = "cpu"
    memory_limit: int | float | str | None = None
    verbose: int = 0

    _weights_need = ("discretization", "light")

    @classmethod
    def paper(cls, n_clusters: int | str = 8, **parameters: Any) -> LSEC:
        """LSEC with the parameters of the paper, to reproduce or compare.

        1000 landmarks (fewer of few rows), 20 to 60 base clusters, all features and the bipartite
        consensus (Algorithms 1 and 2); no sparse rows. The default has more landmarks, projects
        wide rows, elects the consensus, and finds better clusters.

        Parameters
        ----------
        n_clusters : int or "auto", default=8
        **parameters
            Other parameters, and those that should differ.

        Examples
        --------
        >>> from lsec import LSEC
        >>> LSEC.paper(10, random_state=0).consensus
        'bipartite'
        """
        return cls(n_clusters, **{**PAPER, **parameters})

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._neighbors(1)
        checks.integer("alpha", self.alpha, 2)
        checks.choice("discretization", self.discretization, ("light", "kmeans"))
        checks.boolean("reuse_neighbors", self.reuse_neighbors)

    def _plan(self, shape: tuple[int, int], rng: np.random.Generator) -> EnsemblePlan | TablePlan:
        from lsec.spectral.base_clustering import MemberPlan
        from lsec.spectral.ensemble import EnsemblePlan
        from lsec.spectral.landmarks import divide_and_conquer

        p = self._landmarks_for(*shape)
        neighbors = self._neighbors(shape[0] / p)
        groups = share_out(self.n_base, neighbors, self.reuse_neighbors)
        bounds = cycle(self._bounds_of_members(shape[0]))
        refines = self.discretization == "kmeans"
        iterations = REFINE_ITERATIONS if refines else MEMBER_ITERATIONS

        def member(n_neighbors: int) -> MemberPlan:
            low, high = next(bounds)
            return MemberPlan(n_neighbors, int(rng.integers(low, high + 1)), max_iter=iterations)

        plan = EnsemblePlan(
            [[member(k) for k in group] for group in groups],
            p,
            partial(divide_and_conquer, n_landmarks=p, alpha=self.alpha),
            self._kernel,
            self._projection,
            REFINE_ITERATIONS if refines else 0,
            self.metric == "cosine",
        )
        return self._with_categories(plan)

    def _neighbors(self, rows_per_landmark: float) -> tuple[int, ...]:
        """Neighbors of the members of a landmark set, ascending."""
        if not (isinstance(self.n_neighbors, str) and self.n_neighbors == AUTO):
            return checks.ascending("n_neighbors", self.n_neighbors, most=MOST_VALUES)
        # The nearest landmark of a row that is one is itself.
        return tuple(k + (rows_per_landmark < 2) for k in NEIGHBORS)


def share_out(n_base: int, neighbors: tuple[int, ...], reuse: bool) -> list[list[int]]:
    """Neighbors of the members of every landmark set.

    >>> share_out(5, (2, 3, 4), reuse=True)
    [[2, 3, 4], [3, 4]]
    >>> share_out(3, (2, 3), reuse=False)
    [[2], [3], [2]]
    """
    q = len(neighbors)
    if not reuse:
        return [[neighbors[i % q]] for i in range(n_base)]
    full, rest = divmod(n_base, q)
    return [list(neighbors)] * full + ([list(neighbors[-rest:])] if rest else [])
