"""Pictures of a fitted model: its clusters, its ensemble, its layers and its fit.

::

    rows        map, profiles                      where clusters lie, what tells them apart
    ensemble    confidence, members,               how sure the members are, and of what
                coassociation, cdf
    tree        dendrogram, layers                 how clusters merge and split
    fit         evidence, timings                  why this number of clusters, what took so long

Every function takes a fitted estimator, most a `Consensus` as well, draws into `ax` (a new figure
by default) and returns the `Axes`. All but `map` and `profiles` work on micro-clusters: they need
no rows, and cost the same for twenty million of them. They need matplotlib, the extra `plot`.
"""

from lsec.plot.ensemble import cdf, coassociation, confidence, members
from lsec.plot.fit import evidence, timings
from lsec.plot.rows import map, profiles
from lsec.plot.tree import dendrogram, layers

__all__ = [
    "cdf",
    "coassociation",
    "confidence",
    "dendrogram",
    "evidence",
    "layers",
    "map",
    "members",
    "profiles",
    "timings",
]
