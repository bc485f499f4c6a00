"""`LSEC` of tables with numeric and categorical columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import _check_feature_names, _check_n_features

from lsec import checks
from lsec.estimators.consensus import WeightedFit, fit_bounds
from lsec.sources import Source

if TYPE_CHECKING:
    from lsec.consensus.methods import ConsensusMethod
    from lsec.execution.executor import OpenDevice
    from lsec.rows.categories import Categories
    from lsec.spectral.ensemble import EnsemblePlan
    from lsec.spectral.table_ensemble import TablePlan

AUTO = "auto"
MOST_WEIGHT = 7
NUMERIC_COLUMNS = 2  # that a categorical one weighs as much as
LEAST_SHARE = 1 / 5  # of categorical columns to numeric ones: fewer leave the groups to the members
STARTS = {"n_init": 20, "start_rows": 20_000}


class MixedTables(WeightedFit):
    """An ensemble of tables whose categorical columns vote beside the members."""

    categorical_features: Any
    categorical_weight: int | str
    scale_numeric: bool
    _categories: Categories | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        wanted = self.categorical_features
        is_list = isinstance(wanted, (list, tuple, np.ndarray)) and len(wanted) > 0
        if not (wanted is None or is_list or (isinstance(wanted, str) and wanted == "from_dtype")):
            raise ValueError(
                f"categorical_features must be None, 'from_dtype' or a list of names or positions "
                f"of columns; got {checks.quoted(wanted)}."
            )
        checks.integer("categorical_weight", self.categorical_weight, 1, 100, words=(AUTO,))
        if checks.boolean("scale_numeric", self.scale_numeric) and wanted is None:
            raise ValueError(
                "scale_numeric=True is for tables with categorical_features. Scale other rows "
                "before, for example with sklearn.preprocessing.StandardScaler."
            )

    def _method(self) -> tuple[ConsensusMethod, int | None]:
        """The consensus function and its number of clusters; None to choose the number."""
        from lsec.consensus.consensus import make_method, requested_clusters

        name, options = self.consensus, checks.options(self.consensus_options)
        if name == AUTO:
            name = "linkage"
            categories = self._categories
            if categories and self._has_many_categories and not isinstance(self.n_clusters, str):
                utility = "category" if self._count_numeric(categories) else "entropy"
                name, options = "kcc", {**STARTS, "utility": utility, **options}
        method = make_method(name, options, "consensus", words=(AUTO,))
        return method, requested_clusters(self.n_clusters, method, name)

    @property
    def _has_many_categories(self) -> bool:
        """Whether the categorical columns decide about the groups, with the numeric ones."""
        categories = self._categories
        if categories is None:
            return False
        return len(categories.positions) >= LEAST_SHARE * self._count_numeric(categories)

    def _count_numeric(self, categories: Categories) -> int:
        """Number of numeric columns of a table with categorical ones."""
        return int(self.n_features_in_ - len(categories.positions))

    def _bounds_of_members(self, n_rows: int) -> list[tuple[int, int]]:
        """Ranges of the numbers of clusters that the members take in turn.

        If categorical columns decide, too, every other member has no more clusters than the result:
        it sees the gaps between groups, which fine base clusters do not tell from other borders.
        """
        bounds = self._member_bounds(n_rows)
        if self.base_clusters != AUTO or not self._has_many_categories:
            return [bounds]
        k = self._least_clusters
        return [fit_bounds((max(2, k // 2), max(2, k)), n_rows, k), bounds]

    def _open(self, X: Any, *, reset: bool) -> Source:
        """The numeric columns of a table, with codes of the categorical ones."""
        if self.categorical_features is None or not (reset or self._categories):
            return super()._open(X, reset=reset)
        if not reset and isinstance(X, Source) and X.codes is not None:  # opened before
            return X
        if reset:
            self._forget()
        from lsec.sources.mixed_tables import learn_categories, open_mixed, table_of

        X = table_of(X)
        categories = self._categories
        if reset:
            categories = learn_categories(X, self.categorical_features, scale=self.scale_numeric)
            if categories is None:  # no column is categorical
                return super()._open(X, reset=reset)
        _check_feature_names(self, X, reset=reset)
        _check_n_features(self, X, reset=reset)
        self._categories = categories
        assert categories is not None
        return open_mixed(X, categories)

    def _open_device(self, source: Source) -> OpenDevice | None:
        """None: tables with categorical columns are clustered by the CPU, also if "auto"."""
        if self._categories is None:
            return super()._open_device(source)
        if self.device in ("cpu", "auto"):
            return None
        raise ValueError(
            f"categorical_features needs device='cpu'; got {self.device!r}. Change it, or leave "
            f"the categorical columns out."
        )

    def _weighted(self, source: Source, sample_weight: ArrayLike, client: Any) -> Source:
        if self.scale_numeric:
            raise ValueError("sample_weight and scale_numeric exclude each other: scale before.")
        return super()._weighted(source, sample_weight, client)

    def _with_categories(self, plan: EnsemblePlan) -> EnsemblePlan | TablePlan:
        """A plan of members of the numeric columns, with the categorical columns beside them."""
        from lsec.spectral.table_ensemble import TablePlan

        categories = self._categories
        if categories is None:
            return plan
        n_numeric, weight = self._count_numeric(categories), self.categorical_weight
        if isinstance(weight, str):
            votes = NUMERIC_COLUMNS * self.n_base / n_numeric if n_numeric else 1
            weight = min(max(round(votes), 1), MOST_WEIGHT)
        return TablePlan(plan if n_numeric else None, categories, weight)
