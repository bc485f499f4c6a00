"""Base of the single spectral clusterings, DnC-SC and U-SPEC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from lsec import checks
from lsec.estimators.base import EnsembleEstimator, StartRun
from lsec.output.labels import LabelOutput
from lsec.sources import Source
from lsec.typing import AnyArray, Int32

if TYPE_CHECKING:
    from lsec.spectral.ensemble import SelectLandmarks

MAX_ITER = 100
N_INIT = 3


class SingleSpectralClustering(EnsembleEstimator):
    """An ensemble of one member whose base labels are the result."""

    n_neighbors: int

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks.integer("n_neighbors", self.n_neighbors, 1, checks.MOST_NEIGHBORS)

    def _landmark_rule(self, n_landmarks: int) -> SelectLandmarks:
        """Rule that selects landmarks: a callable (sample, K, rng) -> LandmarkTree."""
        raise NotImplementedError

    def _fit(
        self, source: Source, seed: np.random.SeedSequence, output: LabelOutput, start: StartRun
    ) -> Self:
        from lsec import pipeline, sweeps
        from lsec.spectral.base_clustering import MemberPlan
        from lsec.spectral.ensemble import EnsemblePlan

        if self.n_landmarks < self.n_clusters:
            raise ValueError(
                f"n_landmarks={self.n_landmarks} should be >= n_clusters={self.n_clusters}; "
                f"raise n_landmarks."
            )
        member = MemberPlan(
            self.n_neighbors, self.n_clusters, "k-means++", MAX_ITER, N_INIT, np.float64
        )
        p = self._landmarks_for(source.shape[0])
        plan = EnsemblePlan([[member]], p, self._landmark_rule(p), self._kernel, MAX_ITER)
        with start(plan.n_bytes) as run:
            ensemble = pipeline.generate_ensemble(source, plan, seed, run)
            rows = sweeps.label_rows(source, ensemble, run, output.spool)
            if len(rows.labels) < self.n_clusters:
                raise ValueError(
                    f"X supports only {len(rows.labels)} clusters, n_clusters={self.n_clusters} "
                    f"were asked: its rows are too alike, or k-means left some clusters empty. "
                    f"Lower n_clusters, remove duplicated rows or try another random_state."
                )
            labels = output.labels(rows, self._clusters(rows.labels))
        self.landmarks_ = ensemble.frame.original(ensemble.sets[0].tree.landmarks)
        self.eigenvalues_ = ensemble.members[0].eigenvalues
        self._describe(ensemble, run)
        return self._keep(labels)

    def _clusters(self, base_labels: AnyArray) -> Int32:
        return base_labels[:, 0].astype(np.int32)
