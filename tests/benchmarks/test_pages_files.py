"""The result pages as files: complete, safe and well formed for any folder."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from click.testing import CliRunner
from made_up_records import Folder, full_folder, smoke_folder

from benchmarks.__main__ import main
from benchmarks.harness.store import write_table
from benchmarks.pages.axis import axis_over
from benchmarks.pages.pictures import draw_points
from benchmarks.pages.write import write_pages

HOSTILE = '</td><script>alert(1)</script> | "quoted" `code` & *stars*\nnext line'
SECTIONS = [
    *("targets", "scores", "usenc-paper", "octave", "members", "reuse", "discretization"),
    *("growth", "pictures", "peers", "gaps", "provenance"),
]


class Page(HTMLParser):
    """Checks that elements nest, and keeps ids, tags and texts."""

    def __init__(self, text: str):
        super().__init__()
        self.open, self.ids, self.tags, self.texts = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in {"br", "img", "link", "meta"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def pages(folder):
    html, markdown = write_pages(folder)
    return html.read_text(encoding="utf-8"), markdown.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    return pages(full_folder(tmp_path_factory.mktemp("full"), seeds=2, picture_points=2000))


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    return pages(smoke_folder(tmp_path_factory.mktemp("smoke")))


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    folder = tmp_path_factory.mktemp("empty")
    write_table(folder / "table.csv.gz", {})
    return pages(folder)


@pytest.mark.parametrize("kind", ["full", "smoke", "empty"])
def test_every_folder_gives_a_whole_page(kind, request):
    html, _ = request.getfixturevalue(kind)
    page = Page(html)
    assert page.ids == SECTIONS
    links = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
    assert links == [f"#{name}" for name in SECTIONS]


@pytest.mark.parametrize("kind", ["full", "smoke", "empty"])
def test_pages_load_nothing(kind, request):
    html, _ = request.getfixturevalue(kind)
    for tag, attributes in Page(html).tags:
        assert tag not in {"iframe", "object", "embed"}
        for name in ("src", "href", "srcset", "data"):
            assert re.match(r"data:|#|$", attributes.get(name) or ""), (tag, attributes)
    assert "url(" not in html
    assert "@import" not in html


def test_sections_without_cells_say_so(smoke, empty):
    for html, markdown in (smoke, empty):
        assert html.count("No cells of this study yet.") >= 5
        assert "No cells of this study yet." in markdown
    assert "None: every planned cell has a result." in smoke[1]


def test_smaller_data_say_what_the_paper_has(smoke):
    assert "TB-20k (paper: TB-1M)" in smoke[1]


def test_a_full_folder_has_all_figures(full):
    tags = Page(full[0]).tags
    charts = [a for tag, a in tags if tag == "svg" and a.get("class") == "chart"]
    assert len(charts) == 4 * 3 + 2 * 3 + 5
    assert sum(tag == "img" for tag, _ in tags) == 5


def test_refused_and_missing_cells_are_listed(full):
    for page in full:
        assert "linkage of 180,000 micro-clusters" in page
        assert "Planned and not run" in page


def test_every_number_says_its_seeds(full):
    cells = [a for tag, a in Page(full[0]).tags if tag == "td" and "better" in a.get("class", "")]
    hinted = [a["title"] for a in cells if a.get("title")]
    assert any(re.match(r"2 seeds: [\d.]+, [\d.]+; machine 1", hint) for hint in hinted)


def tables_of(markdown):
    """The blocks of lines that start with a bar."""
    lines = markdown.splitlines()
    blocks = [[]]
    for line in lines:
        if line.startswith("|"):
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def assert_well_formed(markdown):
    tables = tables_of(markdown)
    assert tables
    for table in tables:
        columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table}
        assert len(columns) == 1
        assert re.fullmatch(r"\|( -{3}:? \|)+", table[1])


@pytest.mark.parametrize("kind", ["full", "smoke", "empty"])
def test_markdown_tables_are_well_formed(kind, request):
    assert_well_formed(request.getfixturevalue(kind)[1])


def test_hostile_text_stays_text(tmp_path):
    folder = Folder(tmp_path, group=HOSTILE)
    folder.lost("table", "tb", "LSEC", 0, "failed", HOSTILE)
    folder.cell("peers", "tb", "KMeans", 0, machine={HOSTILE: HOSTILE})
    folder.cell("table", "tb", "LSEC+", 0)
    record = folder.cell("peers", "strange", "Birch", 0, data_title=HOSTILE)
    varied = {"name": "m", "value": 5}
    folder.cell("members", record["data"], "LSEC", 0, varied=varied, data_title=HOSTILE)
    html, markdown = pages(folder.close())
    page = Page(html)
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    assert any("<script>alert(1)" in text for text in page.texts)
    assert "<script>" not in markdown
    assert_well_formed(markdown)


def test_a_method_without_results_renders(tmp_path):
    folder = Folder(tmp_path)
    for study in ("table", "members", "reuse", "discretization", "growth", "peers"):
        folder.lost(study, "mnist", "LSEC", 0, "timeout", "more than 1 s")
    html, markdown = pages(folder.close())
    Page(html)
    assert "timeout" in markdown


def test_unknown_data_and_methods_render(tmp_path):
    folder = Folder(tmp_path)
    folder.cell("table", "moons", "NewMethod", 0)
    html, _ = pages(folder.close())
    assert "moons" in html
    assert "NewMethod" in html


def test_axes_hold_their_values():
    for log in (False, True):
        for values in ([1.0], [0.5, 900.0], [97.1, 97.2], [2e6, 2e7]):
            axis = axis_over(values, 100.0, 0.0, log)
            assert all(0 <= axis.at(value) <= 100 for value in values)
            assert len(axis.ticks()) >= 2
            assert all(axis.low <= tick <= axis.high for tick in axis.ticks())


def test_colors_follow_the_classes():
    X = np.random.default_rng(0).normal(size=(500, 2)).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)
    assert draw_points(X, y, 1 - y) == draw_points(X, y, y)
    assert draw_points(X, y, np.zeros_like(y)) != draw_points(X, y, y)


def test_pictures_are_whole(full):
    for address in re.findall(r'src="data:image/png;base64,([^"]+)"', full[0]):
        assert base64.b64decode(address).endswith(b"IEND\xaeB`\x82")


def test_a_damaged_picture_does_not_cost_the_page(tmp_path):
    folder = Folder(tmp_path)
    for data in ("tb", "sf"):
        folder.picture(data, 500)
    path = tmp_path / "pictures" / "tb.npz"
    path.write_bytes(path.read_bytes()[:2000])
    html, _ = pages(folder.close())
    assert sum(tag == "img" for tag, _ in Page(html).tags) == 1
    assert "tb.npz is not a picture that can be read" in html


def test_the_command_writes_both_pages_elsewhere(tmp_path):
    folder = smoke_folder(tmp_path / "cells_here")
    result = CliRunner().invoke(main, ["report", str(folder), "--out", str(tmp_path / "pages")])
    assert result.exit_code == 0, result.output
    assert {path.name for path in (tmp_path / "pages").iterdir()} == {"report.html", "report.md"}


def test_the_command_refuses_a_folder_without_records(tmp_path):
    result = CliRunner().invoke(main, ["report", str(tmp_path)])
    assert result.exit_code == 2
    assert "has no records" in result.output


def test_pages_say_how_long_all_runs_took(tmp_path):
    folder = Folder(tmp_path)
    for seed, seconds in enumerate((90.0, 60.0)):
        folder.cell("table", "tb", "LSEC", seed, process_seconds=seconds)
    folder.close()
    write_pages(tmp_path)
    assert "- all runs took: 2.5 minutes\n" in (tmp_path / "report.md").read_text()
    assert "<dd>2.5 minutes</dd>" in (tmp_path / "report.html").read_text()
