"""Tables of records: what is written is read, in the same bytes, also after a crash."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.harness.store import Records, read_table, write_table

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False)
    | st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]))
    | st.lists(st.floats(allow_nan=False), max_size=3)
)
NAMES = st.text(alphabet="abc -+,", min_size=1, max_size=4)
VALUES = st.recursive(LEAVES, lambda inner: st.dictionaries(NAMES, inner, max_size=3), max_leaves=6)
RECORDS = st.dictionaries(
    st.text(alphabet="abc/,\"' -s0", min_size=1),
    st.dictionaries(NAMES.map(lambda name: f"_{name}"), VALUES, min_size=1, max_size=4),
    max_size=4,
)


@given(RECORDS)
def test_reading_gives_what_was_written(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("table") / "t.csv.gz"
    write_table(path, records)
    first = path.read_bytes()
    assert read_table(path) == records
    write_table(path, dict(reversed(records.items())))
    assert read_table(path) == records
    write_table(path, records)
    assert path.read_bytes() == first


def test_texts_that_look_like_numbers_stay_texts(tmp_path):
    record = {"labels": "12345678901234e5", "n": 3, "cores": "2", "none": None, "no": "null"}
    write_table(tmp_path / "t.csv.gz", {"a": record})
    assert read_table(tmp_path / "t.csv.gz") == {"a": record}


def test_every_record_is_on_disk_at_once_and_the_table_replaces_the_lines(tmp_path):
    records = Records("study", tmp_path)
    records.add("b", {"acc": 1.0})
    records.add("a", {"acc": 2.0})
    assert not (tmp_path / "study.csv.gz").exists()
    assert dict(Records("study", tmp_path)) == {"b": {"acc": 1.0}, "a": {"acc": 2.0}}
    records.compact()
    assert [path.name for path in tmp_path.iterdir()] == ["study.csv.gz"]
    records.add("b", {"acc": 3.0})
    records.remove(["a", "not there"])
    assert dict(Records("study", tmp_path)) == {"b": {"acc": 3.0}}
    records.compact()
    assert dict(Records("study", tmp_path)) == {"b": {"acc": 3.0}}


def test_a_line_in_which_the_run_was_killed_is_dropped(tmp_path):
    records = Records("study", tmp_path)
    records.add("a", {"acc": 1.0})
    with open(tmp_path / "study.jsonl", "a") as file:
        file.write('["b", {"acc":')
    records = Records("study", tmp_path)
    assert list(records) == ["a"]
    records.add("c", {"acc": 2.0})
    assert list(Records("study", tmp_path)) == ["a", "c"]


@pytest.mark.parametrize("line", ["{", "{}", '["a"]'])
def test_a_damaged_line_is_named_with_the_remedy(tmp_path, line):
    (tmp_path / "study.jsonl").write_text(json.dumps(["a", {}]) + f"\n{line}\n")
    with pytest.raises(ValueError, match=r"study.jsonl, line 2 is not a record.*Remove the line"):
        Records("study", tmp_path)


@pytest.mark.parametrize("content", [b"no table", b"\x1f\x8b cut off"])
def test_a_damaged_table_is_named(tmp_path, content):
    (tmp_path / "study.csv.gz").write_bytes(content)
    with pytest.raises(ValueError, match=r"study.csv.gz is not a table of records"):
        Records("study", tmp_path)


def test_a_name_with_a_dot_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no dot"):
        write_table(tmp_path / "t.csv.gz", {"a": {"k.m": 1}})


def test_records_without_a_folder_are_in_memory_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    records = Records("study")
    records.add("a", {"acc": 1.0})
    records.compact()
    assert dict(records) == {"a": {"acc": 1.0}}
    assert list(tmp_path.iterdir()) == []
