"""`lsec consensus`: what it refuses, with which words, and that it leaves no files behind."""

import os
import shlex
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from tests.cli.noisy_labels import LABELS, NAMES


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
def test_mistakes_in_the_command(run_consensus, line, words):
    os.mkdir("folder.csv")
    result = run_consensus(line if "-o" in shlex.split(line) else f"{line} -o out.npy")
    failed_with(result, words)
    assert "-k 301" in line or result.stderr.count("\n") == 1
    assert_array_equal(np.load("in.npy"), LABELS)


def test_unknown_method_and_missing_number_of_clusters(run_consensus):
    assert run_consensus("in.npy -k 2 -o out.npy --method vote").exit_code == 2
    assert run_consensus("in.npy -o out.npy").exit_code == 2


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
def test_unreadable_labels(run_consensus, name, content, words):
    Path(name).write_bytes(content)
    failed_with(run_consensus(f"{name} -k 1 -o out.npy"), words)


def test_npy_needs_two_dimensions(run_consensus):
    np.save("flat.npy", np.arange(10))
    failed_with(run_consensus("flat.npy -k 2 -o out.npy"), "2-D array", "(10,)")


def test_parquet_with_a_damaged_page(run_consensus):
    with open("in.parquet", "r+b") as file:
        file.seek(4)
        file.write(b"\xff" * 200)
    failed_with(
        run_consensus("in.parquet -k 4 -o out.npy"), "in.parquet is no .parquet file that can"
    )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["x", "y"], "column 'who' has the type string"),
        ([0.5, 1.0], "column 'who' has others: Float value 0.5"),
        ([True, False], "column 'who' has the type bool"),
        ([[1], [2]], "column 'who' has the type list"),
    ],
)
def test_parquet_columns_that_are_no_integers(run_consensus, values, words):
    pq.write_table(pa.table({"a": [0, 1], "who": values}), "who.parquet")
    failed_with(run_consensus("who.parquet -k 2 -o out.npy"), "who.parquet", words)
    assert run_consensus("who.parquet -k 2 -o out.npy --columns a").exit_code == 0


def test_parquet_columns_of_one_name(run_consensus):
    pq.write_table(pa.Table.from_arrays([pa.array([0, 1])] * 2, ["a", "a"]), "twice.parquet")
    failed_with(run_consensus("twice.parquet -k 2 -o out.npy"), "has several columns 'a'")


@pytest.mark.parametrize("line", ["in.parquet -k 4 -o out.npy", "in.npy -k 4 -o out.parquet"])
def test_pyarrow_is_not_installed(run_consensus, monkeypatch, line):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    failed_with(run_consensus(line), "need pyarrow", "pip install 'lsec[io]'")


def test_read_only_folder_is_refused_before_the_work(run_consensus, monkeypatch):
    monkeypatch.setattr("lsec.cli.common.os.access", lambda *_: False)
    failed_with(run_consensus("in.npy -k 4 -o out.npy"), "out.npy cannot be written")


@pytest.mark.parametrize(
    ("output", "writer"),
    [
        ("old.npy", "numpy.lib.format.write_array_header_1_0"),
        ("old.csv", "lsec.output.label_files._write_csv"),
        ("old.parquet", "lsec.output.label_files._write_parquet"),
    ],
)
def test_output_appears_whole_or_not_at_all(run_consensus, monkeypatch, output, writer):
    Path(output).write_text("old")
    before = sorted(os.listdir())

    def disk_full(*arguments):
        next(part for part in arguments if hasattr(part, "write")).write(b"half")
        raise OSError(28, "No space left on device", output)

    monkeypatch.setattr(writer, disk_full)
    more = "" if output == "old.npy" else "--confidence"
    failed_with(run_consensus(f"in.csv -k 4 -o {output} -q {more}"), "No space left on device")
    assert sorted(os.listdir()) == before
    assert Path(output).read_text() == "old"
