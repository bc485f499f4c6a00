"""lsec: large-scale spectral ensemble clustering.

>>> from lsec import LSEC
>>> from lsec.datasets import make_smiling_face
>>> X, y = make_smiling_face(10_000, random_state=0)
>>> labels = LSEC(n_clusters=4, random_state=0).fit_predict(X)

Estimators follow scikit-learn: `LSEC` (the ensemble), `DnCSC` and `USPEC` (single
spectral clusterings), `USENC` (U-SPEC's ensemble), `EnsembleClustering` (any generator
with any consensus function) and `LightKMeans`. `consensus` combines base clusterings of
your own. Beside them stand `lsec.metrics`, `lsec.validity`, `lsec.datasets` and `lsec.plot`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

import lsec.consensus  # noqa: F401
from lsec.address_space import require_libraries

__version__ = "0.1.0"

# The room `lsec.consensus` is imported here, and its name given back to the function: Python
# binds a module to its parent once, when it is first imported, and would hide the function then.
globals().pop("consensus")

# Estimators are imported when first asked for: `import lsec` costs next to nothing.
_HOMES = {
    "LSEC": "lsec.estimators.lsec",
    "DnCSC": "lsec.estimators.single",
    "USPEC": "lsec.estimators.single",
    "USENC": "lsec.estimators.ensembles",
    "LightKMeans": "lsec.estimators.light_kmeans",
    "EnsembleClustering": "lsec.estimators.ensembles",
    "consensus": "lsec.consensus.consensus",
    "Consensus": "lsec.consensus.consensus",
    "MicroClusters": "lsec.consensus.micro_clusters",
    "open_rows": "lsec.sources.opening",
    "load": "lsec.model_files.persistence",
}

__all__ = [
    "LSEC",
    "USENC",
    "USPEC",
    "Consensus",
    "DnCSC",
    "EnsembleClustering",
    "LightKMeans",
    "MicroClusters",
    "__version__",
    "consensus",
    "datasets",
    "load",
    "metrics",
    "open_rows",
    "plot",
    "validity",
]

if TYPE_CHECKING:
    from lsec import datasets, metrics, plot, validity
    from lsec.consensus.consensus import Consensus, consensus
    from lsec.consensus.micro_clusters import MicroClusters
    from lsec.estimators.ensembles import USENC, EnsembleClustering
    from lsec.estimators.light_kmeans import LightKMeans
    from lsec.estimators.lsec import LSEC
    from lsec.estimators.single import USPEC, DnCSC
    from lsec.model_files.persistence import load
    from lsec.sources.opening import open_rows


def __getattr__(name: str) -> object:
    if name in _HOMES:
        require_libraries()
        return getattr(import_module(_HOMES[name]), name)
    if name in ("datasets", "metrics", "plot", "validity"):
        return import_module(f"lsec.{name}")
    raise AttributeError(f"module 'lsec' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
