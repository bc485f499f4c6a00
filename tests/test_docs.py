"""Every example in the documentation runs: Markdown pages and docstrings."""

import doctest
import pkgutil
import re
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

import lsec

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
MODULES = sorted(module.name for module in pkgutil.walk_packages(lsec.__path__, "lsec."))
EXTRAS = ("dask", "distributed")


@contextmanager
def skipped_without_extras():
    """Examples of an extra need it; what lsec itself needs must be there."""
    try:
        yield
    except ModuleNotFoundError as error:
        if str(error.name).split(".")[0] not in EXTRAS:
            raise
        pytest.skip(f"{error.name} is not installed")


def python_blocks(page):
    """The fenced python blocks of a page, each at its own line number."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, match.start(1))
        yield compile("\n" * line + match[1], str(page), "exec")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "example"}
    with skipped_without_extras():
        for block in python_blocks(page):
            exec(block, namespace)


def test_pages_have_examples():
    with_examples = [page.name for page in PAGES if any(python_blocks(page))]
    assert {"README.md", "user_guide.md"} <= set(with_examples)


def prose(page):
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def anchors(page):
    """The anchors of a page's headings, as GitHub forms them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", prose(page)):
        if "://" not in target:
            linked = page.parent / target if target else page
            assert linked.exists(), target
            assert not anchor or anchor in anchors(linked), f"{target}#{anchor}"


@pytest.mark.parametrize("name", ["lsec", *MODULES])
def test_docstring_examples(name):
    with skipped_without_extras():
        module = import_module(name)
    assert doctest.testmod(module).failed == 0


def test_public_classes_have_examples():
    finder = doctest.DocTestFinder(recurse=False)
    for name in lsec.__all__:
        if name[0].isupper():
            (found,) = finder.find(getattr(lsec, name), name)
            assert found.examples, name
