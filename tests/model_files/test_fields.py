"""Forged values with valid checksums: what passes the checks is safe to predict with."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import lsec
from tests.model_files.cases import Forgery, assert_refused


def test_an_unchanged_forgery_loads(forgery, small):
    assert_array_equal(lsec.load(forgery.write()).predict(small[1]), small[2])


LANDMARKS = ("_ensemble", "sets", 0, "landmarks")
TREE = (*LANDMARKS, "routes")


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
    "node at infinity": (*TREE, "centers", (1, 0), np.inf),
    "node far away": (*TREE, "centers", (1, 0), 1e30),
    "gap of NaN": (*TREE, "gaps", (0, 1), np.nan),
    "gap too wide": (*TREE, "gaps", (0, -1), 1e30),
    "gap that descends": (*TREE, "gaps", (0, 1), 3.0),
    "landmark at infinity": (*LANDMARKS, "points", (0, 0), np.inf),
    "landmark that no route leads to": (*LANDMARKS, "points", (0, 0), 0.5),
    "NaN in a vector": (*MEMBER, "vectors", (0, 0), np.nan),
    "vector too long": (*MEMBER, "vectors", (0, 0), 1e30),
    "NaN in a center": (*MEMBER, "centers", (0, 0), np.nan),
    "infinite score": (*MEMBER, "scores", (0, 0), -np.inf),
    "scores below those of the padding": (*MEMBER, "scores", slice(None), -3e38),
    "center too far": (*MEMBER, "centers", (0, 0), 1e30),
    "negative offset": (*MEMBER, "offsets", 0, -1.0),
    "NaN in the offsets": (*MEMBER, "offsets", 0, np.nan),
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
    "NaN in a consensus center": (*NEAREST, "centers", (0, 0), np.nan),
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
    (*TREE, "centers"),
    (*MEMBER, "scores"),
    (*MEMBER, "offsets"),
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
    "neighbors": (*MEMBER, "n_neighbors", 10**6),
    "no neighbors": (*MEMBER, "n_neighbors", 0),
    "true neighbors": (*MEMBER, "n_neighbors", True),
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
    "no landmarks": (*LANDMARKS, None),
    "no routes": (*TREE, None),
    "routes of another type": (*TREE, {"type": "os", "fields": {}}),
    "a basis that is none": ("_ensemble", "frame", "basis", 3),
    "array that is none": (*TREE, "centers", {"array": 10**6}),
    "array used twice": (*TREE, "centers", {"array": 0}),
    "array by name": (*TREE, "centers", {"array": "0"}),
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


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (2, r"by an older lsec \('0\.0'\) in format 2; .*reads format 6\. Fit the model again"),
        (7, r"by a newer lsec \('0\.0'\) in format 7; this one reads format 6\. Upgrade lsec"),
    ],
)
def test_a_file_of_another_version_says_what_to_do(version, said, forgery):
    forgery.document = {"format": "lsec model", "version": version, "lsec": "0.0", "other": {}}
    assert_refused(forgery.write(), said)


def test_a_parameter_that_did_not_exist_yet_has_its_default(forgery, small):
    del forgery.document["parameters"]["alpha"]
    loaded = lsec.load(forgery.write())
    assert loaded.alpha == lsec.LSEC().alpha
    assert_array_equal(loaded.predict(small[1]), small[2])


def test_numbers_that_json_writes_as_infinity_are_refused(forgery):
    text = json.dumps(forgery.document)
    rate = json.dumps(forgery.node(*MEMBER)["fields"]["rate"])
    assert_refused(
        forgery.write_bytes({"model.json": text.replace(f'"rate": {rate}', '"rate": 1e999')}),
        "rate",
    )


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
