"""Both pages, written from a folder of results."""

from __future__ import annotations

from pathlib import Path

from lsec.output.atomic import open_atomically
from lsec.report.ablations import LIGHT, REUSE, ablation_section
from lsec.report.cells import Results, read_results
from lsec.report.gaps import gaps_section
from lsec.report.growth import growth_section
from lsec.report.markdown import markdown_page
from lsec.report.members import members_section
from lsec.report.octave import octave_section
from lsec.report.peers import peers_section
from lsec.report.pictures import pictures_section
from lsec.report.provenance import overview, provenance_section
from lsec.report.scores import scores_section
from lsec.report.section import Section
from lsec.report.targets import targets
from lsec.report.usenc_paper import usenc_paper_section
from lsec.report.web import html_page

ABOUT = (
    "The experiments of H. Li, X. Ye, A. Imakura and T. Sakurai, “LSEC: Large-scale spectral "
    "ensemble clustering” (arXiv 2106.09852), run again with the lsec library and set beside the "
    "printed numbers. Written by lsec bench paper; nothing here is edited by hand."
)


def write_pages(folder: str | Path, out: str | Path | None = None) -> tuple[Path, Path]:
    """Write ``report.html`` and ``report.md`` from the cells in a folder.

    Parameters
    ----------
    folder : str or Path
        A folder of ``lsec bench paper``; it may be incomplete.
    out : str or Path, optional
        Where the pages go, by default to `folder`. It is made if it does not exist.

    Returns
    -------
    html, markdown : Path
        The two files.

    Raises
    ------
    ValueError
        When the folder holds no cells folder, or a file that is not a record of a run.
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
        with open_atomically(path) as file:
            file.write(text.encode())
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
