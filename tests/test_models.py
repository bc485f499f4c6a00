"""Model files: what is saved predicts the same, and no file does harm."""

import io
import json
import pickle
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import lsec
from conftest import builder, make_blobs
from lsec.datasets import make_smiling_face
from lsec.models.members import read_members, write_members

N_ROWS = 2503  # a prime: no table has as many rows by chance
FEW = {"n_base": 4, "base_clusters": (5, 12)}


def face():
    return make_smiling_face(2 * N_ROWS, random_state=0, dtype=np.float64)[0], 4


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


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The file of a small ensemble in 2-D, and rows to predict."""
    rows, _ = face()
    few = {"n_landmarks": 20, "consensus": "bipartite", **FEW}
    model = lsec.LSEC(4, random_state=0, **few).fit(rows[:N_ROWS])
    path = tmp_path_factory.mktemp("small") / "m.lsec"
    model.save(path)
    return path, rows[:200], model.predict(rows[:200])


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
        for name, value in vars(member).items():
            assert type(value) is type(vars(twin)[name])
            assert_array_equal(vars(twin)[name], value, err_msg=name)
    for group, twin in zip(getattr(ensemble, "sets", ()), getattr(other, "sets", ()), strict=True):
        for name, value in vars(group.tree).items():
            assert_array_equal(vars(twin.tree)[name], value, err_msg=name, strict=True)


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


def test_products_rounded_by_another_machine_change_no_label(saved):
    model, path, rows = saved
    loaded = lsec.load(path)
    if not hasattr(getattr(loaded, "_ensemble", None), "members"):
        pytest.skip("no landmarks")
    exact = (
        replace(m, inner=(m.vectors.astype(float) @ m.vectors.T.astype(float)).astype(np.float32))
        for m in loaded._ensemble.members
    )
    loaded._ensemble = loaded._ensemble.with_members(exact)
    assert_array_equal(loaded.predict(rows), model.predict(rows))


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
        _, arrays = read_members(file)
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

    monkeypatch.setattr("lsec.models.members.write_npy", fail)
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


# Damaged files


def assert_refused_or_same(path, rows, labels):
    """The file gives a ValueError that names it, or the model that was saved."""
    try:
        loaded = lsec.load(path)
    except ValueError as error:
        assert str(path) in str(error)
        return False
    assert_array_equal(loaded.predict(rows), labels)
    return True


def test_flipped_bytes_are_noticed(small, tmp_path):
    original, rows, labels = small
    whole = original.read_bytes()
    rng = np.random.default_rng(0)
    directory = whole.index(b"PK\x01\x02")
    places = [*rng.integers(0, directory, 200), *rng.integers(directory, len(whole), 400)]
    same = 0
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= rng.integers(1, 256)
        (tmp_path / "m.lsec").write_bytes(damaged)
        same += assert_refused_or_same(tmp_path / "m.lsec", rows[:5], labels[:5])
    assert same < len(places) / 2  # times and attributes of members are not looked at


def test_cut_and_padded_files_are_noticed(small, tmp_path):
    original, rows, labels = small
    whole = original.read_bytes()
    path = tmp_path / "m.lsec"
    rng = np.random.default_rng(1)
    for length in [
        0,
        1,
        21,
        22,
        *rng.integers(0, len(whole), 150),
        *(len(whole) - np.arange(1, 50)),
    ]:
        path.write_bytes(whole[:length])
        assert not assert_refused_or_same(path, rows[:5], labels[:5])
    for _ in range(50):
        low, high = np.sort(rng.integers(0, len(whole), 2))
        path.write_bytes(whole[:low] + whole[high:])
        assert_refused_or_same(path, rows[:5], labels[:5])
        path.write_bytes(whole[:low] + rng.bytes(high - low) + whole[high:])
        assert_refused_or_same(path, rows[:5], labels[:5])


@pytest.mark.parametrize("content", [b"", b"PK", b"\x93NUMPY", b"not a model", bytes(5000)])
def test_other_files_are_refused(content, tmp_path):
    path = tmp_path / "m.lsec"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"m\.lsec is damaged or not a model"):
        lsec.load(path)
    path.write_bytes(pickle.dumps({"model": 1}))
    with pytest.raises(ValueError, match=r"m\.lsec is damaged or not a model"):
        lsec.load(path)


# Hostile files


class Forgery:
    """The content of a model file, to be changed and written back with valid checksums."""

    def __init__(self, source, folder):
        with open(source, "rb") as file:
            self.document, arrays = read_members(file)
        self.arrays = [arrays[number] for number in range(len(arrays))]
        self.path = folder / "forged.lsec"

    def array(self, *way):
        """The array at a place in the fitted tree, free to be written to."""
        number = self.node(*way)["array"]
        self.arrays[number] = self.arrays[number].copy()
        return self.arrays[number]

    def node(self, *way):
        node = self.document["fitted"]
        for step in way:
            node = (
                node["fields"][step] if isinstance(node, dict) and "fields" in node else node[step]
            )
        return node

    def replace(self, way, array):
        self.arrays[self.node(*way)["array"]] = array

    def write(self):
        with open(self.path, "wb") as file:
            write_members(file, self.document, self.arrays)
        return self.path

    def write_bytes(self, changed, compression=zipfile.ZIP_STORED):
        """Write with some members replaced by other bytes, or removed where they are None."""
        self.write()
        with zipfile.ZipFile(self.path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(self.path, "w", compression) as archive:
            for name, content in {**members, **changed}.items():
                if content is not None:
                    archive.writestr(name, content)
        return self.path


@pytest.fixture
def forgery(small, tmp_path):
    return Forgery(small[0], tmp_path)


def assert_refused(path, problem):
    with pytest.raises(ValueError, match=problem) as caught:
        lsec.load(path)
    assert "forged.lsec" in str(caught.value)


def test_an_unchanged_forgery_loads(forgery, small):
    assert_array_equal(lsec.load(forgery.write()).predict(small[1]), small[2])


TREE = ("_ensemble", "sets", 0, "tree")
MEMBER = ("_ensemble", "sets", 0, "members", 0)
NEAREST = ("_consensus", "joined", "predict")
OUT_OF_RANGE = {
    "candidates beyond the landmarks": (*TREE, "candidates", (3, 5), 60_000),
    "candidates without the landmark itself": (*TREE, "candidates", (3, 0), 4),
    "child beyond the tree": (*TREE, "first_child", 0, 10**9),
    "negative child": (*TREE, "first_child", 0, -1),
    "root that is its own child": (*TREE, "first_child", 0, 0),
    "root without children": (*TREE, "n_children", 0, 0),
    "too many children": (*TREE, "n_children", 0, 10**9),
    "fewer children than nodes": (*TREE, "n_children", 0, 1),
    "landmark beyond all": (*TREE, "landmark_of", -1, 20),
    "landmark below all": (*TREE, "landmark_of", -1, -2),
    "two leaves of a landmark": (*TREE, "landmark_of", -1, 0),
    "leaf without a landmark": (*TREE, "landmark_of", -1, -1),
    "node at infinity": (*TREE, "centres", (1, 0), np.inf),
    "node far away": (*TREE, "centres", (1, 0), 1e30),
    "gap of NaN": (*TREE, "gaps", (0, 1), np.nan),
    "gap too wide": (*TREE, "gaps", (0, -1), 1e30),
    "gap that descends": (*TREE, "gaps", (0, 1), 3.0),
    "NaN in a vector": (*MEMBER, "vectors", (0, 0), np.nan),
    "vector too long": (*MEMBER, "vectors", (0, 0), 1e30),
    "NaN in a centre": (*MEMBER, "centres", (0, 0), np.nan),
    "infinite score": (*MEMBER, "scores", (0, 0), -np.inf),
    "NaN in the offsets": (*MEMBER, "offsets", 0, np.nan),
    "safe label beyond all": (*MEMBER, "safe", 0, 100),
    "safe label below all": (*MEMBER, "safe", 0, -2),
    "micro-cluster of an unknown label": ("_consensus", "micro", "labels", (0, 0), 255),
    "micro-cluster without weight": ("_consensus", "micro", "weights", 0, 0),
    "NaN weight": ("_consensus", "micro", "weights", 0, np.nan),
    "number of labels": ("_consensus", "micro", "n_labels", 0, 200),
    "enormous number of labels": ("_consensus", "micro", "n_labels", 0, 2**62),
    "cluster beyond all": ("_consensus", "joined", "labels", 0, 1000),
    "cluster below all": ("_consensus", "joined", "labels", 0, -1),
    "rank beyond all": ("_consensus", "rank", 0, 1000),
    "rank twice": ("_consensus", "rank", 0, 1),
    "vector of a missing label": (*NEAREST, "embedding", "vectors", (-1, 0), 1.0),
    "labels of the embedding": (*NEAREST, "embedding", "n_labels", 0, 1),
    "NaN in a consensus centre": (*NEAREST, "centres", (0, 0), np.nan),
    "infinite anchor": ("_ensemble", "frame", "anchor", 0, np.inf),
    "base clusters": ("n_base_clusters_", 0, 0),
}


@pytest.mark.parametrize("case", OUT_OF_RANGE)
def test_a_value_out_of_range_is_refused(case, forgery):
    *way, where, value = OUT_OF_RANGE[case]
    forgery.array(*way)[where] = value
    assert_refused(forgery.write(), "fitted.*")


TABLES = [
    (*TREE, "candidates"),
    (*TREE, "centres"),
    (*MEMBER, "scores"),
    (*MEMBER, "safe"),
    (*NEAREST, "embedding", "vectors"),
    ("_ensemble", "frame", "offset"),
    ("_consensus", "rank"),
    ("_consensus", "micro", "weights"),
]


@pytest.mark.parametrize("way", TABLES)
def test_wrong_shapes_and_types_are_refused(way, forgery):
    array = forgery.array(*way)
    forgery.replace(way, array[:-1])
    assert_refused(forgery.write(), "shape|one vector per base cluster|without a number")
    forgery.replace(way, array[None])
    assert_refused(forgery.write(), r"shape|plain \.npy")
    forgery.replace(way, array[:0])
    assert_refused(forgery.write(), "shape")
    forgery.replace(way, array.astype(np.float16))
    assert_refused(forgery.write(), "should be .* got float16")


def test_a_cyclic_tree_is_refused(forgery):
    first, count = forgery.array(*TREE, "first_child"), forgery.array(*TREE, "n_children")
    forgery.array(*TREE, "landmark_of")
    inner = np.flatnonzero(count)
    first[inner[-1]] = 0
    assert_refused(forgery.write(), "lead nowhere")


def test_two_parents_of_a_node_are_refused(forgery):
    first = forgery.array(*TREE, "first_child")
    count = forgery.array(*TREE, "n_children")
    inner = np.flatnonzero(count)
    if len(inner) > 1:
        first[inner[-1]] -= 1
    else:
        first[0] = 2
    assert_refused(forgery.write(), "exactly one other")


NUMBERS = {
    "neighbours": (*MEMBER, "n_neighbors", 10**6),
    "no neighbours": (*MEMBER, "n_neighbors", 0),
    "true neighbours": (*MEMBER, "n_neighbors", True),
    "rate": (*MEMBER, "rate", -1.0),
    "rate beyond float32": (*MEMBER, "rate", 1e300),
    "rate as a word": (*MEMBER, "rate", "1"),
    "quartic": (*MEMBER, "quartic", 1),
    "scale": ("_ensemble", "frame", "scale", 3.0),
    "scale of zero": ("_ensemble", "frame", "scale", 0.0),
    "clusters": ("_consensus", "n_clusters", 10**9),
    "one cluster fewer": ("_consensus", "n_clusters", 3),
    "micro-clusters": ("n_micro_clusters_", 0),
    "no sets": ("_ensemble", "sets", []),
    "sets of numbers": ("_ensemble", "sets", [1]),
    "no tree": ("_ensemble", "sets", 0, "tree", None),
    "a tree of another type": ("_ensemble", "sets", 0, "tree", {"type": "os", "fields": {}}),
    "array that is none": (*TREE, "centres", {"array": 10**6}),
    "array used twice": (*TREE, "centres", {"array": 0}),
    "array by name": (*TREE, "centres", {"array": "0"}),
    "timings": ("timings_", {"labels": "soon"}),
    "finest": ("_ensemble", "finest", True),
    "evidence": ("_consensus", "evidence", {"type": "Evidence"}),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_a_wrong_number_is_refused(case, forgery):
    *way, last, value = NUMBERS[case]
    parent = forgery.node(*way)
    (parent["fields"] if isinstance(parent, dict) and "fields" in parent else parent)[last] = value
    assert_refused(forgery.write(), "fitted")


HEADS = {
    "format": ("format", "another", "format is 'lsec model'"),
    "version below": ("version", 0, "version is 0"),
    "version as a word": ("version", "1", "version is '1'"),
    "estimator": ("estimator", "Popen", "'Popen' is not one of LSEC"),
    "estimator as a list": ("estimator", ["LSEC"], "is not one of LSEC"),
    "another estimator": ("estimator", "LightKMeans", "no parameter"),
    "features": ("n_features", 3, "shape"),
    "no features": ("n_features", 0, "n_features"),
    "feature names": ("feature_names", ["a"], "not 2 strings"),
    "feature names that are none": ("feature_names", [1, 2], "not 2 strings"),
    "parameters": ("parameters", [], "parameters"),
    "unknown parameter": ("parameters", {"command": "rm"}, "no parameter 'command'"),
    "wrong parameter": ("parameters", {"n_jobs": 0}, "n_jobs"),
    "parameter of no kind": ("parameters", {"n_jobs": {"set": [1]}}, "neither a tuple"),
    "number beyond floats": ("parameters", {"memory_limit": 10**400}, "damaged"),
    "unknown entry": ("more", 1, "unexpected entry 'more'"),
    "no fit": ("fitted", None, "fitted should be an object"),
}


@pytest.mark.parametrize("case", HEADS)
def test_a_wrong_head_is_refused(case, forgery):
    key, value, problem = HEADS[case]
    forgery.document[key] = value
    assert_refused(forgery.write(), problem)


def test_a_missing_entry_is_refused(forgery):
    for key in list(forgery.document):
        kept = forgery.document.pop(key)
        assert_refused(forgery.write(), "lacks|format")
        forgery.document[key] = kept


def test_a_newer_file_asks_for_an_upgrade(forgery):
    forgery.document = {"format": "lsec model", "version": 2, "lsec": "9.9", "other": {}}
    with pytest.raises(ValueError, match=r"newer lsec \('9\.9'\) in format 2.*Upgrade lsec"):
        lsec.load(forgery.write())


def test_a_parameter_that_did_not_exist_yet_has_its_default(forgery, small):
    del forgery.document["parameters"]["alpha"]
    loaded = lsec.load(forgery.write())
    assert loaded.alpha == lsec.LSEC().alpha
    assert_array_equal(loaded.predict(small[1]), small[2])


def test_members_that_should_not_be_there_are_refused(forgery):
    for name in ("../../evil.npy", "/etc/passwd", "arrays/999.npy", "arrays/00.npy", "model.JSON"):
        assert_refused(forgery.write_bytes({name: b"1"}), "unexpected member")
    assert_refused(forgery.write_bytes({"arrays/3.npy": None}), "unexpected member|missing")
    assert_refused(forgery.write_bytes({"model.json": None}), "missing|unexpected")
    forgery.arrays.append(np.zeros(3))
    assert_refused(forgery.write(), "does not use array")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_twice_is_refused(forgery):
    with zipfile.ZipFile(forgery.write(), "a") as archive:
        archive.writestr("arrays/0.npy", b"other")
    assert_refused(forgery.path, "missing|unexpected")


def test_compressed_files_are_refused(forgery):
    bomb = b"\x93NUMPY" + bytes(10**7)
    path = forgery.write_bytes({"arrays/0.npy": bomb}, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 10**6
    assert_refused(path, "compressed")


def npy_bytes(array, allow_pickle=False):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=allow_pickle)
    return file.getvalue()


class Harm:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, trace):
        self.trace = str(trace)

    def __reduce__(self):
        return open, (self.trace, "w")


def test_pickles_are_never_opened(forgery, tmp_path):
    trace = tmp_path / "harm"
    objects = npy_bytes(np.array([Harm(trace)], dtype=object), allow_pickle=True)
    for content in (objects, pickle.dumps(Harm(trace)), npy_bytes(np.zeros(1)) + objects):
        assert_refused(forgery.write_bytes({"arrays/0.npy": content}), r"arrays/0\.npy")
        assert_refused(forgery.write_bytes({"model.json": content}), "damaged")
    assert not trace.exists()


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -8), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000, 1000000), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (8,), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (8,), }",
        "{'descr': '<U8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (8,), } + [].append(1)",
        "__import__('os').system('true')",
        "(" * 5000,
        "-" * 9000 + "1",
    ],
)
def test_hostile_headers_are_refused(header, forgery):
    text = header.encode() + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(32)
    assert_refused(forgery.write_bytes({"arrays/0.npy": content}), r"arrays/0\.npy")


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000,
        b'{"format": "lsec model", "version": NaN}',
        b'{"format": "lsec model", "version": 1' + b"0" * 5000 + b"}",
    ],
)  # fmt: skip
def test_hostile_documents_are_refused(content, forgery):
    assert_refused(forgery.write_bytes({"model.json": content}), "damaged")


def test_numbers_that_json_writes_as_infinity_are_refused(forgery):
    text = json.dumps(forgery.document)
    rate = json.dumps(forgery.node(*MEMBER)["fields"]["rate"])
    assert_refused(
        forgery.write_bytes({"model.json": text.replace(f'"rate": {rate}', '"rate": 1e999')}),
        "rate",
    )


def test_a_model_too_large_for_the_machine_is_refused(forgery, monkeypatch):
    monkeypatch.setattr("lsec.models.landmark_records.memory_of_machine", lambda: 1000)
    assert_refused(forgery.write(), "GiB of memory, more than this machine has")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_forgeries_are_refused_or_predict(small, tmp_path):
    # Whatever passes the checks must be safe to run: kernels do not check positions.
    rng = np.random.default_rng(2)
    refused = 0
    for _ in range(300):
        forged = Forgery(small[0], tmp_path)
        for _ in range(rng.integers(1, 3)):
            number = rng.integers(len(forged.arrays))
            array = forged.arrays[number] = forged.arrays[number].copy()
            flat = array.reshape(-1) if array.flags.c_contiguous else array.T.reshape(-1)
            some = rng.integers(flat.size, size=rng.integers(1, 4))
            near = rng.integers(-2, 3, len(some))
            with np.errstate(over="ignore", invalid="ignore"):
                if rng.random() < 0.5:
                    flat[some] = flat[some] + near.astype(flat.dtype)
                else:
                    flat[some] = np.frombuffer(rng.bytes(8 * len(some)), flat.dtype)[: len(some)]
        try:
            loaded = lsec.load(forged.write())
        except ValueError:
            refused += 1
            continue
        assert loaded.predict(small[1]).shape == (200,)
        assert loaded.predict_membership(small[1]).shape == (200, 4)
    assert 100 < refused < 300
