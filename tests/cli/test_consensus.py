"""`lsec consensus`: the formats it reads and writes, what it prints, and what it refuses."""

import json
import os
import shlex
import sys
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

FORMATS = ("npy", "csv", "parquet")
NAMES = [f"base{j}" for j in range(8)]
CLASSES = np.repeat(np.arange(4), 75)


def noisy_copies():
    """Labels int64 (300, 8): the classes under other names, with noise."""
    rng = np.random.default_rng(0)
    copies = np.stack([rng.permutation(5)[CLASSES] for _ in NAMES], axis=1)
    return np.where(rng.random(copies.shape) < 0.15, rng.integers(0, 5, copies.shape), copies)


LABELS = noisy_copies()
GAPPY = np.where(np.random.default_rng(1).random(LABELS.shape) < 0.1, -1, LABELS)
FRAME = pd.DataFrame(LABELS, columns=NAMES)


def write_all(labels, stem):
    """Write labels in all formats; missing ones in the way of the format."""
    frame = pd.DataFrame(labels, columns=NAMES).astype("Int64").mask(labels < 0)
    np.save(f"{stem}.npy", labels)
    frame.to_csv(f"{stem}.csv", index=False)
    frame.to_csv(f"{stem}-bare.csv", index=False, header=False)
    frame.to_parquet(f"{stem}.parquet", row_group_size=100)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run `lsec consensus` in a folder with in.npy, in.csv, in-bare.csv and in.parquet."""
    monkeypatch.chdir(tmp_path)
    write_all(LABELS, "in")

    def run(line):
        return CliRunner().invoke(main, ["consensus", *shlex.split(line)])

    return run


@pytest.fixture
def labels_of(run):
    """Run a command that must succeed; returns the labels it wrote to out.npy."""

    def labels_of(line):
        result = run(f"{line} -o out.npy")
        assert result.exit_code == 0, result.output
        return np.load("out.npy")

    return labels_of


def failed_with(result, *words):
    """Whether a command wrote no file, and ended with one line on standard error and exit code 2.

    Progress may stand before that line.
    """
    assert (result.exit_code, result.stdout) == (2, "")
    *progress, error = result.stderr.splitlines()
    assert error.startswith("Error: ")
    assert all(line.startswith("micro-clusters ") for line in progress)
    for word in words:
        assert word in error
    assert not [name for name in os.listdir() if name.startswith((".", "out."))]


# Formats


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("source", FORMATS)
def test_all_formats_equal_the_function(run, source, target):
    before = os.listdir()
    result = run(f"in.{source} -k 4 --method lwgp --seed 3 --jobs 1 -o out.{target}")
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


def test_large_files_are_not_copied(run):
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


def test_summary(run, monkeypatch):
    result = run("in.npy -k 4 -o out.npy")
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
    assert "diversity" not in run("in.npy -k 4 -o out.npy").stdout


@pytest.mark.parametrize(("method", "criterion"), [("bipartite", "eigengap"), ("eac", "lifetime")])
def test_chosen_number_of_clusters(run, method, criterion):
    result = run(f"in.npy -k auto --method {method} -o out.npy")
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


def test_quiet_prints_nothing(run):
    result = run("in.npy -k auto -o out.npy --quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_confidence_becomes_a_column(run):
    np.save("gappy.npy", GAPPY)
    found = lsec.consensus(GAPPY, 4, random_state=0, full_output=True)
    for name, reader in (("out.csv", pd.read_csv), ("out.parquet", pd.read_parquet)):
        assert run(f"gappy.npy -k 4 -o {name} --confidence").exit_code == 0
        table = reader(name)
        assert list(table) == ["label", "confidence"]
        assert_array_equal(table["label"], found.labels)
        assert_array_equal(table["confidence"].astype(np.float32), found.confidence)


# Mistakes


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("no.npy -k 4", "no.npy: No such file"),
        ("no.csv -k 4", "no.csv: No such file"),
        ("no.parquet -k 4", "no.parquet: No such file"),
        ("in.txt -k 4", "in.txt: labels must be in a .npy, .csv or .parquet file"),
        ("in.npy -k many", "n_clusters must be an integer at least 1 or 'auto'; got 'many'"),
        ("in.npy -k 0", "n_clusters must be an integer at least 1"),
        ("in.npy -k 2.5", "n_clusters must be an integer at least 1"),
        ("in.npy -k 301", "were asked"),
        ("in.npy -k auto --method kcc", "n_clusters='auto' has no criterion for 'kcc'"),
        ("in.npy -k 4 --jobs 0", "n_jobs must be"),
        ("in.npy -k 4 --option theta", "--option must be name=value, such as theta=0.2"),
        ("in.npy -k 4 --option =2", "--option must be name=value"),
        ("in.npy -k 4 --option theta=2", "'linkage' has no options; got 'theta'"),
        ("in.npy -k 4 --option n_jobs=2", "got 'n_jobs'"),
        ("in.npy -k 4 --method lwgp --option theta=low", "theta must be a positive number"),
        ("in.npy -k 4 --columns base1", "in.npy has no column names"),
        ("in-bare.csv -k 4 --columns 0,1", "in-bare.csv has no column names"),
        ("in.csv -k 4 --columns ' ,'", "--columns must name at least one column"),
        (
            "in.csv -k 4 --columns base0,id",
            f"has no column 'id'; it has {', '.join(map(repr, NAMES))}.",
        ),
        (
            "in.parquet -k 4 --columns id",
            f"has no column 'id'; it has {', '.join(map(repr, NAMES))}.",
        ),
        ("in.npy -k 4 --confidence", "out.npy would hold labels alone"),
        ("in.npy -k 4 -o out.txt", "must end in .npy or .csv or .parquet"),
        ("in.npy -k 4 -o nowhere/out.npy", "the folder nowhere does not exist"),
        ("in.npy -k 4 -o ./in.npy", "in.npy is the same file as"),
        ("in.npy -k 4 -o folder.csv", "folder.csv cannot be written"),
    ],
)
def test_mistakes_in_the_command(run, line, words):
    os.mkdir("folder.csv")
    result = run(line if "-o" in shlex.split(line) else f"{line} -o out.npy")
    failed_with(result, words)
    assert "-k 301" in line or result.stderr.count("\n") == 1
    assert_array_equal(np.load("in.npy"), LABELS)


def test_unknown_method_and_missing_number_of_clusters(run):
    assert run("in.npy -k 2 -o out.npy --method vote").exit_code == 2
    assert run("in.npy -o out.npy").exit_code == 2


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bad.npy", b"something else", "bad.npy is not a .npy file of numbers"),
        ("bad.parquet", b"something else", "bad.parquet is no .parquet file that can be read"),
        ("bad.parquet", b"", "bad.parquet is no .parquet file that can be read"),
        ("bad.csv", b"", "bad.csv has no rows"),
        ("bad.csv", b"a,b\n", "bad.csv has no rows"),
        ("bad.csv", b"1,2\n3,x\n", "could not convert string 'x'"),
        ("bad.csv", b"\xff\xfe1,2\n", "bad.csv is not text in UTF-8"),
        ("bad.csv", b"1,2\n3\n", "the number of columns changed from 2 to 1 at row 2"),
        ("bad.csv", b"1,2\n1.5,2\n", "Row 1, column 0 is 1.5"),
        ("bad.csv", b"1,2\n,\n", "Row 1 has no label in any base clustering"),
        ("bad.csv", b"9007199254740993,1\n", "labels in a .csv file must be below 2**53"),
    ],
)
def test_unreadable_labels(run, name, content, words):
    Path(name).write_bytes(content)
    failed_with(run(f"{name} -k 1 -o out.npy"), words)


def test_npy_needs_two_dimensions(run):
    np.save("flat.npy", np.arange(10))
    failed_with(run("flat.npy -k 2 -o out.npy"), "2-D array", "(10,)")


def test_parquet_with_a_damaged_page(run):
    with open("in.parquet", "r+b") as file:
        file.seek(4)
        file.write(b"\xff" * 200)
    failed_with(run("in.parquet -k 4 -o out.npy"), "in.parquet is no .parquet file that can")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["x", "y"], "column 'who' has the type string"),
        ([0.5, 1.0], "column 'who' has others: Float value 0.5"),
        ([True, False], "column 'who' has the type bool"),
        ([[1], [2]], "column 'who' has the type list"),
    ],
)
def test_parquet_columns_that_are_no_integers(run, values, words):
    pq.write_table(pa.table({"a": [0, 1], "who": values}), "who.parquet")
    failed_with(run("who.parquet -k 2 -o out.npy"), "who.parquet", words)
    assert run("who.parquet -k 2 -o out.npy --columns a").exit_code == 0


def test_parquet_columns_of_one_name(run):
    pq.write_table(pa.Table.from_arrays([pa.array([0, 1])] * 2, ["a", "a"]), "twice.parquet")
    failed_with(run("twice.parquet -k 2 -o out.npy"), "has several columns 'a'")


@pytest.mark.parametrize("line", ["in.parquet -k 4 -o out.npy", "in.npy -k 4 -o out.parquet"])
def test_pyarrow_is_not_installed(run, monkeypatch, line):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    failed_with(run(line), "need pyarrow", "pip install 'lsec[io]'")


def test_read_only_folder_is_refused_before_the_work(run, monkeypatch):
    monkeypatch.setattr("lsec.cli.common.os.access", lambda *_: False)
    failed_with(run("in.npy -k 4 -o out.npy"), "out.npy cannot be written")


@pytest.mark.parametrize(
    ("output", "writer"),
    [
        ("old.npy", "numpy.lib.format.write_array_header_1_0"),
        ("old.csv", "lsec.output.label_files._write_csv"),
        ("old.parquet", "lsec.output.label_files._write_parquet"),
    ],
)
def test_output_appears_whole_or_not_at_all(run, monkeypatch, output, writer):
    Path(output).write_text("old")
    before = sorted(os.listdir())

    def disk_full(*arguments):
        next(part for part in arguments if hasattr(part, "write")).write(b"half")
        raise OSError(28, "No space left on device", output)

    monkeypatch.setattr(writer, disk_full)
    more = "" if output == "old.npy" else "--confidence"
    failed_with(run(f"in.csv -k 4 -o {output} -q {more}"), "No space left on device")
    assert sorted(os.listdir()) == before
    assert Path(output).read_text() == "old"


# Columns that are no clusterings, and the form of the summary


@pytest.mark.parametrize("source", ["csv", "parquet"])
def test_numbers_of_rows_are_left_out_with_a_warning(run, source):
    frame = FRAME.assign(number=np.random.default_rng(0).permutation(len(FRAME)))
    frame.to_csv("ids.csv", index=False)
    frame.to_parquet("ids.parquet")
    expected = lsec.consensus(LABELS, 4, random_state=0)
    with pytest.warns(UserWarning, match="'number' has another number in every row and is left"):
        assert run(f"ids.{source} -k 4 -o out.npy").exit_code == 0
    assert_array_equal(np.load("out.npy"), expected)
    for options in ("--drop number", "--id number -o out.csv", f"--columns {','.join(NAMES)}"):
        with warnings.catch_warnings(action="error"):
            assert run(f"ids.{source} -k 4 -o out.npy {options}").exit_code == 0
    found = pd.read_csv("out.csv")
    assert list(found) == ["number", "label"]
    assert_array_equal(found, np.column_stack([frame["number"], expected]))
    result = run(f"ids.{source} -k 4 -o out.npy --drop {','.join(NAMES)}")
    assert "every row has a label of its own in 'number'" in result.stderr


def test_text_names_the_rows(run):
    FRAME.assign(who="no. 1").to_csv("who.csv", index=False, sep=";")
    FRAME.assign(who="no. 1").to_parquet("who.parquet")
    for source in ("csv", "parquet"):
        result = run(f"who.{source} -k 4 -o out.npy")
        assert result.exit_code == 2
        assert "--id" in result.stderr or "drop=['who']" in result.stderr
        assert run(f"who.{source} -k 4 -o out.csv --id who").exit_code == 0
        assert pd.read_csv("out.csv")["who"].unique().tolist() == ["no. 1"]


@pytest.mark.parametrize("quiet", ["", "-q"])
def test_json(run, quiet):
    result = run(f"in.npy -k auto --method eac -o out.npy --json {quiet}")
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
