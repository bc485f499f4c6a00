"""The page of a model in a real browser: it draws, and its parts do what they say."""

import os

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
  seen.moved = await after(() => {
    const at = (type, x, y) => canvas.dispatchEvent(
      new PointerEvent(type, { clientX: x, clientY: y, pointerId: 1 }));
    canvas.setPointerCapture = () => {};
    at("pointerdown", 300, 300); at("pointermove", 3000, 300); at("pointerup", 3000, 300);
  });
  return seen;
})()"""
WHITE = "255,255,255"


@pytest.fixture(scope="module")
def seen(face, tmp_path_factory):
    X, model = face
    page = tmp_path_factory.mktemp("page") / "page.html"
    model.explore(X, page, names=[f"<b>{i}</b>" for i in range(len(X))])
    with browser() as tab:
        tab.size(1200, 800)
        tab.open(page)
        return {**tab.run(PROBE), "problems": tab.problems}


def n_points(picture):
    """Pixels that are not white."""
    return sum(count for color, count in picture.items() if color != WHITE)


def test_nothing_fails_and_nothing_is_asked_for(seen):
    assert seen["problems"] == []


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
