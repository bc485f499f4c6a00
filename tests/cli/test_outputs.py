"""What stands in the output beside the labels, and standard streams in the place of files."""

import gzip
import io
import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal

import lsec
from lsec.cli.main import main
from tests.cli.messages import failed_with

CHEAP = ("--n-base", 7, "--n-landmarks", 100, "--base-clusters", "5,15")
SAME = {"n_base": 7, "n_landmarks": 100, "base_clusters": (5, 15), "random_state": 0}
READERS = {"csv": pd.read_csv, "parquet": pd.read_parquet}


@pytest.fixture
def frame(bananas):
    """Rows with features x and y between a name and text."""
    frame = pd.DataFrame(bananas[0][:1500].astype(float), columns=["x", "y"])
    frame.insert(0, "who", [f"no. {i}, {i % 7}" for i in range(1500)])
    return frame.assign(city="Rome", number=np.arange(1500)[::-1] * 3)


@pytest.fixture
def model(frame):
    return lsec.LSEC(2, **SAME).fit(frame[["x", "y"]])


def write(frame, ending):
    if ending == "csv":
        frame.to_csv("rows.csv", index=False)
    else:
        frame.to_parquet("rows.parquet", row_group_size=400)
    return f"rows.{ending}"


@pytest.mark.parametrize("target", READERS)
@pytest.mark.parametrize("source", READERS)
def test_identifiers_and_confidence_stand_beside_the_labels(run, frame, model, source, target):
    rows, out = write(frame, source), f"out.{target}"
    options = ("--id", "who,number", "--drop", "city", "--confidence", "-q")
    command = ("fit", rows, "-k", 2, "-o", out, *CHEAP, *options, "--model", "m.lsec")
    for arguments in (command, ("predict", "m.lsec", rows, "-o", out, *options[:2], *options[4:])):
        result = run(*arguments)
        assert result.exit_code == 0, result.stderr
        found = READERS[target](out)
        assert list(found) == ["who", "number", "label", "confidence"]
        assert list(found["who"]) == list(frame["who"])
        assert list(found["number"].astype(int)) == list(frame["number"])
        assert_array_equal(found["label"], model.labels_)
        assert_array_equal(found["confidence"].astype(np.float32), model.confidence_)
    assert list(lsec.load("m.lsec").feature_names_in_) == ["x", "y"]


def test_identifiers_of_several_files_and_of_every_kind(run, frame):
    frame = frame.assign(
        day=pd.date_range("2020", periods=1500), kind=frame["city"].astype("category")
    )
    names = ["who", "number", "day", "kind"]
    for part in range(3):
        frame[500 * part : 500 * (part + 1)].to_parquet(f"{part}.parquet", row_group_size=77)
        frame[500 * part : 500 * (part + 1)].to_csv(f"{part}.csv.gz", sep=";", index=False)
    for ending, kind in (("parquet", object), ("csv.gz", str)):
        files = [f"{part}.{ending}" for part in range(3)]
        options = ("-k", 2, "--method", "light-kmeans", "-q", "--columns", "x,y")
        result = run("fit", *files, "-o", "out.parquet", *options, "--id", ",".join(names))
        assert result.exit_code == 0, result.stderr
        found = pd.read_parquet("out.parquet")
        if kind is str:
            frame = pd.concat([pd.read_csv(name, sep=";", dtype=str) for name in files])
        for name in names:
            assert list(found[name]) == list(frame[name])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--id", "who", "-o", "out.npy"), "out.npy would hold labels alone. For --id choose .csv"),
        (("--confidence", "-o", "out.npy"), "out.npy would hold labels alone. For --confidence"),
        (("--id", "me", "-o", "out.csv"), "has no column 'me'; it has 'who', 'x', 'y', 'city'"),
        (("--id", "who,who", "-o", "out.csv"), "two columns 'who'"),
        (("--id", " ", "-o", "out.csv"), "--id must name at least one column"),
        (("--confidence", "--method", "dncsc", "-o", "out.csv"), "does not apply to dncsc"),
        (("--n-base", "5", "--method", "uspec", "-o", "out.csv"), "--n-base does not apply to usp"),
        (("--consensus", "eac", "--method", "usenc", "-o", "out.csv"), "--consensus does not appl"),
        (("--base-clusters", "5", "-o", "out.csv"), "base_clusters must be 'auto' or a pair"),
    ],
)
def test_mistakes(run, frame, arguments, words):
    write(frame, "csv")
    if arguments[1] != "me":
        arguments = ("--columns", "x,y", *arguments)
    failed_with(run("fit", "rows.csv", "-k", 2, *arguments), words)


def test_a_column_label_beside_the_labels_is_refused(run, frame):
    frame.rename(columns={"who": "label"}).to_csv("rows.csv", index=False)
    result = run("fit", "rows.csv", "-k", 2, "-o", "a.csv", "--columns", "x,y", "--id", "label")
    failed_with(result, "two columns 'label'")


def test_confidence_of_a_single_clustering_is_refused_in_predict(run, frame):
    frame[["x", "y"]].to_csv("rows.csv", index=False)
    run("fit", "rows.csv", "-k", 2, "-o", "a.csv", "--model", "m.lsec", "--method", "light-kmeans")
    result = run("predict", "m.lsec", "rows.csv", "-o", "b.csv", "--confidence")
    failed_with(result, "LightKMeans", "single clustering")


def test_no_output_joins_the_rows_of_a_folder(run, frame):
    os.mkdir("rows")
    frame[["x", "y"]].to_csv("rows/1.csv", index=False)
    for outputs in (("-o", "rows/labels.csv"), ("-o", "a.csv", "--model", "rows/m.lsec")):
        result = run("fit", "rows", "-k", 2, "-q", *outputs)
        failed_with(result, "lies in", "rows, which this work uses")
    assert os.listdir("rows") == ["1.csv"]


# Options of the estimators


def test_members_are_those_of_the_estimator(run, frame, model):
    frame[["x", "y"]].to_parquet("rows.parquet")
    result = run("fit", "rows.parquet", "-k", 2, "-o", "a.npy", *CHEAP, "-q")
    assert result.exit_code == 0, result.stderr
    assert_array_equal(np.load("a.npy"), model.labels_)


# Standard streams


def as_bytes(frame, kind):
    if kind == "npy":
        file = io.BytesIO()
        np.save(file, frame.to_numpy())
        return file.getvalue()
    if kind == "parquet":
        file = io.BytesIO()
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), file)
        return file.getvalue()
    text = frame.to_csv(index=False, sep="\t" if kind == "tsv" else ",").encode()
    return gzip.compress(text) if kind == "csv.gz" else text


@pytest.mark.parametrize("kind", ["csv", "tsv", "csv.gz", "parquet", "npy"])
def test_rows_from_standard_input_and_labels_to_standard_output(frame, model, kind):
    given = as_bytes(frame[["x", "y"]], kind)
    arguments = ["fit", "-", "-k", "2", "-o", "-", *map(str, CHEAP), "--json"]
    result = CliRunner().invoke(main, arguments, input=given)
    assert result.exit_code == 0, result.stderr
    labels = pd.read_csv(io.StringIO(result.stdout))
    assert list(labels) == ["label"]
    assert_array_equal(labels["label"], model.labels_)
    assert json.loads(result.stderr.splitlines()[-1])["rows"] == 1500


def test_an_error_leaves_standard_output_empty(frame):
    given = as_bytes(frame, "csv")
    failed_with(CliRunner().invoke(main, ["fit", "-", "-k", "2", "-o", "-"], input=given), "who")


def test_a_pipeline_of_commands(tmp_path, frame, model):
    model.save(tmp_path / "m.lsec")
    frame[["y", "x"]].to_csv(tmp_path / "rows.csv", index=False)
    start = [sys.executable, "-c", "from lsec.cli import start; start()"]
    with open(tmp_path / "rows.csv", "rb") as rows:
        done = subprocess.run(
            [*start, "predict", str(tmp_path / "m.lsec"), "-", "-o", "-", "-q"],
            stdin=rows, capture_output=True, check=True,
        )  # fmt: skip
    assert done.stdout.decode().split() == ["label", *map(str, model.labels_)]
    assert done.stderr == b""


def test_warnings_are_one_line(tmp_path, frame):
    frame[["number", "x"]].sort_values("number").to_csv(tmp_path / "rows.csv", index=False)
    start = [sys.executable, "-c", "from lsec.cli import start; start()"]
    arguments = ["fit", "rows.csv", "-k", "2", "-o", "a.csv", "-q", "--method", "light-kmeans"]
    done = subprocess.run(
        [*start, *arguments], cwd=tmp_path, capture_output=True, check=True, text=True
    )
    assert done.stderr.startswith("Warning: rows.csv: 'number' looks like an identifier")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("quiet", [(), ("-q",)])
def test_json_is_printed_whatever_else_is_quiet(run, frame, quiet):
    frame[["x", "y"]].to_csv("rows.csv", index=False)
    arguments = ("-k", 2, "--json", *quiet, "--method", "light-kmeans", "--model", "m.lsec")
    found = json.loads(run("fit", "rows.csv", "-o", "a.csv", *arguments).stdout)
    assert (found["rows"], found["features"], found["clusters"]) == (1500, 2, 2)
    result = run("predict", "m.lsec", "rows.csv", "-o", "b.csv", "--json", *quiet)
    assert json.loads(result.stdout)["rows"] == 1500
