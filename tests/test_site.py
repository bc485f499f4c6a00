"""The documentation site: its check of links, and examples that need no network."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CHECK = ROOT / "docs" / "check_links.py"
PAGE = '<h1 id="top">A page</h1><a href="other.html#end">link</a><img src="picture.png">'


@pytest.fixture
def site(tmp_path):
    """A small site without a fault: site(what the first page has beside) -> complaints."""

    def check(more=""):
        (tmp_path / "index.html").write_text(PAGE + more)
        (tmp_path / "other.html").write_text('<p id="end"><a href="index.html">back</a></p>')
        (tmp_path / "picture.png").touch()
        command = [sys.executable, CHECK, tmp_path]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        lines = done.stdout.splitlines()
        assert (done.returncode == 0) == lines[-1].startswith("All links within 2 pages")
        return [line for line in lines if not line.startswith("All links")]

    return check


def test_links_to_pages_anchors_and_pictures_are_found(site):
    assert site() == []
    assert site('<a href="#top">up</a><a href="https://example.org">far</a>') == []


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ('<a href="gone.html">', "gone.html is missing"),
        ('<img src="gone.png">', "gone.png is missing"),
        ('<a href="other.html#nowhere">', "other.html#nowhere has no such anchor"),
        ('<a href="../above.html">', "../above.html is missing"),
        ('<script src="https://example.org/a.js"></script>', "is loaded from the network"),
    ],
)
def test_faults_are_named(site, fault, complaint):
    (found,) = site(fault)
    assert found.startswith("index.html: ") and complaint in found


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name
)
def test_examples_need_no_network(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"fetch_|urllib|requests|load_(usps|mnist|covertype)", text)


@pytest.fixture
def relinked():
    """`relinked` of the extension that shows pages of the repository."""
    path = ROOT / "docs" / "extensions" / "repository_pages.py"
    spec = importlib.util.spec_from_file_location("repository_pages", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.relinked


def test_links_of_the_repository_lead_to_pages_of_the_site(relinked):
    readme, page = ROOT / "README.md", ROOT / "docs" / "index.md"
    text = "[a](docs/guide.md#top) [b](examples/plot_text.py) [c](https://example.org) [d](LICENSE)"
    shown = "[a](guide.md#top) [b](gallery/plot_text.rst) [c](https://example.org) "
    assert relinked(text, readme, page) == shown + "[d](repository/license.txt)"
