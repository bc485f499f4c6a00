"""The measured part of docs/gpu.md, from the stored records."""

from __future__ import annotations

from pathlib import Path

from benchmarks.harness.machine import ROOT
from benchmarks.harness.store import Records
from benchmarks.pages.markdown import markdown_table
from benchmarks.studies import gpu
from benchmarks.studies.results_page import RESULTS_FOLDER, when
from benchmarks.studies.study import Cells

PAGE = ROOT / "docs" / "gpu.md"
BEGIN, END = (
    "<!-- measured: written by `python -m benchmarks run gpu` -->\n",
    "<!-- end of measured -->",
)


def write_gpu(folder: Path = RESULTS_FOLDER, page: Path = PAGE) -> None:
    """Write the tables between two marks of the page."""
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    after = rest.partition(END)[2]
    measured = measured_part(Records("gpu", folder))
    page.write_text(f"{before}{BEGIN}{measured}\n{END}{after}", encoding="utf-8")


def measured_part(cells: Cells) -> str:
    """Times of whole fits, and of kernels."""
    runs = [cell for cell in cells.values() if "card" in cell]
    if not runs:
        return "Not measured yet."
    machine = runs[0]["machine"]
    where = f"On one {runs[0]['card']} beside {machine['cores']} cores ({machine['cpu']}). "
    method = "Seconds of whole fits, once everything is compiled; labels are compared bit for bit."
    shown = map(markdown_table, gpu.tables(cells))
    return "\n\n".join([where + method, *shown, f"{when(cells)}."]) + "\n"
