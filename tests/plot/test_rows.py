"""Maps and profiles."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from lsec import LSEC, LightKMeans, plot
from lsec.colors import NOISE, cluster_colors
from lsec.plot import rows as rows_module
from lsec.plot.rows import labels_of, open_for, standardized_means
from lsec.sources import open_source


def rgb(labels):
    colors = [*cluster_colors(max(labels) + 1), NOISE]
    return np.array([to_rgb(colors[label]) for label in labels])


def test_a_map_draws_every_row_in_the_color_of_its_cluster(face):
    X, model = face
    drawn = plot.map(model, X).collections[0]
    assert_allclose(drawn.get_offsets(), X)
    assert_allclose(drawn.get_facecolors()[:, :3], rgb(model.labels_))


@pytest.mark.filterwarnings("error")
def test_rows_with_column_names_have_them_and_warn_of_nothing():
    X = pd.DataFrame(np.random.default_rng(0).random((300, 2)), columns=["x", "y"])
    model = LightKMeans(3, random_state=0).fit(X)
    ax = plot.map(model, X)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y")
    plot.profiles(model, X)


def test_tables_with_categories_are_drawn():
    rng = np.random.default_rng(0)
    half = rng.integers(0, 2, 600)
    X = pd.DataFrame({"x": 50 * rng.normal(9 * half, 1), "kind": np.where(half, "a", "b")})
    X["y"], X.loc[::5, "kind"] = rng.normal(size=600), None
    model = LSEC(2, categorical_features="from_dtype", scale_numeric=True, n_landmarks=50)
    model.fit(X)
    assert_array_equal(labels_of(model, open_for(model, X)), model.labels_)
    drawn = plot.map(model, X).collections[0].get_offsets()
    assert_allclose(drawn, X[["x", "y"]] / X[["x", "y"]].std(ddof=0))
    ax = plot.profiles(model, X)
    names = [text.get_text() for text in ax.get_xticklabels()]
    assert names == ["x", "y", "kind = a", "kind = b"]
    is_a = (X["kind"] == "a").to_numpy()
    share = [is_a[model.labels_ == cluster].mean() for cluster in range(2)]
    assert_allclose(ax.images[0].get_array()[:, 2], (share - is_a.mean()) / is_a.std(), rtol=1e-5)
    renamed = plot.profiles(model, X, feature_names=["width", "answer", "height"])
    names = [text.get_text() for text in renamed.get_xticklabels()]
    assert names == ["width", "height", "answer = a", "answer = b"]
    with pytest.raises(ValueError, match="feature_names has 2 names, X has 3 features"):
        plot.profiles(model, X, feature_names=["x", "y"])
    some = plot.map(model, X[:200]).collections[0].get_facecolors()[:, :3]
    assert_allclose(some, rgb(model.labels_)[:200])


def test_columns_in_another_order_are_refused():
    X = pd.DataFrame(np.random.default_rng(0).random((300, 2)), columns=["x", "y"])
    model = LightKMeans(3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="feature names"):
        plot.map(model, X[["y", "x"]])


def test_a_map_has_a_legend_of_all_clusters(face):
    X, model = face
    names = [text.get_text() for text in plot.map(model, X).get_legend().get_texts()]
    assert names == ["0", "1", "2", "3"]


def test_a_map_of_the_confidence_has_its_colors(face):
    X, model = face
    colors = plot.map(model, X, color="confidence").collections[0].get_facecolors()
    surest, least = np.argmax(model.confidence_), np.argmin(model.confidence_)
    assert colors[surest, :3].sum() > colors[least, :3].sum()  # cividis: dark to bright
    assert len(np.unique(colors, axis=0)) > 5


def test_pixels_have_the_mean_color_of_their_rows(monkeypatch):
    spots = np.array([[0.0, 0.0], [0.0, 9.0], [9.0, 9.0]])
    X = np.repeat(spots, 20, axis=0)
    monkeypatch.setattr(rows_module, "MOST_POINTS", 10)
    model = LightKMeans(3, random_state=0).fit(X)
    image = plot.map(model, X).images[0].get_array()
    corners = image[[0, -1, -1], [0, 0, -1]]
    assert_allclose(corners[:, :3], rgb(model.labels_[::20]))
    assert (image[:, :, 3] > 0).sum() == 3


def test_noise_is_gray_and_in_the_legend(face, monkeypatch):
    X, model = face
    labels = np.where(np.arange(len(X)) % 5, model.labels_, -1)
    monkeypatch.setattr(rows_module, "labels_of", lambda model, rows: labels)
    ax = plot.map(model, X)
    assert_allclose(ax.collections[0].get_facecolors()[:, :3], rgb(labels))
    assert ax.get_legend().get_texts()[-1].get_text() == "noise"


def test_other_rows_are_labeled_by_predict(face):
    X, model = face
    other = X[::-1].copy()
    assert_array_equal(labels_of(model, open_source(other)), model.labels_[::-1])
    with pytest.raises(ValueError, match="rows that the model was fitted to"):
        plot.map(model, other, color="confidence")


def test_wide_rows_are_drawn_along_their_principal_directions():
    rng = np.random.default_rng(0)
    X = rng.normal(0, 0.01, (300, 6))
    X[:, 4] += np.repeat([0.0, 8.0, 16.0], 100)
    model = LightKMeans(3, random_state=0).fit(X)
    for rows in (X, sparse.csr_matrix(X)):
        x = plot.map(model, rows).collections[0].get_offsets()[:, 0]
        assert abs(np.corrcoef(x, X[:, 4])[0, 1]) > 0.999


def test_coordinates_take_the_place_of_directions(face):
    X, model = face
    drawn = plot.map(model, X, coordinates=-X).collections[0]
    assert_allclose(drawn.get_offsets(), -X)


@pytest.mark.parametrize("shape", [(1500, 3), (7, 2)])
def test_coordinates_of_another_shape_are_refused(face, shape):
    X, model = face
    with pytest.raises(ValueError, match=r"must have shape \(1500, 2\).* got \(\d+, \d\)"):
        plot.map(model, X, coordinates=np.zeros(shape))


def test_a_single_column_needs_coordinates():
    X = np.linspace(0, 1, 50)[:, None]
    model = LightKMeans(2, random_state=0).fit(X)
    with pytest.raises(ValueError, match="Pass coordinates"):
        plot.map(model, X)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_standardized_means_are_those_of_numpy(make):
    rng = np.random.default_rng(0)
    X = rng.normal([0, 1e3, 0, -5, 0], size=(400, 5))
    labels = rng.integers(-1, 3, 400)
    X[:, 2] = 4.0  # does not vary
    found = standardized_means(open_source(make(X)), labels)
    means = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    deviation = np.where(np.arange(5) == 2, 1, X.std(axis=0))
    assert_allclose(found, (means - X.mean(axis=0)) / deviation, atol=1e-6)


def test_profiles_draw_the_features_that_differ(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    X[:, [1, 4]] += 20 * np.repeat([0, 1, 2], 100)[:, None]
    monkeypatch.setattr(rows_module, "MOST_FEATURES", 2)
    model = LightKMeans(3, random_state=0).fit(X)
    ax = plot.profiles(model, X, feature_names=list("abcdef"))
    assert [text.get_text() for text in ax.get_xticklabels()] == ["b", "e"]
    assert ax.images[0].get_array().shape == (3, 2)


def test_names_must_be_as_many_as_features(face):
    X, model = face
    with pytest.raises(ValueError, match="feature_names has 3 names, X has 2 features"):
        plot.profiles(model, X, feature_names=["a", "b", "c"])


def test_profiles_of_files_find_columns_by_name(face, tmp_path):
    frame = pd.DataFrame(face[0] * [1, 5], columns=["x", "y"])
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame[["y", "x"]].to_csv(tmp_path / "swapped.csv", index=False)
    model = LightKMeans(4, random_state=0).fit(tmp_path / "rows.csv")
    drawn = [
        plot.profiles(model, tmp_path / name).images[0].get_array()
        for name in ("rows.csv", "swapped.csv")
    ]
    assert_array_equal(*drawn)
