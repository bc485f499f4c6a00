"""Small data sets whose classes are known, like those of the public suite clustering-data-v1.

The generators are written from the descriptions of the suite: number of rows, columns and
clusters, form and difficulty. No data is copied, so that choices can be made on many seeds before
they are judged on the suite. Each takes a generator of random numbers and returns rows (n, d) and
labels 0 to k - 1, shuffled.

Noise of the suite belongs to no cluster and is not judged. Here it belongs to the nearest one.

References
----------
M. Gagolewski, "A framework for benchmarking clustering algorithms", SoftwareX 20, 2022.
"""

from __future__ import annotations

from benchmarks.harness.shapes.draw import Shape
from benchmarks.harness.shapes.fcps import FCPS
from benchmarks.harness.shapes.graves import GRAVES
from benchmarks.harness.shapes.sipu import SIPU
from benchmarks.harness.shapes.uci import UCI
from benchmarks.harness.shapes.wut import WUT

BATTERIES: dict[str, dict[str, Shape]] = {
    "fcps": FCPS,
    "graves": GRAVES,
    "sipu": SIPU,
    "uci": UCI,
    "wut": WUT,
}
SHAPES: dict[str, Shape] = {name: draw for of in BATTERIES.values() for name, draw in of.items()}
