"""The result page in a real browser, opened from disk and without a network."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape

import pytest
from made_up_records import full_folder

from benchmarks.pages.write import write_pages

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome on the path")

# Runs in a copy of the page, and leaves what it saw in an element for the test to read.
PROBE = """
<script>
addEventListener("load", () => {
  const column = (table, n) =>
    [...table.tBodies[0].rows].map((row) => row.cells[n].dataset.sort);
  const tables = [...document.querySelectorAll("table.sortable")];
  const sorted = [];
  const table = tables[0];
  for (const turn of ["up", "down"]) {
    table.tHead.rows[0].cells[1].querySelector("button").click();
    sorted.push({values: column(table, 1), state: table.tHead.rows[0].cells[1].ariaSort});
  }
  table.tHead.rows[0].cells[0].querySelector("button").click();
  const back = [...table.tBodies[0].rows].map((row) => row.cells[0].innerText.split("\\n")[0]);
  const all = tables.flatMap((one) => [...one.tHead.rows[0].cells].map((heading, n) => {
    heading.removeAttribute("aria-sort");
    heading.querySelector("button").click();
    return column(one, n);
  }));
  const seen = {
    all,
    sorted,
    back,
    foot: table.tFoot.rows.length,
    errors: window.errors,
    tables: tables.length,
    images: [...document.images].map((image) => image.naturalWidth),
    charts: [...document.querySelectorAll("svg.chart")].map((c) => c.getBoundingClientRect().width),
    requests: performance.getEntriesByType("resource").map((r) => r.name)
      .filter((name) => !name.startsWith("data:")),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  };
  const result = document.createElement("pre");
  result.id = "seen";
  result.textContent = JSON.stringify(seen);
  document.body.append(result);
});
</script>
"""
ERRORS = "<script>window.errors = []; onerror = (text) => { window.errors.push(text); };</script>"


def look(page, width=1400):
    """Open a page and return what the probe saw."""
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},900"]
    command += ["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=5000"]
    command += [f"--user-data-dir={page.parent / 'profile'}", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    return json.loads(unescape(found[1]))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = full_folder(tmp_path_factory.mktemp("browser"), seeds=2, picture_points=2000)
    text = write_pages(folder)[0].read_text(encoding="utf-8")
    copy = folder / "probed.html"
    copy.write_text(
        text.replace("<head>", f"<head>{ERRORS}", 1).replace("</body>", f"{PROBE}</body>"),
        encoding="utf-8",
    )
    return copy


@pytest.fixture(scope="module")
def seen(page):
    return look(page)


def test_tables_sort_up_and_down(seen):
    up, down = seen["sorted"]
    values = [float(value) for value in up["values"]]
    assert len(values) == 10
    assert values == sorted(values)
    assert (up["state"], down["state"]) == ("ascending", "descending")
    assert [float(value) for value in down["values"]] == values[::-1]


def test_all_columns_of_all_tables_sort(seen):
    assert len(seen["all"]) > 100
    for values in seen["all"]:
        given = [value for value in values if value]
        assert values == given + [""] * (len(values) - len(given))  # what is missing stays last
        if all(re.fullmatch(r"-?\d+(\.\d+)?(e[-+]\d+)?", value) for value in given):
            assert given == sorted(given, key=float)


def test_the_first_column_gives_the_order_of_the_paper_back(seen):
    assert seen["back"][:3] == ["PenDigits", "USPS", "Letters"]
    assert seen["back"][-1] == "FL-20M"
    assert seen["foot"] == 2


def test_pictures_and_charts_show(seen):
    assert len(seen["images"]) == 5
    assert min(seen["images"]) > 0
    assert len(seen["charts"]) == 4 * 3 + 2 * 3 + 5
    assert min(seen["charts"]) > 100


def test_nothing_is_loaded_and_nothing_fails(seen):
    assert seen["requests"] == []
    assert seen["errors"] == []


def test_the_page_fits_narrow_screens(page):
    assert look(page, width=500)["overflow"] <= 0
