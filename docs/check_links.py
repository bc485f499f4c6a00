"""Check that every link within the built site leads somewhere, without a network.

Usage: python docs/check_links.py docs/_build/html
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

REFERENCES = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src"}
LOADED = ("link", "img", "script", "source")  # by the browser, on opening the page
SKIPPED_TARGETS = ("", "#")  # buttons that a script answers


class Page(HTMLParser):
    """Anchors and references of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.references: list[tuple[str, str]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element is called and what it refers to."""
        given = dict(attrs)
        self.anchors.update(value for name in ("id", "name") if (value := given.get(name)))
        target = given.get(REFERENCES.get(tag, ""))
        if target is not None:
            self.references.append((tag, target))

    def has(self, anchor: str) -> bool:
        """Whether an anchor exists; "" is the page itself."""
        return not anchor or anchor in self.anchors


read = cache(Page)


def faults(path: Path, root: Path) -> list[str]:
    """Complaints about the references of one page."""
    found = []
    for tag, target in read(path).references:
        parts = urlsplit(target)
        if target in SKIPPED_TARGETS or parts.scheme in ("mailto", "data"):
            continue
        if parts.scheme or parts.netloc:
            if tag in LOADED and "rel=canonical" not in target:
                found.append(f"{target} is loaded from the network")
            continue
        linked = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
        if linked.is_dir():
            linked /= "index.html"
        if not linked.is_relative_to(root) or not linked.is_file():
            found.append(f"{target} is missing")
        elif linked.suffix == ".html" and not read(linked).has(unquote(parts.fragment)):
            found.append(f"{target} has no such anchor")
    return found


def main(folder: str) -> None:
    """Check all pages below a folder; the exit code is 1 if a link leads nowhere."""
    root = Path(folder).resolve()
    pages = sorted(path for path in root.rglob("*.html") if "_static" not in path.parts)
    complaints = [
        f"{path.relative_to(root)}: {fault}" for path in pages for fault in faults(path, root)
    ]
    print("\n".join(complaints) or f"All links within {len(pages)} pages lead somewhere.")
    if complaints or not pages:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
