"""Pages of the repository that the site shows, too: contributing, changelog, benchmark results.

They stand outside `docs`, where GitHub expects them. Before a build they are copied to
`docs/repository`, and links between them and the pages of `docs` are rewritten, as are links to
examples, so that the same file has working links on GitHub and on the site.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).parent.parent
ROOT = DOCS.parent
COPIES = DOCS / "repository"
EXAMPLES, GALLERY = ROOT / "examples", DOCS / "gallery"
PAGES = {
    ROOT / "CONTRIBUTING.md": COPIES / "contributing.md",
    ROOT / "CHANGELOG.md": COPIES / "changelog.md",
    ROOT / "benchmarks" / "RESULTS.md": COPIES / "benchmark_results.md",
    ROOT / "LICENSE": COPIES / "license.txt",
    ROOT / "README.md": DOCS / "index.md",
}
LINK = re.compile(r"(?<=\]\()([^)#\s:]+)(?=[)#])")


def relinked(text: str, page: Path, place: Path) -> str:
    """Text of a page with its links to other pages as they are from another place."""

    def link(match: re.Match[str]) -> str:
        target = (page.parent / match[1]).resolve()
        if target.parent == EXAMPLES:
            name = "index" if target.stem == "README" else target.stem
            shown = GALLERY / f"{name}.rst"
        else:
            shown = PAGES.get(target, target)
        return os.path.relpath(shown, place.parent).replace(os.sep, "/")

    return LINK.sub(link, text)


def copy_pages(app: Sphinx) -> None:
    """Copy the pages, unless the copies are the same: an unchanged file is not built again."""
    COPIES.mkdir(exist_ok=True)
    for page, place in PAGES.items():
        if place.parent == COPIES:
            text = relinked(page.read_text(encoding="utf-8"), page, place)
            if not place.exists() or place.read_text(encoding="utf-8") != text:
                place.write_text(text, encoding="utf-8")


def relink(app: Sphinx, docname: str, source: list[str]) -> None:
    """Rewrite the links of a page of `docs`."""
    page = Path(app.env.doc2path(docname))
    if page.suffix == ".md" and page.parent != COPIES:
        source[0] = relinked(source[0], page, page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect both steps."""
    app.connect("config-inited", lambda app, config: copy_pages(app), priority=0)
    app.connect("source-read", relink)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
