"""`lsec fit`, `predict` and `info`: files in, files out, and one line when something is wrong."""

import json
import os
from operator import attrgetter

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import lsec
from lsec.cli.fit import METHODS
from lsec.metrics import clustering_accuracy
from tests.cli.messages import failed_with


def test_fit_npy_equals_the_estimator(run, bananas):
    X, y = bananas
    np.save("rows.npy", X)
    result = run("fit", "rows.npy", "-k", 2, "-o", "labels.npy", "--seed", 1, "--jobs", 1)
    assert result.exit_code == 0, result.stderr
    labels = np.load("labels.npy")
    assert_array_equal(labels, lsec.LSEC(2, random_state=1).fit_predict(X))
    assert clustering_accuracy(y, labels) > 0.95  # k-means stays below .8
    for word in ("rows", "3,000", "clusters", "eigenvectors", "consensus", "rows per second"):
        assert word in result.stdout
    assert result.stderr.startswith("landmarks ")  # progress where nobody watches: one line
    assert result.stderr.count("\n") == 1
    assert sorted(os.listdir()) == ["labels.npy", "rows.npy"]


@pytest.mark.parametrize("header", ["", "width,height\n", "\ufeff# width,height\n"])
def test_fit_csv_equals_fit_npy(run, bananas, header):
    X, _ = bananas
    X = X[:500].astype(np.float64)
    np.save("rows.npy", X)
    with open("rows.csv", "w", encoding="utf-8") as file:
        file.write(header)
        file.writelines(f"{a!r},{b!r}\n" for a, b in X.tolist())
    for name in ("npy", "csv"):
        arguments = ("-k", 2, "--method", "dncsc", "--quiet")
        result = run("fit", f"rows.{name}", "-o", f"labels.{name}", *arguments)
        assert (result.exit_code, result.output) == (0, "")
    assert_array_equal(np.loadtxt("labels.csv", dtype=int, skiprows=1), np.load("labels.npy"))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_equals_its_estimator(run, bananas, method):
    X = bananas[0][:1000]
    np.save("rows.npy", X)
    result = run("fit", "rows.npy", "-k", 2, "-o", "labels.npy", "--method", method)
    assert result.exit_code == 0, result.stderr
    estimator = attrgetter(METHODS[method])(lsec)(2, random_state=0)
    assert_array_equal(np.load("labels.npy"), estimator.fit_predict(X))


def test_memory_limit_does_not_change_labels(run, bananas):
    np.save("rows.npy", bananas[0])
    run("fit", "rows.npy", "-k", 2, "-o", "much.npy", "-q", "--memory-limit", "2GiB")
    run("fit", "rows.npy", "-k", 2, "-o", "little.npy", "-q", "--memory-limit", "1MiB")
    assert_array_equal(np.load("much.npy"), np.load("little.npy"))


def test_fit_missing_file(run):
    failed_with(run("fit", "rows.npy", "-k", 2, "-o", "labels.npy"), "rows.npy", "No such file")


def test_fit_names_the_place_of_nan(run, bananas):
    X = bananas[0].copy()
    X[1234, 1] = np.nan
    np.save("rows.npy", X)
    np.savetxt("rows.csv", X, delimiter=",")
    for name in ("rows.npy", "rows.csv"):
        result = run("fit", name, "-k", 2, "-o", "labels.npy", "-q")
        failed_with(result, f"row 1234, column 1 of {name} is nan", "impute")
    assert sorted(os.listdir()) == ["rows.csv", "rows.npy"]


@pytest.mark.parametrize(("k", "words"), [(0, "at least 1"), (3001, "3000")])
def test_fit_bad_number_of_clusters(run, bananas, k, words):
    np.save("rows.npy", bananas[0])
    result = run("fit", "rows.npy", "-k", k, "-o", "labels.npy", "-q")
    failed_with(result, "n_clusters", words)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("rows.txt", b"1 2", "rows.txt: rows must be in a .npy, .parquet, "),
        ("rows.npy", b"something else", "rows.npy is not a whole .npy file of numbers"),
        ("rows.csv", b"", "rows.csv has no rows"),
        ("rows.csv", b"a,b\n", "rows.csv has no rows"),
        ("rows.csv", b"1,2\n3,x\n", "string 'x' in row 1, column 1"),
        ("rows.csv", b"1,2\n3\n", "the number of columns changed from 2 to 1 at row 2"),
        ("rows.csv", b"1,,3\n", "row 0, column 1 is empty"),
        (
            "rows.csv",
            b"a,b\n1,2\n3,Rome\n",
            "'Rome' in row 1, column 'b'. Leave text out w",
        ),
        ("rows.csv", b"1,5;2\n3;4\n", "Write decimal points instead of commas"),
    ],
)
def test_fit_unreadable_rows(run, name, content, words):
    with open(name, "wb") as file:
        file.write(content)
    failed_with(run("fit", name, "-k", 1, "-o", "labels.npy"), words)


def test_fit_needs_two_dimensions(run):
    np.save("rows.npy", np.arange(10))
    result = run("fit", "rows.npy", "-k", 2, "-o", "labels.npy")
    failed_with(result, "2-D array of real numbers", "(10,)")


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("labels.txt", "must end in .npy or .csv"),
        ("nowhere/labels.npy", "the folder nowhere does not exist"),
        ("rows.npy", "rows.npy is the same file as"),
    ],
)
def test_fit_refuses_an_output_before_the_work(run, bananas, output, words):
    np.save("rows.npy", bananas[0])
    failed_with(run("fit", "rows.npy", "-k", 2, "-o", output), words)
    assert_array_equal(np.load("rows.npy"), bananas[0])


def test_fit_limit_without_meaning(run):
    arguments = ("--method", "light-kmeans", "--memory-limit", "1GiB")
    failed_with(run("fit", "rows.npy", "-k", 2, "-o", "labels.npy", *arguments), "light-kmeans")


def test_output_appears_whole_or_not_at_all(run, bananas, monkeypatch):
    np.save("rows.npy", bananas[0])
    with open("labels.npy", "w") as file:
        file.write("old")

    def disk_full(file, header):
        file.write(b"half")
        raise OSError(28, "No space left on device", "labels.npy")

    monkeypatch.setattr("numpy.lib.format.write_array_header_1_0", disk_full)
    result = run("fit", "rows.npy", "-k", 2, "-o", "labels.npy", "-q", "--method", "light-kmeans")
    failed_with(result, "labels.npy: No space left on device")
    assert sorted(os.listdir()) == ["labels.npy", "rows.npy"]
    with open("labels.npy") as file:
        assert file.read() == "old"


# lsec predict, lsec info


@pytest.fixture
def model(run, bananas):
    """A model file of a fit to rows.npy."""
    np.save("rows.npy", bananas[0])
    arguments = ("-q", "--model", "m.lsec", "--method", "light-kmeans")
    assert run("fit", "rows.npy", "-k", 2, "-o", "labels.npy", *arguments).exit_code == 0
    return "m.lsec"


def test_predict_equals_the_model(run, bananas, model):
    result = run("predict", model, "rows.npy", "-o", "again.csv", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["rows"] == 3000
    assert_array_equal(np.loadtxt("again.csv", dtype=int, skiprows=1), np.load("labels.npy"))
    assert_array_equal(np.load("labels.npy"), lsec.load(model).predict(bananas[0]))
    failed_with(run("predict", model, "rows.npy", "-o", model), "must end in .npy")
    failed_with(run("predict", "no.lsec", "rows.npy", "-o", "again.csv"), "no.lsec: No such file")


def test_info_describes_the_model(run, model):
    found = json.loads(run("info", model, "--json").stdout)
    assert (found["estimator"], found["features"], found["clusters"]) == ("LightKMeans", 2, 2)
    assert found["parameters"]["random_state"] == 0
    assert found["bytes"] == os.stat(model).st_size
    assert "LightKMeans" in run("info", model).stdout
    failed_with(run("info", "rows.npy"), "rows.npy is damaged or not a model")


def test_fit_with_the_cosine_and_some_landmarks_equals_the_estimator(run, bananas):
    X, _ = bananas
    np.save("rows.npy", X)
    options = ("--metric", "cosine", "--n-landmarks", 90, "-q")
    assert run("fit", "rows.npy", "-k", 2, "-o", "labels.npy", *options).exit_code == 0
    expected = lsec.LSEC(2, metric="cosine", n_landmarks=90, random_state=0).fit_predict(X)
    assert_array_equal(np.load("labels.npy"), expected)


def test_fit_as_in_the_paper_equals_the_preset(run, bananas):
    X, _ = bananas
    np.save("rows.npy", X)
    assert run("fit", "rows.npy", "-k", 2, "-o", "a.npy", "--method", "paper", "-q").exit_code == 0
    assert_array_equal(np.load("a.npy"), lsec.LSEC.paper(2, random_state=0).fit_predict(X))


@pytest.mark.parametrize(
    ("option", "value"), [("--metric", "cosine"), ("--n-landmarks", 9), ("--memory-limit", "1GiB")]
)
def test_options_of_graphs_do_not_apply_to_k_means(run, bananas, option, value):
    np.save("rows.npy", bananas[0])
    arguments = ("--method", "light-kmeans", option, value)
    failed_with(run("fit", "rows.npy", "-k", 2, "-o", "a.npy", *arguments), option, "light-kmeans")


@pytest.mark.parametrize("outputs", ["-o b.npy", "-o x.npy --model link.lsec"])
def test_no_output_replaces_rows(run, bananas, outputs):
    np.save("a.npy", bananas[0][:200])
    os.link("a.npy", "b.npy")
    os.symlink("a.npy", "link.lsec")
    failed_with(run("fit", "a.npy", "-k", 2, "-q", *outputs.split()), "must not overwrite")
    assert_array_equal(np.load("a.npy"), bananas[0][:200])


def test_labels_of_predict_replace_neither_rows_nor_model(run, bananas):
    np.save("a.npy", bananas[0][:200])
    run("fit", "a.npy", "-k", 2, "-q", "-o", "x.npy", "--model", "m.lsec", "--method", "dncsc")
    os.link("m.lsec", "m.npy")
    for output in ("a.npy", "m.npy"):
        failed_with(run("predict", "m.lsec", "a.npy", "-q", "-o", output), "must not overwrite")


# Columns


def test_predict_finds_columns_by_name(run, bananas):
    frame = pd.DataFrame(bananas[0][:500] * [1, 5], columns=["x", "y"])
    frame.to_parquet("rows.parquet")
    frame.assign(id=range(500))[["id", "y", "x"]].to_csv("swapped.csv", index=False)
    frame[["x"]].to_csv("other.csv", index=False)
    arguments = ("-q", "--model", "m.lsec", "--method", "light-kmeans")
    assert run("fit", "rows.parquet", "-k", 2, "-o", "a.npy", *arguments).exit_code == 0
    assert json.loads(run("info", "m.lsec", "--json").stdout)["columns"] == "x, y"
    for options in ((), ("--drop", "id"), ("--columns", "y,x")):
        assert run("predict", "m.lsec", "swapped.csv", "-o", "b.npy", *options).exit_code == 0
        assert_array_equal(np.load("b.npy"), np.load("a.npy"))
    result = run("predict", "m.lsec", "other.csv", "-o", "b.npy", "-q")
    failed_with(result, "other.csv has no column 'y'; it has 'x'", "was fitted on")


def test_fit_without_some_columns(run, bananas):
    frame = pd.DataFrame(bananas[0][:500], columns=["x", "y"])
    np.save("rows.npy", frame)
    frame.assign(city="Rome")[["x", "city", "y"]].to_csv("rows.csv", index=False)
    options = ("-k", 2, "-q", "--method", "light-kmeans")
    run("fit", "rows.npy", "-o", "a.npy", *options)
    assert run("fit", "rows.csv", "-o", "b.npy", "--drop", "city", *options).exit_code == 0
    assert_array_equal(np.load("a.npy"), np.load("b.npy"))
    failed_with(
        run("fit", "rows.csv", "-o", "b.npy", *options),
        "column 'city'",
        "drop=['city'] (--drop or --id city",
    )
    failed_with(run("fit", "rows.csv", "-o", "b.npy", *options, "--drop", ","), "--drop must name")
