"""The page of a model: its data are those of the model, and it stays safe and small."""

import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import lsec
from lsec.datasets import load_pendigits
from lsec.explorer import document
from lsec.explorer.exploration import Exploration
from lsec.plot.rows import open_any
from tests.explorer.pages import Page


@pytest.fixture
def page_of(tmp_path):
    def page_of(model, X, **settings):
        model.explore(X, tmp_path / "page.html", **settings)
        return Page((tmp_path / "page.html").read_text(encoding="utf-8"))

    return page_of


def page_of_some(model, X, most_rows):
    return Page(document.render(Exploration.of(model, open_any(X), most_rows=most_rows)))


def test_every_layer_of_the_page_is_that_of_labels_at(face, page_of):
    X, model = face
    page = page_of(model, X)
    assert (page.labels_at(4) == -1).any()
    for k in (1, 2, 4, 9, 60):
        assert_array_equal(page.labels_at(k), model.labels_at(k))
    assert_array_equal(page.labels_at(4), model.labels_)


def test_rows_are_where_they_are_and_as_sure_as_they_are(face, page_of):
    X, model = face
    page = page_of(model, X)
    assert_array_equal(page.column("positions"), np.arange(len(X)))
    assert_allclose(page.coordinates(), X, atol=np.ptp(X) / 60_000)
    assert_allclose(page.column("confidence") / 255, model.confidence_, atol=0.5 / 255 + 1e-6)
    groups = model.labels_at(len(model.tree_.weights))
    assert page.facts["counts"] == np.bincount(groups[groups >= 0]).tolist()
    sizes = np.bincount(groups[groups >= 0])
    sure = np.bincount(groups[groups >= 0], model.confidence_[groups >= 0]) / np.maximum(sizes, 1)
    assert_allclose(page.facts["groupConfidence"], sure, atol=6e-4)


def test_a_loaded_model_shows_new_rows_as_it_predicts_them(face, page_of, tmp_path):
    X, model = face
    model.save(tmp_path / "model.lsec")
    loaded, new = lsec.load(tmp_path / "model.lsec"), X[::-1][:700] + 1e-3
    page = page_of(loaded, new)
    assert_array_equal(page.labels_at(4), model.predict(new))
    assert_array_equal(page.labels_at(11), model.labels_at(11, new))
    sure = model.predict_membership(new).max(axis=1)
    assert_allclose(page.column("confidence") / 255, sure, atol=0.5 / 255 + 1e-6)


@pytest.mark.parametrize("n_rows", [500, 300])
def test_tables_with_categories_have_a_page(page_of, n_rows):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    half = rng.integers(0, 2, 500)
    X = pandas.DataFrame({"kind": np.where(half, "a", "b"), "x": 50 * rng.normal(9 * half, 1)})
    X["y"], X.loc[::5, "kind"] = rng.normal(size=500), None
    model = lsec.LSEC(2, categorical_features="from_dtype", scale_numeric=True, n_landmarks=50)
    page = page_of(model.fit(X), X[:n_rows])
    assert_array_equal(page.labels_at(2), model.labels_[:n_rows])
    assert page.facts["axes"] == ["x", "y"]
    features = {one["name"]: one for one in page.facts["features"]}
    assert set(features) == {"x", "y", "kind = a", "kind = b"}
    ends = features["x"]["low"], features["x"]["high"]
    assert_allclose(ends, X["x"][:n_rows].quantile([0.002, 0.998]), rtol=0.01)
    number = page.facts["features"].index(features["kind = a"])
    assert_array_equal(page.column(f"feature-{number}") == 255, X["kind"][:n_rows] == "a")


def test_cards_have_the_typical_rows_of_the_model(face, page_of):
    X, model = face
    page = page_of(model, X)
    typical, unsure = np.array(page.facts["typical"]), np.array(page.facts["unsure"])
    for cluster, rows in enumerate(model.typical_rows(3)):
        assert_array_equal(typical[model.labels_[typical] == cluster][:3], rows)
        mine = model.confidence_[model.labels_ == cluster]
        assert model.confidence_[unsure[model.labels_[unsure] == cluster][0]] == mine.min()


def test_of_many_rows_a_sample_is_drawn_and_all_are_counted(face):
    X, model = face
    page = page_of_some(model, X, most_rows=500)
    positions = page.column("positions")
    on_cards = set(page.facts["typical"] + page.facts["unsure"])
    assert 400 <= len(positions) <= 500 + len(on_cards) < len(X)
    assert_array_equal(page.labels_at(4), model.labels_[positions])
    assert sum(page.facts["counts"]) == (model.labels_ >= 0).sum()
    assert (page.facts["nRows"], page.facts["nDrawn"]) == (3000, len(positions))
    assert_allclose(page.coordinates(), X[positions], atol=np.ptp(X) / 60_000)


def test_a_sample_of_new_rows(face, tmp_path):
    X, model = face
    new = X + 1e-3
    page = page_of_some(model, new, most_rows=400)
    positions = page.column("positions")
    assert len(positions) == len(page.column("confidence")) <= 400
    assert_array_equal(page.labels_at(4), model.predict(new)[positions])
    assert sum(page.facts["counts"]) == (model.predict(new) >= 0).sum()


def test_periodic_rows_are_drawn_evenly(face):
    X, model = face
    positions = page_of_some(model, X, most_rows=300).column("positions")
    assert len(set((positions % 10).tolist())) == 10  # 3000 / 300: not every tenth row


def test_profiles_and_features_tell_clusters_apart(page_of):
    X, y = load_pendigits().data[:3000], load_pendigits().target[:3000]
    flat = np.c_[X[:, :5], np.full(len(X), 7.0)]
    model = lsec.LSEC(10, n_base=6, random_state=0).fit(flat)
    page = page_of(model, flat, feature_names=list("abcdef"))
    features = page.facts["features"]
    assert sorted(f["name"] for f in features) == list("abcdef")
    assert features[-1]["name"] == "f"  # does not vary
    counts, profile = np.array(page.facts["counts"]), np.array(page.facts["profile"])
    assert_allclose(counts @ profile / counts.sum(), 0, atol=1e-3)
    for i, feature in enumerate(features[:-1]):
        column = flat[:, "abcdef".index(feature["name"])]
        steps = page.column(f"feature-{i}") / 255
        shown = feature["low"] + steps * (feature["high"] - feature["low"])
        within = np.clip(column, feature["low"], feature["high"])
        assert_allclose(shown, within, atol=(feature["high"] - feature["low"]) / 500)
    assert len(np.unique(y)) == 10


def test_data_frames_name_the_features_and_warn_of_nothing(page_of):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(load_pendigits().data[:1500, :4], columns=["a", "b", "<c>", "d"])
    model = lsec.LSEC(5, n_base=6, random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page, new = page_of(model, X), page_of(model, X[:-1])
    for one in (page, new):
        assert {f["name"] for f in one.facts["features"]} == {"a", "b", "<c>", "d"}
    with pytest.raises(ValueError, match="feature names"):
        page_of(model, X[["d", "a", "b", "<c>"]])


def test_wide_and_sparse_rows_show_thirty_features(page_of):
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1], 300)
    X = rng.poisson(0.2 + 2 * (kind[:, None] == (np.arange(70) % 35 == 0)), (600, 70)).astype(float)
    model = lsec.LSEC(2, n_base=5, base_clusters=(3, 6), random_state=0).fit(sparse.csr_matrix(X))
    page = page_of(model, sparse.csr_matrix(X))
    assert (page.facts["nFeatures"], len(page.facts["features"])) == (70, 30)
    assert page.facts["axes"][0] == "first principal direction"
    assert_array_equal(page.labels_at(2), model.labels_)


def test_features_are_left_out_of_a_page_that_would_be_too_large(face, page_of, monkeypatch):
    X, model = face
    whole = page_of(model, X)
    assert [f["drawn"] for f in whole.facts["features"]] == [True, True]
    sizes = [len(found) for found in re.findall(r'id="column-[^>]*>(.*?)</script>', whole.text)]
    monkeypatch.setattr(document, "MOST_BYTES", sum(sizes) - 1)
    small = page_of(model, X, names=[f"{i:032x}" for i in range(len(X))])
    assert not small.facts["hasNames"]
    assert small.facts["cardNames"][str(small.facts["typical"][0])]  # cards have names anyway
    assert [f["drawn"] for f in small.facts["features"]] == [True, False]
    assert 'id="column-feature-1"' not in small.text


EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;<!--"


def test_names_are_never_code(face, page_of):
    X, model = face
    page = page_of(model, X, names=[EVIL] * len(X), feature_names=[EVIL, '"x\u2028\ud800'])
    assert page.facts["features"][0]["name"] in (EVIL, '"x\u2028\ud800')
    assert page.column("names") == [EVIL] * len(X)
    assert "<img" not in page.text and "alert(1)</script>" not in page.text
    plain = page_of(model, X)
    assert len(re.findall("<script", page.text)) == len(re.findall("<script", plain.text)) + 1


def test_the_page_asks_for_nothing_from_elsewhere(face, page_of):
    X, model = face
    assert not re.findall(r"(?:https?:)?//[a-z]+\.|@import|src=", page_of(model, X).text)


@pytest.mark.parametrize("scale", [1e-200, 1e290])
def test_rows_of_extreme_size(face, scale):
    X, model = face
    far = X.astype(np.float64) * scale
    page = Page(document.render(Exploration.of(model, open_any(X), coordinates=far)))
    assert_allclose(page.coordinates(), far, atol=float(np.ptp(X)) * scale / 60_000)


def test_wrong_arguments_are_refused_with_the_remedy(face, tmp_path):
    X, model = face
    path = tmp_path / "page.html"
    with pytest.raises(ValueError, match=r"names has 2 names, X has 3000 rows.*feature_names"):
        model.explore(X, path, names=["width", "height"])
    with pytest.raises(ValueError, match="feature_names has 3 names, X has 2 features"):
        model.explore(X, path, feature_names=["a", "b", "c"])
    with pytest.raises(ValueError, match="3 features"):
        model.explore(np.zeros((10, 3)), path)
    np.save(tmp_path / "rows.npy", X)
    with pytest.raises(ValueError, match="must not overwrite"):
        model.explore(tmp_path / "rows.npy", tmp_path / "rows.npy")
    assert not path.exists()


def test_dask_collections_are_refused(face, tmp_path):
    array = pytest.importorskip("dask.array")
    X, model = face
    with pytest.raises(ValueError, match=r"X\.compute\(\)"):
        model.explore(array.from_array(X), tmp_path / "page.html")
