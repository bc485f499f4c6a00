"""The studies, one module each, in the order of the report."""

from importlib import import_module

from benchmarks.studies.study import Study

NAMES = (
    *("speed", "growth", "predict", "memory", "mnist", "small_data", "startup", "quality"),
    *("peers", "blobs", "resolution", "embeddings", "number_of_clusters"),
    *("baselines", "ablations", "consensus", "pools", "functions", "families", "shapes"),
    *("outofcore", "distributed", "pictures", "gpu", "attack", "categories"),
)
STUDIES = {name: Study.of_module(import_module(f"{__name__}.{name}")) for name in NAMES}
