"""`lsec consensus`: the formats it reads and writes, and what it prints."""

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal

import lsec
from lsec.cli import consensus as command
from lsec.cli.label_tables import read_labels
from lsec.cli.main import main
from lsec.consensus.consensus import METHODS as HOMES
from lsec.metrics import adjusted_rand_index, diversity
from tests.cli.noisy_labels import CLASSES, FRAME, GAPPY, LABELS, NAMES, write_all

FORMATS = ("npy", "csv", "parquet")


# Formats


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("source", FORMATS)
def test_all_formats_equal_the_function(run_consensus, source, target):
    before = os.listdir()
    result = run_consensus(f"in.{source} -k 4 --method lwgp --seed 3 --jobs 1 -o out.{target}")
    assert result.exit_code == 0, result.output
    readers = {
        "npy": np.load,
        "csv": lambda name: np.loadtxt(name, dtype=np.int32, skiprows=1),
        "parquet": lambda name: pd.read_parquet(name, columns=["label"])["label"].to_numpy(),
    }
    found = readers[target](f"out.{target}")
    assert found.dtype == np.int32
    assert_array_equal(found, lsec.consensus(LABELS, 4, "lwgp", random_state=3))
    assert adjusted_rand_index(CLASSES, found) > 0.9
    assert sorted(os.listdir()) == sorted([*before, f"out.{target}"])


def test_missing_labels_in_every_form(labels_of):
    write_all(GAPPY, "gappy")
    floats = pd.DataFrame(np.where(GAPPY < 0, np.nan, GAPPY), columns=NAMES)
    np.save("nan.npy", floats.to_numpy())
    floats.to_csv("nan.csv", index=False, na_rep="nan")
    pq.write_table(pa.Table.from_pandas(floats), "nan.parquet")
    negative = pd.DataFrame(np.where(GAPPY < 0, -7, GAPPY), columns=NAMES)
    negative.to_csv("negative.csv", index=False)
    negative.to_parquet("negative.parquet")
    expected = lsec.consensus(GAPPY, 4, random_state=0)
    files = [name for name in os.listdir() if not name.startswith("in")]
    assert len(files) == 9
    for name in files:
        assert_array_equal(labels_of(f"{name} -k 4"), expected, err_msg=name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,,3\n,2,\n", [[1, -1, 3], [-1, 2, -1]]),
        (' 1 , ,""\r\n"","2",3', [[1, -1, -1], [-1, 2, 3]]),
        (",1\n\n2,0\n\n", [[-1, 1], [2, 0]]),
        ('\ufeff"first, of 2",b\n1,2\n', [[1, 2]]),
        (",a,,b\n0,1,5,2\n1,3,5,4\n", [[1, 2], [3, 4]]),
    ],
)
def test_what_a_csv_file_may_look_like(tmp_path, text, expected):
    path = tmp_path / "in.csv"
    path.write_bytes(text.encode())
    assert_array_equal(read_labels(path), expected)


def test_large_files_are_not_copied(run_consensus):
    assert isinstance(read_labels(Path("in.npy")), np.memmap)
    for column in read_labels(Path("in.parquet")).columns:
        (chunk,) = column.chunks
        assert column.to_numpy().ctypes.data == chunk.buffers()[1].address


@pytest.mark.parametrize("kind", ["int8", "uint8", "uint32", "int64", "uint64"])
def test_parquet_integers_of_any_type_with_nulls(tmp_path, kind):
    largest = min(np.iinfo(kind).max, 2**63 - 1)
    values = pa.array([largest, largest - 1, None, 0], kind)
    pq.write_table(pa.table({"a": values}), tmp_path / "in.parquet")
    table = read_labels(tmp_path / "in.parquet")
    assert table.column("a").to_pylist() == [largest, largest - 1, -1, 0]


def test_index_of_pandas_is_left_out(labels_of):
    FRAME[::2].to_csv("half.csv")
    FRAME[::2].to_parquet("half.parquet")
    FRAME[::2].rename_axis("id").to_parquet("named.parquet")
    for name in ("half.csv", "half.parquet", "named.parquet"):
        expected = lsec.consensus(LABELS[::2], 4, random_state=0)
        assert_array_equal(labels_of(f"{name} -k 4"), expected)


@pytest.mark.parametrize("source", ["csv", "parquet"])
def test_columns_are_chosen_by_name(labels_of, source):
    frame = FRAME.rename(columns={"base7": "base1.far", "base6": "six, of 8"})
    frame.insert(0, "id", [f"row {i}, of 300" for i in range(300)])
    frame.to_csv("ids.csv", index=False)
    frame.to_parquet("ids.parquet", index=False)
    found = labels_of(f"""ids.{source} -k 4 --columns '"six, of 8",base1, base4'""")
    assert_array_equal(found, lsec.consensus(LABELS[:, [6, 1, 4]], 4, random_state=0))


# Methods and options


def test_methods_are_those_of_the_library():
    assert tuple(HOMES) == command.METHODS


@pytest.mark.parametrize("method", command.METHODS)
def test_every_method_equals_the_function(labels_of, method):
    found = labels_of(f"in.npy -k 4 --method {method}")
    assert_array_equal(found, lsec.consensus(LABELS, 4, method, random_state=0))


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("eac", {"linkage": "single", "memory_limit": "1GiB"}),
        ("lwgp", {"theta": 0.05}),
        ("kcc", {"utility": "entropy", "normalized": True, "n_init": 2}),
    ],
)
def test_options_reach_the_method(labels_of, monkeypatch, method, options):
    passed = {}
    expected = lsec.consensus(LABELS, 4, method, random_state=0, **options)
    original = lsec.consensus

    def consensus(*arguments, **keywords):
        passed.update(keywords)
        return original(*arguments, **keywords)

    monkeypatch.setattr(lsec, "consensus", consensus, raising=False)
    settings = " ".join(f"--option {name}={value}" for name, value in options.items())
    assert_array_equal(labels_of(f"in.npy -k 4 --method {method} {settings}"), expected)
    assert {name: passed[name] for name in options} == options


# What it prints and adds


def test_summary(run_consensus, monkeypatch):
    result = run_consensus("in.npy -k 4 -o out.npy")
    found = lsec.consensus(LABELS, 4, random_state=0, full_output=True)
    words = [line.split() for line in result.stdout.splitlines() if line.strip()]
    assert {" ".join(name): value for *name, value in words if value != "s"} == {
        "rows": "300",
        "base clusterings": "8",
        "base clusters": "40",
        "micro-clusters": str(len(found.micro)),
        "clusters": "4",
        "mean confidence": f"{found.confidence.mean():.3f}",
        "diversity (1 - NMI)": f"{diversity(LABELS):.3f}",
    }
    assert [name for name, *_, unit in words if unit == "s"] == ["reading", "consensus"]
    assert result.stderr.startswith("micro-clusters ")
    assert result.stderr.count("\n") == 1
    monkeypatch.setattr(command, "MOST_COMPARED", 39)
    assert "diversity" not in run_consensus("in.npy -k 4 -o out.npy").stdout


@pytest.mark.parametrize(("method", "criterion"), [("bipartite", "eigengap"), ("eac", "lifetime")])
def test_chosen_number_of_clusters(run_consensus, method, criterion):
    result = run_consensus(f"in.npy -k auto --method {method} -o out.npy")
    found = lsec.consensus(LABELS, "auto", method, random_state=0, full_output=True)
    assert_array_equal(np.load("out.npy"), found.labels)
    scores = dict(zip(found.evidence.candidates, found.evidence.scores, strict=True))
    first, second = sorted(scores, key=lambda k: -scores[k])[:2]
    words = " ".join(result.stdout.split())
    assert f"chosen by {criterion} {first} ({scores[first]:.3g})" in words
    assert f"runner-up {second} ({scores[second]:.3g})" in words


def test_rows_that_nothing_tells_apart(labels_of):
    np.save("same.npy", np.zeros((5, 2), int))
    assert_array_equal(labels_of("same.npy -k auto"), np.zeros(5))


def test_quiet_prints_nothing(run_consensus):
    result = run_consensus("in.npy -k auto -o out.npy --quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_confidence_becomes_a_column(run_consensus):
    np.save("gappy.npy", GAPPY)
    found = lsec.consensus(GAPPY, 4, random_state=0, full_output=True)
    for name, reader in (("out.csv", pd.read_csv), ("out.parquet", pd.read_parquet)):
        assert run_consensus(f"gappy.npy -k 4 -o {name} --confidence").exit_code == 0
        table = reader(name)
        assert list(table) == ["label", "confidence"]
        assert_array_equal(table["label"], found.labels)
        assert_array_equal(table["confidence"].astype(np.float32), found.confidence)


# Columns that are no clusterings, and the form of the summary


@pytest.mark.parametrize("source", ["csv", "parquet"])
def test_numbers_of_rows_are_left_out_with_a_warning(run_consensus, source):
    frame = FRAME.assign(number=np.random.default_rng(0).permutation(len(FRAME)))
    frame.to_csv("ids.csv", index=False)
    frame.to_parquet("ids.parquet")
    expected = lsec.consensus(LABELS, 4, random_state=0)
    with pytest.warns(UserWarning, match="'number' has another number in every row and is left"):
        assert run_consensus(f"ids.{source} -k 4 -o out.npy").exit_code == 0
    assert_array_equal(np.load("out.npy"), expected)
    for options in ("--drop number", "--id number -o out.csv", f"--columns {','.join(NAMES)}"):
        with warnings.catch_warnings(action="error"):
            assert run_consensus(f"ids.{source} -k 4 -o out.npy {options}").exit_code == 0
    found = pd.read_csv("out.csv")
    assert list(found) == ["number", "label"]
    assert_array_equal(found, np.column_stack([frame["number"], expected]))
    result = run_consensus(f"ids.{source} -k 4 -o out.npy --drop {','.join(NAMES)}")
    assert "every row has a label of its own in 'number'" in result.stderr


def test_text_names_the_rows(run_consensus):
    FRAME.assign(who="no. 1").to_csv("who.csv", index=False, sep=";")
    FRAME.assign(who="no. 1").to_parquet("who.parquet")
    for source in ("csv", "parquet"):
        result = run_consensus(f"who.{source} -k 4 -o out.npy")
        assert result.exit_code == 2
        assert "--id" in result.stderr or "drop=['who']" in result.stderr
        assert run_consensus(f"who.{source} -k 4 -o out.csv --id who").exit_code == 0
        assert pd.read_csv("out.csv")["who"].unique().tolist() == ["no. 1"]


@pytest.mark.parametrize("quiet", ["", "-q"])
def test_json(run_consensus, quiet):
    result = run_consensus(f"in.npy -k auto --method eac -o out.npy --json {quiet}")
    found = json.loads(result.stdout)
    expected = lsec.consensus(LABELS, "auto", "eac", random_state=0, full_output=True)
    assert found["clusters"] == expected.n_clusters
    assert found["mean confidence"] == pytest.approx(expected.confidence.mean())
    assert found["criterion"] == "lifetime"
    best = max(found["scores"], key=found["scores"].get)
    assert int(best) == expected.n_clusters
    assert set(found["stages"]) == {"reading", "consensus"}


def test_standard_streams():
    text = FRAME.to_csv(index=False)
    result = CliRunner().invoke(main, ["consensus", "-", "-k", "4", "-o", "-", "-q"], input=text)
    expected = lsec.consensus(LABELS, 4, random_state=0)
    assert result.output.split() == ["label", *map(str, expected)]
