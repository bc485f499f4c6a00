"""The studies, one module each, in the order of the report."""

from benchmarks.session import Study
from benchmarks.studies import (
    ablations,
    baselines,
    growth,
    memory,
    mnist,
    predict,
    quality,
    small_data,
    speed,
    startup,
)

_MODULES = (
    speed,
    growth,
    predict,
    memory,
    mnist,
    small_data,
    startup,
    quality,
    baselines,
    ablations,
)

STUDIES: dict[str, Study] = {module.STUDY.name: module.STUDY for module in _MODULES}
