"""Both pages, written from a folder of results."""

from __future__ import annotations

from pathlib import Path

from benchmarks.pages.ablations import LIGHT, REUSE, ablation_section
from benchmarks.pages.coverage import gaps_section, overview, provenance_section
from benchmarks.pages.growth import growth_section
from benchmarks.pages.html import html_page
from benchmarks.pages.markdown import markdown_page
from benchmarks.pages.members import members_section
from benchmarks.pages.octave import octave_section
from benchmarks.pages.peers import peers_section
from benchmarks.pages.pictures import pictures_section
from benchmarks.pages.results import Results, read_results
from benchmarks.pages.scores import scores_section
from benchmarks.pages.table import Section
from benchmarks.pages.targets import targets
from benchmarks.pages.usenc_paper import usenc_paper_section

ABOUT = (
    "The experiments of H. Li, X. Ye, A. Imakura and T. Sakurai, “LSEC: Large-scale spectral "
    "ensemble clustering” (arXiv 2106.09852), run again with the lsec library and set beside the "
    "printed numbers. Written by python -m benchmarks; nothing here is edited by hand."
)


def write_pages(folder: str | Path, out: str | Path | None = None) -> tuple[Path, Path]:
    """Write ``report.html`` and ``report.md`` from the records in a folder.

    Parameters
    ----------
    folder : str or Path
        A folder of ``python -m benchmarks paper``; it may be incomplete.
    out : str or Path, optional
        Where the pages go, by default to `folder`. It is made if it does not exist.

    Returns
    -------
    html, markdown : Path
        The two files.

    Raises
    ------
    ValueError
        When the folder holds no records, or one that is not that of a run.
    """
    results = read_results(Path(folder))
    place = Path(folder if out is None else out)
    place.mkdir(parents=True, exist_ok=True)
    content = (ABOUT, overview(results), targets(results), _sections(results))
    pages = (
        (place / "report.html", html_page(*content)),
        (place / "report.md", markdown_page(*content)),
    )
    for path, text in pages:
        path.write_text(text, encoding="utf-8")
    return pages[0][0], pages[1][0]


def _sections(results: Results) -> list[Section]:
    return [
        scores_section(results),
        usenc_paper_section(results),
        octave_section(results),
        members_section(results),
        ablation_section(results, REUSE),
        ablation_section(results, LIGHT),
        growth_section(results),
        pictures_section(results),
        peers_section(results),
        gaps_section(results),
        provenance_section(results),
    ]
