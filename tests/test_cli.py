"""The command line: what it writes, what it prints, and what it says when something is wrong."""

import inspect
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal

import lsec
from lsec import datasets
from lsec.cli.datasets import BUNDLED, SYNTHETIC
from lsec.cli.demo import Case
from lsec.cli.fit import METHODS
from lsec.cli.main import main
from lsec.cli.picture import match_clusters
from lsec.metrics import clustering_accuracy


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(main, [str(argument) for argument in arguments])

    return run


@pytest.fixture(scope="module")
def bananas():
    return datasets.make_two_bananas(3000, random_state=0)


def failed_with(result, *words):
    """Whether a command ended with exit code 2 and one line on standard error."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    for word in words:
        assert word in result.stderr


# The group


def test_version(run):
    assert run("--version").stdout.strip() == f"lsec, version {lsec.__version__}"


def test_help_is_quick_because_it_imports_little():
    program = (
        "import json, sys\n"
        "from lsec.cli.main import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30
    )
    *text, modules = done.stdout.splitlines()
    assert any(line.split()[:1] == ["demo"] for line in text)
    packages = {name.partition(".")[0] for name in json.loads(modules)}
    assert packages.isdisjoint({"numpy", "scipy", "numba", "sklearn", "matplotlib", "rich"})


# lsec datasets


def test_datasets_list_names_every_data_set(run):
    result = run("datasets", "list")
    assert result.exit_code == 0
    for name in ("two-bananas", "flower", "pendigits", "usps", "covertype", "20,000,000"):
        assert name in result.stdout


@pytest.mark.parametrize("name", SYNTHETIC)
def test_list_agrees_with_the_makers(name):
    entry = SYNTHETIC[name]
    maker = getattr(datasets, entry.function)
    assert inspect.signature(maker).parameters["n_samples"].default == entry.rows
    X, y = maker(1000, random_state=0)
    assert (X.shape[1], len(np.unique(y))) == (entry.features, entry.classes)


@pytest.mark.parametrize("name", BUNDLED)
def test_list_agrees_with_the_loaders(name):
    entry = BUNDLED[name]
    X, y = getattr(datasets, entry.function)(return_X_y=True)
    assert (*X.shape, len(np.unique(y))) == (entry.rows, entry.features, entry.classes)


def test_datasets_make_equals_the_maker(run):
    result = run("datasets", "make", "flower", "-n", "2e3", "-o", "fl.npy", "--labels", "y.npy")
    assert result.exit_code == 0
    assert "2,000 rows" in result.stdout
    X, y = datasets.make_flower(2000, random_state=0)
    assert_array_equal(np.load("fl.npy"), X)
    assert_array_equal(np.load("y.npy"), y)
    assert sorted(os.listdir()) == ["fl.npy", "y.npy"]


def test_datasets_make_takes_a_seed(run):
    run("datasets", "make", "two-bananas", "-n", 100, "-o", "x.npy", "--seed", 7)
    assert_array_equal(np.load("x.npy"), datasets.make_two_bananas(100, random_state=7)[0])


@pytest.mark.parametrize("count", ["0", "-5", "1.5", "many", "nan", "inf"])
def test_datasets_make_refuses_what_is_no_number_of_rows(run, count):
    result = run("datasets", "make", "flower", "-n", count, "-o", "fl.npy")
    assert result.exit_code == 2
    assert "not a number of rows" in result.stderr
    assert os.listdir() == []


def test_datasets_make_refuses_one_file_for_rows_and_labels(run):
    result = run("datasets", "make", "flower", "-n", 10, "-o", "a.npy", "--labels", "./a.npy")
    failed_with(result, "a.npy is named twice")


# lsec fit


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
    assert_array_equal(np.loadtxt("labels.csv", dtype=int), np.load("labels.npy"))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_equals_its_estimator(run, bananas, method):
    X = bananas[0][:1000]
    np.save("rows.npy", X)
    result = run("fit", "rows.npy", "-k", 2, "-o", "labels.npy", "--method", method)
    assert result.exit_code == 0, result.stderr
    estimator = getattr(lsec, METHODS[method])(2, random_state=0)
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
        ("rows.csv", b"1,2\n3,x\n", "could not convert string 'x'"),
        ("rows.csv", b"1,2\n3\n", "the number of columns changed from 2 to 1 at row 2"),
        ("rows.csv", b"1,,3\n", "could not convert string ''"),
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
        ("rows.npy", "rows.npy is named twice"),
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


# lsec demo


def test_demo_shows_both_methods_and_draws(run):
    from matplotlib import image

    result = run("demo", "--rows", 3000, "--output", "face.png")
    assert result.exit_code == 0, result.stderr
    for word in ("PenDigits", "10,992", "smiling face", "3,000", "k-means", "LSEC", "88.26"):
        assert word in result.stdout
    height, width, _ = image.imread("face.png").shape
    assert width > height > 300
    assert os.listdir() == ["face.png"]


def test_demo_without_matplotlib_still_shows_the_table(run, bananas, monkeypatch):
    case = Case("bananas", *bananas, n_clusters=2, paper=(99.72, 97.19))
    monkeypatch.setattr("lsec.cli.demo._cases", lambda rows, seed: [case])
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run("demo")
    assert result.exit_code == 0
    assert "99.72 / 97.19" in result.stdout
    assert "pip install 'lsec[plot]'" in result.stdout
    assert os.listdir() == []


def test_demo_refuses_another_kind_of_picture(run):
    failed_with(run("demo", "--output", "face.gif"), "must end in .png")


def test_match_clusters_keeps_the_partition_and_finds_the_best_names():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 200)
    permuted = np.array([2, 0, 3, 1])[y]
    assert_array_equal(match_clusters(y, permuted), y)
    more = np.where(rng.random(200) < 0.2, 9, permuted)
    matched = match_clusters(y, more)
    assert_array_equal(matched[more != 9], y[more != 9])
    assert set(matched[more == 9]) == {4}
