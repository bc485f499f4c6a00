"""The generated data sets with known clusters, and the study that compares methods on them."""

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestCentroid

from benchmarks.harness import study_tasks
from benchmarks.harness.process import Clock
from benchmarks.harness.shapes import BATTERIES, SHAPES, draw
from benchmarks.studies import shapes as study

SIZES = {  # rows, columns and clusters
    "atom": (800, 3, 2), "chainlink": (1000, 3, 2), "engytime": (4096, 2, 2), "hepta": (212, 3, 7),
    "lsun": (400, 2, 3), "target": (770, 2, 6), "tetra": (400, 3, 4), "twodiamonds": (800, 2, 2),
    "wingnut": (1016, 2, 2),
    "dense": (200, 2, 2), "fuzzyx": (1000, 2, 5), "line": (250, 2, 2), "parabolic": (1000, 2, 2),
    "ring": (1000, 2, 2), "ring_noisy": (1050, 2, 2), "ring_outliers": (1030, 2, 5),
    "zigzag": (250, 2, 3), "zigzag_noisy": (300, 2, 3), "zigzag_outliers": (280, 2, 5),
    "a1": (3000, 2, 20), "a2": (5250, 2, 35), "a3": (7500, 2, 50), "aggregation": (788, 2, 7),
    "birch_grid": (10_000, 2, 100), "birch_sine": (10_000, 2, 100), "compound": (399, 2, 6),
    "d31": (3100, 2, 31), "dim32": (1024, 32, 16), "flame": (240, 2, 2), "jain": (373, 2, 2),
    "pathbased": (300, 2, 3), "r15": (600, 2, 15), "s1": (5000, 2, 15), "s2": (5000, 2, 15),
    "s3": (5000, 2, 15), "s4": (5000, 2, 15), "spiral": (312, 2, 3), "unbalance": (6500, 2, 8),
    "ecoli_like": (336, 7, 8), "glass_like": (214, 9, 6), "ionosphere_like": (351, 34, 2),
    "iris_like": (150, 4, 3), "statlog_like": (2310, 19, 7), "wdbc_like": (569, 30, 2),
    "wine_like": (178, 13, 3), "yeast_like": (1484, 8, 10), "iris": (150, 4, 3),
    "wine": (178, 13, 3), "breast_cancer": (569, 30, 2), "digits": (1797, 64, 10),
    "circles": (4000, 2, 4), "cross": (2000, 2, 4), "isolation": (9000, 2, 3),
    "labirynth": (3500, 2, 7), "mk1": (300, 2, 3), "mk2": (1000, 2, 2), "mk3": (600, 3, 3),
    "mk4": (1500, 3, 3), "olympic": (5000, 2, 5), "smile": (1000, 2, 5), "stripes": (5000, 2, 2),
    "trajectories": (10_000, 2, 4), "trapped_lovers": (5000, 3, 3), "twosplashes": (400, 2, 2),
    "windows": (2977, 2, 5), "x1": (120, 2, 3), "x2": (120, 2, 3), "x3": (185, 2, 4),
    "z1": (192, 2, 3), "z2": (900, 2, 5), "z3": (1000, 2, 4),
}  # fmt: skip
FAR_APART = [
    *("atom", "chainlink", "hepta", "lsun", "target", "ring", "ring_outliers", "zigzag"),
    *("zigzag_outliers", "dim32", "spiral", "circles", "cross", "smile", "windows"),
]
OVERLAPPING = ["engytime", "fuzzyx", "s4", "glass_like", "yeast_like", "twosplashes"]


def drawn(name, seed=0):
    return SHAPES[name](np.random.default_rng(seed))


def test_every_shape_belongs_to_one_battery_and_has_its_sizes_here():
    assert sum(map(len, BATTERIES.values())) == len(SHAPES)
    assert set(SHAPES) == set(SIZES)


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_has_its_sizes_and_every_label(name):
    X, y = drawn(name)
    n_rows, n_columns, n_clusters = SIZES[name]
    assert X.shape == (n_rows, n_columns)
    assert X.dtype == np.float64
    assert np.isfinite(X).all()
    assert np.issubdtype(y.dtype, np.integer)
    assert np.unique(y).tolist() == list(range(n_clusters))
    assert (np.diff(y) < 0).any()  # shuffled


@pytest.mark.parametrize("name", SHAPES)
def test_the_seed_decides_the_rows(name):
    X, y = drawn(name, 3)
    again, labels = drawn(name, 3)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, labels)
    assert not np.array_equal(X, drawn(name, 4)[0])


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", FAR_APART)
def test_single_linkage_finds_clusters_that_are_far_apart(name, seed):
    X, y = drawn(name, seed)
    found = AgglomerativeClustering(int(y.max()) + 1, linkage="single").fit_predict(X)
    assert adjusted_rand_score(y, found) == 1


@pytest.mark.parametrize("name", OVERLAPPING)
def test_single_linkage_does_not_find_clusters_that_overlap(name):
    X, y = drawn(name)
    found = AgglomerativeClustering(int(y.max()) + 1, linkage="single").fit_predict(X)
    assert adjusted_rand_score(y, found) < 0.5


@pytest.mark.parametrize("seed", range(3))
def test_s1_to_s4_overlap_more_and_more(seed):
    scores = []
    for name in ("s1", "s2", "s3", "s4"):
        X, y = drawn(name, seed)
        scores.append(adjusted_rand_score(y, NearestCentroid().fit(X, y).predict(X)))
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0.97
    assert 0.4 < scores[-1] < 0.75


@pytest.mark.parametrize(("name", "load"), [("wine", load_wine), ("digits", load_digits)])
def test_real_data_sets_are_those_of_scikit_learn(name, load):
    X, y = load(return_X_y=True)
    mixed, labels = drawn(name)
    ours, theirs = np.column_stack([mixed, labels]), np.column_stack([X, y])
    np.testing.assert_array_equal(ours[np.lexsort(ours.T)], theirs[np.lexsort(theirs.T)])


def test_noise_belongs_to_the_nearest_cluster():
    rng = np.random.default_rng(0)
    left, right = draw.with_noise(rng, [np.array([[0.0, 0]]), np.array([[10.0, 1]])], 50)
    assert len(left) + len(right) == 52
    assert left[:, 0].max() <= 5.05  # the bisector runs from (5.05, 0) to (4.95, 1)
    assert right[:, 0].min() >= 4.95


def test_places_keep_their_distance_where_there_is_room():
    places = draw.apart(np.random.default_rng(0), 20, side=10, distance=1.5)
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2) + 99 * np.eye(20)
    assert gaps.min() >= 1.5
    assert len(draw.apart(np.random.default_rng(0), 30, side=1, distance=1)) == 30


def test_sizes_add_up():
    assert draw.sizes(10, [1, 1, 1]).tolist() == [3, 4, 3]
    assert draw.sizes(5000, [0.9, 1.1, 1.3]).sum() == 5000


def test_the_task_scores_each_method_with_the_true_number_of_clusters():
    far, dull = study.linked("single"), study.METHODS["KMeans"]
    methods = {"single": far.request(0, {}), "KMeans": dull.request(0, {})}
    found = study_tasks.cluster_shape(Clock(), "ring", 0, methods)
    assert found["scores"]["single"]["ari"] == pytest.approx(100)
    assert found["scores"]["KMeans"]["ari"] < 50
    assert (found["n_rows"], found["n_columns"], found["n_clusters"]) == SIZES["ring"]


def cell(**scores):
    sizes = {"n_rows": 9, "n_columns": 2, "n_clusters": 3}
    return {"scores": {name: {"ari": score} for name, score in scores.items()}, **sizes}


def test_the_summary_has_means_over_seeds_then_shapes():
    cells = {
        "atom/0": cell(LSEC=100.0, Genie=90.0, KMeans=20.0),
        "atom/1": cell(LSEC=80.0, Genie=90.0, KMeans=40.0),
        "hepta/0": cell(LSEC=60.0, Genie=70.0),
        "iris/0": cell(LSEC=45.0, Genie=20.0),
    }
    summary, fcps, *_ = study.tables(cells)
    rows = {row[0].text: [entry.text for entry in row[1:]] for row in summary.rows}
    assert list(summary.columns) == ["battery", "shapes", "LSEC", "Genie"]  # not in every cell
    assert rows["fcps"] == ["2", "75.00", "80.00"]
    assert rows["all"] == ["3", "65.00", "60.00"]
    assert rows["shapes with LSEC more than 5 points ahead"] == ["3", "0", "1"]
    assert rows["shapes with LSEC more than 5 points behind"] == ["3", "0", "1"]
    assert [entry.text for entry in fcps.rows[0]] == [
        *("atom", "9", "2", "3", "90.00 ± 14.14", "90.00 ± 0.00"),
    ]


def test_a_method_that_is_not_installed_is_left_out():
    assert study.METHODS["KMeans"].installed
    assert not study.Method("no_such_module.sub", "X").installed
