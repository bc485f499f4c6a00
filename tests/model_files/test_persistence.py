"""Model files: what is saved predicts the same."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import lsec
from lsec.datasets import make_smiling_face
from lsec.model_files.archive import read_archive
from tests.conftest import builder, make_blobs
from tests.model_files.cases import FEW, N_ROWS, face


def blobs(n_features):
    return make_blobs(2 * N_ROWS, n_features)[0], 5


def words():
    rng = np.random.default_rng(3)
    topic = rng.integers(0, 5, 2 * N_ROWS)
    rates = np.full((5, 60), 0.02)
    for t in range(5):
        rates[t, 12 * t : 12 * t + 12] = 0.8
    return sparse.csr_matrix(rng.poisson(rates[topic]).astype(np.float64)), 5


def ensemble_clustering(n_clusters, **parameters):
    settings = {"n_landmarks": 100, "random_state": 0, **FEW, **parameters}
    return lsec.EnsembleClustering(n_clusters, **settings)


def many_from_few(n_clusters, **parameters):
    """Members that tell two clusters apart, of which eight are asked: landmarks join them."""
    return builder("LSEC")(8, n_base=1, base_clusters=(2, 2), **parameters)


CASES = {
    "LSEC 2-D": (builder("LSEC"), face, {"consensus": "bipartite"}),
    "LSEC 7-D": (builder("LSEC"), lambda: blobs(7), {}),
    "LSEC 40-D": (builder("LSEC"), lambda: blobs(40), {}),
    "LSEC sparse": (builder("LSEC"), words, {}),
    "LSEC lwgp": (builder("LSEC"), face, {"consensus": "lwgp", "consensus_options": {"theta": 1}}),
    "LSEC eac auto": (builder("LSEC"), face, {"consensus": "eac", "n_clusters": "auto"}),
    "LSEC kcc": (builder("LSEC"), face, {"consensus": "kcc", "kernel": "quartic"}),
    "LSEC bipartite auto": (
        builder("LSEC"),
        face,
        {"consensus": "bipartite", "n_clusters": "auto"},
    ),
    "LSEC finest": (many_from_few, face, {}),
    "USENC 7-D": (builder("USENC"), lambda: blobs(7), {}),
    "EnsembleClustering kmeans": (ensemble_clustering, lambda: blobs(7), {}),
    "EnsembleClustering sparse": (ensemble_clustering, words, {"consensus": "linkage"}),
    "EnsembleClustering uspec": (ensemble_clustering, face, {"generator": "uspec"}),
    "DnCSC 2-D": (builder("DnCSC"), face, {}),
    "DnCSC 40-D": (builder("DnCSC"), lambda: blobs(40), {}),
    "USPEC 7-D": (builder("USPEC"), lambda: blobs(7), {}),
    "USPEC sparse": (builder("USPEC"), words, {}),
    "LightKMeans 2-D": (builder("LightKMeans"), face, {}),
    "LightKMeans sparse": (builder("LightKMeans"), words, {}),
}


def fit(case):
    build, make_rows, parameters = CASES[case]
    rows, n_clusters = make_rows()
    parameters = {"n_clusters": n_clusters, **parameters}
    return build(**parameters).fit(rows[:N_ROWS]), rows


@pytest.fixture(scope="module", params=CASES)
def saved(request, tmp_path_factory):
    """A fitted model, its file, and rows of which it has seen the first half."""
    model, rows = fit(request.param)
    path = tmp_path_factory.mktemp("model") / "m.lsec"
    model.save(path)
    return model, path, rows


# What is saved predicts the same


def test_predictions_are_equal(saved):
    model, path, rows = saved
    loaded = lsec.load(path)
    assert type(loaded) is type(model)
    assert_array_equal(loaded.predict(rows[:N_ROWS]), model.labels_, strict=True)
    assert_array_equal(loaded.predict(rows), model.predict(rows), strict=True)
    if hasattr(model, "predict_membership"):
        assert_array_equal(
            loaded.predict_membership(rows), model.predict_membership(rows), strict=True
        )


def test_parameters_are_equal(saved):
    model, path, _ = saved
    loaded = lsec.load(path).get_params()
    assert loaded == model.get_params()
    for name, value in model.get_params().items():
        assert type(loaded[name]) is type(value)


def test_fitted_attributes_are_equal(saved):
    model, path, _ = saved
    loaded = lsec.load(path)
    of_rows = {"labels_", "base_labels_"}
    for name in {name for name in vars(model) if name.endswith("_")} - of_rows:
        value, other = getattr(model, name), getattr(loaded, name)
        assert type(value) is type(other) or isinstance(value, float), name
        pairs = zip(value, other, strict=True) if isinstance(value, list) else [(value, other)]
        for one, two in pairs:
            assert_array_equal(two, one, err_msg=name, strict=isinstance(one, np.ndarray))


def test_tables_are_equal(saved):
    model, path, _ = saved
    ensemble, other = getattr(model, "_ensemble", None), getattr(lsec.load(path), "_ensemble", None)
    assert type(ensemble) is type(other)
    for member, twin in zip(
        getattr(ensemble, "members", ()), getattr(other, "members", ()), strict=True
    ):
        tables, twins = (
            vars(m) | m.affinity._asdict() | m.tables._asdict() for m in (member, twin)
        )
        for name in tables.keys() - {"affinity", "tables", "inner"}:
            assert type(tables[name]) is type(twins[name])
            assert_array_equal(twins[name], tables[name], err_msg=name)
    for group, twin in zip(getattr(ensemble, "sets", ()), getattr(other, "sets", ()), strict=True):
        assert_array_equal(twin.landmarks.points, group.landmarks.points, strict=True)
        routes, others = group.landmarks.routes, twin.landmarks.routes
        assert type(routes) is type(others)
        for name, value in vars(routes).items() if routes else ():
            assert_array_equal(vars(others)[name], value, err_msg=name, strict=True)


def test_what_the_members_say_is_equal(saved):
    model, path, _ = saved
    if not hasattr(model, "_consensus"):
        pytest.skip("a single clustering")
    loaded = lsec.load(path)
    assert_array_equal(loaded.agreement_, model.agreement_, strict=True)
    assert loaded.diversity_ == model.diversity_
    assert_array_equal(loaded.micro_clusters_.labels, model.micro_clusters_.labels, strict=True)
    assert_array_equal(loaded.micro_clusters_.weights, model.micro_clusters_.weights, strict=True)
    assert (loaded.evidence_ is None) == (model.evidence_ is None)
    if model.evidence_ is not None:
        assert loaded.evidence_.best == model.evidence_.best
        assert_array_equal(loaded.evidence_.values, model.evidence_.values, strict=True)


def test_a_loaded_model_saves_the_same_file(saved, tmp_path):
    _, path, _ = saved
    lsec.load(path).save(tmp_path / "again.lsec")
    assert (tmp_path / "again.lsec").read_bytes() == path.read_bytes()


def test_a_loaded_model_can_be_cloned_pickled_shown_and_fitted(small):
    path, rows, labels = small
    loaded = lsec.load(path)
    assert clone(loaded).get_params() == loaded.get_params()
    assert_array_equal(pickle.loads(pickle.dumps(loaded)).predict(rows), labels)
    assert "LSEC" in loaded._repr_html_()
    assert loaded.fit(rows).labels_.shape == (200,)


def test_predict_in_another_process_from_a_file_of_rows(tmp_path):
    model, rows = fit("LSEC 7-D")
    model.save(tmp_path / "m.lsec")
    np.save(tmp_path / "rows.npy", rows)
    program = "import lsec, numpy, sys; m = lsec.load(sys.argv[1] + '/m.lsec')\n"
    program += "numpy.save(sys.argv[1] + '/labels.npy', m.predict(sys.argv[1] + '/rows.npy'))"
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True)
    assert_array_equal(np.load(tmp_path / "labels.npy"), model.predict(rows), strict=True)


def test_names_of_features_are_kept(tmp_path):
    import pandas as pd

    frame = pd.DataFrame(blobs(7)[0][:500], columns=list("abcdefg"))
    model = lsec.LightKMeans(5, random_state=0).fit(frame)
    model.save(tmp_path / "m.lsec")
    loaded = lsec.load(tmp_path / "m.lsec")
    assert_array_equal(loaded.feature_names_in_, model.feature_names_in_, strict=True)
    assert_array_equal(loaded.predict(frame), model.labels_)
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.rename(columns={"a": "z"}))


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"random_state": np.random.RandomState(3)}, {"random_state": None}),
        ({"random_state": np.int64(3)}, {"random_state": 3}),
        ({"n_neighbors": np.array([2, 3])}, {"n_neighbors": [2, 3]}),
        ({"n_neighbors": range(2, 5)}, {"n_neighbors": (2, 3, 4)}),
        ({"base_clusters": [5, 12]}, {"base_clusters": [5, 12]}),
        ({"memory_limit": 1e8}, {"memory_limit": 1e8}),
        ({"reuse_neighbors": np.True_}, {"reuse_neighbors": True}),
    ],
)
def test_parameters_of_all_kinds(parameters, expected, tmp_path):
    rows = face()[0][:600]
    model = lsec.LSEC(4, n_landmarks=20, **{**FEW, "random_state": 0, **parameters}).fit(rows)
    model.save(tmp_path / "m.lsec")
    loaded = lsec.load(tmp_path / "m.lsec").get_params()
    for name, value in expected.items():
        assert loaded[name] == value
        assert type(loaded[name]) is type(value)


# Nothing per row


def test_no_array_has_a_value_per_row(saved):
    _, path, _ = saved
    with open(path, "rb") as file:
        _, arrays = read_archive(file)
    assert arrays
    for array in arrays.values():
        assert N_ROWS not in array.shape


@pytest.mark.parametrize("name", ["LSEC", "DnCSC", "LightKMeans"])
def test_size_does_not_grow_with_the_rows(name, tmp_path):
    sizes = []
    for n_rows in (3000, 30_000):
        rows = make_smiling_face(n_rows, random_state=0)[0]
        builder(name)(4).fit(rows).save(tmp_path / "m.lsec")
        sizes.append((tmp_path / "m.lsec").stat().st_size)
    assert sizes[1] < 1.1 * sizes[0]


def test_attributes_of_rows_say_why_they_are_missing(saved):
    model, path, _ = saved
    loaded = lsec.load(path)
    names = ["labels_"]
    names += ["base_labels_", "confidence_"] if hasattr(model, "_consensus") else []
    for name in names:
        assert not hasattr(loaded, name)
        with pytest.raises(AttributeError, match=f"{name}.*loaded from a file"):
            getattr(loaded, name)


# Saving


@pytest.mark.parametrize("name", ["LSEC", "USENC", "DnCSC", "USPEC", "LightKMeans"])
def test_a_model_that_is_not_fitted_cannot_be_saved(name, tmp_path):
    with pytest.raises(NotFittedError):
        builder(name)(4).save(tmp_path / "m.lsec")
    assert not list(tmp_path.iterdir())
    assert not hasattr(builder(name)(4), "labels_")


def test_a_derived_class_cannot_be_saved(tmp_path):
    class Mine(lsec.LightKMeans):
        pass

    with pytest.raises(TypeError, match="Mine"):
        Mine(2).fit(np.arange(10.0)[:, None]).save(tmp_path / "m.lsec")


def test_a_parameter_that_json_cannot_hold_is_refused(tmp_path):
    model = lsec.LightKMeans(2, random_state=0).fit(np.arange(10.0)[:, None])
    model.save(tmp_path / "m.lsec")
    with pytest.raises(ValueError, match="n_clusters"):
        model.set_params(n_clusters=object()).save(tmp_path / "m.lsec")
    assert lsec.load(tmp_path / "m.lsec").n_clusters == 2


def test_a_failed_save_leaves_the_old_file(small, tmp_path, monkeypatch):
    path = tmp_path / "m.lsec"
    path.write_bytes(small[0].read_bytes())
    model = lsec.load(path)
    written = []

    def fail(file, array):
        file.write(b"half")
        written.append(array)
        if len(written) == 5:
            raise OSError("No space left on device")

    monkeypatch.setattr("lsec.model_files.archive.write_npy", fail)
    with pytest.raises(OSError, match="No space"):
        model.save(path)
    assert path.read_bytes() == small[0].read_bytes()
    assert list(tmp_path.iterdir()) == [path]


def test_paths_of_all_kinds(small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = lsec.load(str(small[0]))
    for path in ("bare", str(tmp_path / "model.bin"), Path("m.lsec")):
        model.save(path)
        assert_array_equal(lsec.load(path).predict(small[1]), small[2])
    with pytest.raises(FileNotFoundError):
        lsec.load("nowhere.lsec")
    with pytest.raises(FileNotFoundError):
        model.save("no/such/folder.lsec")
