"""The page of a model in a real browser: it draws, and its parts do what they say."""

import csv
import io
import os
import re

import numpy as np
import pytest

if os.name != "posix":
    pytest.skip("the browser is told what to do by POSIX pipes", allow_module_level=True)

from benchmarks.harness.browser import browser, executable

pytestmark = pytest.mark.skipif(executable() is None, reason="no Chromium or Chrome on the path")

# Runs in the page.
PROBE = """(async () => {
const pause = () => new Promise((done) => setTimeout(done, 150));
const canvas = document.getElementById("points");

/** Colors of the canvas, by the number of their pixels, after the next drawing. */
function nextPicture() {
  return new Promise((done) => canvas.addEventListener("drawn", () => {
    const gl = map.gl, pixels = new Uint8Array(4 * canvas.width * canvas.height), seen = {};
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    for (let i = 0; i < pixels.length; i += 4) {
      const color = pixels.slice(i, i + 3).join(",");
      seen[color] = (seen[color] ?? 0) + 1;
    }
    done(seen);
  }, { once: true }));
}

/** The picture after an action. */
async function after(action) {
  action();
  await pause();
  const picture = nextPicture();
  map.draw();
  return picture;
}

function change(id, value) {
  const input = document.getElementById(id);
  input.value = value;
  input.dispatchEvent(new Event("input"));
  input.dispatchEvent(new Event("change"));
}

  await started;
  const seen = {};
  seen.first = await after(() => map.redraw());
  seen.layers = [1, 2, 4, 9, 60].map((k) => [k, [...layerOf(k).ofGroup]]);
  seen.colors = [3, 4, 5].map((k) => layerOf(k).colors);
  seen.two = await after(() => change("layer", 2));
  seen.number = document.getElementById("number").textContent;
  seen.four = await after(() => change("layer", 4));
  seen.confidence = await after(() => change("color", "confidence"));
  seen.ends = [...document.querySelectorAll("#legend span")].map((one) => one.textContent);
  seen.feature = await after(() => change("color", "0"));
  change("color", "cluster");
  const button = document.getElementById("closer");
  seen.closer = await after(() => { for (let i = 0; i < 9; i++) button.click(); });
  seen.whole = await after(() => document.getElementById("whole").click());
  canvas.setPointerCapture = () => {}; // there is no such pointer
  const box = canvas.getBoundingClientRect();
  const at = (type, x, y) => canvas.dispatchEvent(
    new PointerEvent(type, { clientX: box.left + x, clientY: box.top + y, pointerId: 1 }));
  const [x0, y0] = map.pixelsAt(0);
  at("pointermove", x0, y0);
  await pause();
  seen.tip = document.getElementById("tip").textContent;
  seen.place = map.nearest(x0, y0);
  seen.moved = await after(() => {
    at("pointerdown", 300, 300); at("pointermove", 3000, 300); at("pointerup", 3000, 300);
  });
  document.getElementById("whole").click();

  const cards = () => [...document.querySelectorAll(".card")];
  seen.cards = cards().map((card) => card.innerText);
  seen.highlighted = await after(() => cards()[0].querySelector(".head").click());
  seen.highlightedCsv = await (await chosenAsCsv()).text();
  change("layer", 9);
  seen.nineCards = cards().length;
  change("layer", 4);
  document.getElementById("clear").click();
  seen.cleared = await after(() => {});
  cards()[0].querySelector(".row").click();
  await pause();
  seen.row = document.getElementById("tip").textContent;
  document.getElementById("whole").click();

  document.getElementById("lasso").click();
  const { clientWidth: w, clientHeight: h } = canvas;
  seen.lasso = await after(() => {
    at("pointerdown", 0, 0);
    for (const place of [[w / 2, 0], [w / 2, h], [0, h]]) at("pointermove", ...place);
    at("pointerup", 0, h);
  });
  seen.middle = map.unitsAt(w / 2, 0)[0];
  seen.count = document.getElementById("count").textContent;
  const saved = new Promise((done) => { URL.createObjectURL = (blob) => (done(blob), "data:,"); });
  HTMLAnchorElement.prototype.click = function () { seen.file = this.download; };
  document.getElementById("save").click();
  seen.csv = await (await saved).text();
  return seen;
})()"""
WHITE = "255,255,255"
NAMES = ('<b>bold</b>, "quoted"', "two\nlines", "plain")


@pytest.fixture(scope="module")
def seen(face, tmp_path_factory):
    X, model = face
    page = tmp_path_factory.mktemp("page") / "page.html"
    model.explore(X, page, names=[f"{i} {NAMES[i % 3]}" for i in range(len(X))])
    with browser() as tab:
        tab.size(1200, 800)
        tab.open(page)
        found = tab.run(PROBE)
        tab.size(400, 700)
        narrow = tab.run("document.documentElement.scrollWidth")
        return {**found, "problems": tab.problems, "narrow": narrow}


def n_points(picture):
    """Pixels that are not white."""
    return sum(count for color, count in picture.items() if color != WHITE)


def test_nothing_fails_and_nothing_is_asked_for(seen):
    assert seen["problems"] == []


def test_the_page_fits_narrow_screens(seen):
    assert seen["narrow"] <= 400


def test_the_map_shows_clusters_and_noise(seen):
    assert n_points(seen["first"]) > 3000
    common = [color for color, count in seen["first"].items() if count > 100]
    assert len(common) >= 5 + 1  # clusters, noise and white


def test_layers_are_those_of_labels_at(face, seen):
    _, model = face
    groups = model.labels_at(len(model.tree_.weights))
    sure = groups >= 0
    for k, of_group in seen["layers"]:
        assert np.array_equal(np.array(of_group)[groups[sure]], model.labels_at(k)[sure])


def test_the_slider_merges_clusters(seen):
    assert seen["number"] == "2"
    assert seen["four"] == seen["first"]
    common = [color for color, count in seen["two"].items() if count > 200]
    assert len(common) < len([c for c, count in seen["first"].items() if count > 200])


def test_colors_stay_when_clusters_split_or_merge(seen):
    three, four, five = seen["colors"]
    assert len(set(four)) == 4 and len(set(five)) == 5
    assert set(three) < set(four) < set(five)


def test_confidence_and_features_color_the_map(seen):
    assert seen["ends"] == ["0", "1"]
    assert len(seen["feature"]) > 50
    assert n_points(seen["confidence"]) > 3000


def test_the_view_moves_and_comes_back(seen):
    assert 0 < n_points(seen["closer"]) < n_points(seen["first"]) / 2
    assert seen["whole"] == seen["first"]
    assert n_points(seen["moved"]) == 0


def rows_of(csv_text):
    """Rows of a CSV file, by name of column."""
    return list(csv.DictReader(io.StringIO(csv_text, newline="")))


def test_cards_tell_of_every_cluster(face, seen):
    _, model = face
    sizes = np.bincount(model.labels_[model.labels_ >= 0])
    order = np.argsort(-sizes, kind="stable")
    assert len(seen["cards"]) == 4 and seen["nineCards"] == 9
    for cluster, text in zip(order, seen["cards"], strict=True):
        sure = model.confidence_[model.labels_ == cluster].mean()
        assert f"Cluster {cluster}" in text and f"{sizes[cluster]:,} rows" in text
        shown = re.search(r"confidence\s+(\d\.\d\d)", text)[1]
        assert abs(float(shown) - sure) < 0.01 and "feature 0" in text
        for row in model.typical_rows(3)[cluster]:
            assert " ".join(f"{row} {NAMES[row % 3]}".split()) in " ".join(text.split())


def test_a_card_shows_its_cluster_alone_and_its_rows(face, seen):
    _, model = face
    largest = np.bincount(model.labels_[model.labels_ >= 0]).argmax()
    chosen = rows_of(seen["highlightedCsv"])
    assert [int(row["row"]) for row in chosen] == np.flatnonzero(model.labels_ == largest).tolist()
    assert {row["cluster"] for row in chosen} == {str(largest)}
    assert seen["highlighted"] != seen["first"] == seen["cleared"]
    typical = model.typical_rows(1)[largest][0]
    assert seen["row"].startswith(f"row {typical:,}: {typical} {NAMES[typical % 3]}")


def test_a_line_around_rows_chooses_them_for_a_csv_file(face, seen):
    X, model = face
    x = (X[:, 0] - X[:, 0].min()) / np.ptp(X[:, 0])
    inside = np.flatnonzero(np.rint(65535 * x) / 65535 < seen["middle"])
    chosen = rows_of(seen["csv"])
    assert seen["count"] == f"{len(inside):,} rows chosen"
    assert 0 < len(inside) < len(X)
    assert [int(row["row"]) for row in chosen] == inside.tolist()
    assert [int(row["cluster"]) for row in chosen] == model.labels_[inside].tolist()
    sure = [float(row["confidence"]) for row in chosen]
    np.testing.assert_allclose(sure, model.confidence_[inside], atol=0.0026)
    assert [row["name"] for row in chosen] == [f"{i} {NAMES[i % 3]}" for i in inside]
    assert seen["file"] == "rows of 4 clusters.csv"
    assert seen["lasso"] != seen["first"]


def test_a_point_is_described_in_plain_text(face, seen):
    _, model = face
    i = seen["place"]
    name = f"{i} {NAMES[i % 3]}"
    cluster = "noise" if model.labels_[i] < 0 else f"cluster {model.labels_[i]}"
    text, sure = seen["tip"].rsplit(" ", 1)
    assert text == f"row {i:,}: {name}\n{cluster}, confidence"
    assert abs(float(sure) - model.confidence_[i]) < 0.01
