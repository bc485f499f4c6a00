"""Tables like those of the battery `uci`: mixtures in many columns, and four real data sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from sklearn import datasets

from benchmarks.harness.shapes.draw import Parts, Shape, shape

TAIL = 8  # degrees of freedom


def measurements(class_sizes: Sequence[int], n_columns: int, gap: float, scales: float) -> Shape:
    """Classes that overlap, with correlated columns on different scales.

    Columns depend on few factors, about the same for all classes, and are somewhat skewed. A class
    has one to three lobes, each a t distribution; `gap` is the distance of class centers in
    standard deviations. Columns are multiplied by factors that span 10 ** `scales`.
    """

    @shape
    def draw(rng: Generator) -> Parts:
        n_factors = max(2, n_columns // 3)
        common = rng.normal(size=(n_factors, n_columns)) / np.sqrt(n_factors)
        units = 10 ** rng.uniform(-scales / 2, scales / 2, n_columns)
        clusters = []
        for n in class_sizes:
            lobes = 0.7 * rng.normal(size=(rng.integers(1, 4), n_factors))
            factors = rng.normal(size=(n, n_factors)) + lobes[rng.integers(len(lobes), size=n)]
            factors /= np.sqrt(rng.chisquare(TAIL, (n, 1)) / TAIL)
            center = gap * rng.normal(size=n_factors)
            loadings = common + 0.1 * rng.normal(size=common.shape)
            rows = (center + rng.uniform(0.7, 1.3) * factors) @ loadings
            rows += 0.5 * rng.normal(size=rows.shape)
            clusters.append(np.expm1(0.15 * rows) * units)
        return clusters

    return draw


def real(load) -> Shape:
    """A data set of scikit-learn as it is, in random order."""

    def draw(rng: Generator) -> tuple[np.ndarray, np.ndarray]:
        X, y = load(return_X_y=True)
        order = rng.permutation(len(y))
        return X[order].astype(float), y[order].astype(int)

    return draw


ECOLI = (143, 77, 52, 35, 20, 5, 2, 2)
YEAST = (463, 429, 244, 163, 51, 44, 35, 30, 20, 5)
UCI = {
    "ecoli_like": measurements(ECOLI, 7, 3, 0),
    "glass_like": measurements((70, 76, 17, 13, 9, 29), 9, 1.5, 1),
    "ionosphere_like": measurements((126, 225), 34, 0.6, 0),
    "iris_like": measurements((50, 50, 50), 4, 5, 0.3),
    "statlog_like": measurements((330,) * 7, 19, 1.7, 1),
    "wdbc_like": measurements((212, 357), 30, 1.1, 1),
    "wine_like": measurements((59, 71, 48), 13, 2.2, 1),
    "yeast_like": measurements(YEAST, 8, 0.9, 0),
    "iris": real(datasets.load_iris),
    "wine": real(datasets.load_wine),
    "breast_cancer": real(datasets.load_breast_cancer),
    "digits": real(datasets.load_digits),
}
