"""The studies, one module each, in the order of the report."""

from benchmarks.studies import (
    ablations,
    baselines,
    consensus,
    distributed,
    families,
    functions,
    growth,
    memory,
    mnist,
    outofcore,
    pools,
    predict,
    quality,
    small_data,
    speed,
    startup,
)
from benchmarks.studies.study import Study

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
    consensus,
    pools,
    functions,
    families,
    outofcore,
    distributed,
)

STUDIES = {study.name: study for study in map(Study.of_module, _MODULES)}
