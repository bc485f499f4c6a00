"""Parquet files: types, columns, and row groups."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from lsec import open_rows
from lsec.sources import parquet as parquet_module
from tests.conftest import builder
from tests.sources.stores import assert_holds, numbers, parquet


def test_parquet_columns_of_mixed_types(tmp_path, small_blocks):
    X = np.round(numbers(75, 5))
    columns = {"i": X[:, 0].astype("i2"), "u": abs(X[:, 1]).astype("u8"), "f": X[:, 2] / 8}
    columns |= {"half": X[:, 3].astype("f2"), "yes": X[:, 4] > 0}
    pq.write_table(pa.table(columns), tmp_path / "mixed.parquet", row_group_size=9)
    assert_holds(open_rows(tmp_path / "mixed.parquet"), np.column_stack([*columns.values()]))


def test_small_row_groups_are_decoded_together(tmp_path, monkeypatch):
    X, opened = numbers(20_000), []
    pq.write_table(pa.table({"a": X[:, 0]}), tmp_path / "a.parquet", row_group_size=100)
    source = open_rows(tmp_path / "a.parquet")
    open_file = parquet_module._open
    monkeypatch.setattr(parquet_module, "_open", lambda *a: opened.append(a) or open_file(*a))
    assert_array_equal(source.block(0), X[:, :1])
    assert len(opened) == 1


def test_columns_are_chosen_and_ordered(tmp_path, small_blocks):
    X = numbers(75, 4)
    for stored in (parquet(tmp_path, X), [parquet(tmp_path, X, "copy.parquet")]):
        assert_holds(open_rows(stored, columns=["d", "a"]), X[:, [3, 0]])


def test_a_column_of_text_is_no_obstacle_if_others_are_chosen(tmp_path, small_blocks):
    X = numbers(20, 2)
    path = parquet(tmp_path, X, "named.parquet")
    pq.write_table(pq.read_table(path).append_column("name", [["x"] * 20]), path)
    assert_holds(open_rows(path, columns=["a", "b"]), X)
    with pytest.raises(ValueError, match=r"'name' of .*named\.parquet holds string, not numbers"):
        open_rows(path)


def test_numbers_of_several_types_in_files_are_their_numbers(tmp_path):
    types = ["i1", "f4", "u8", "f8", "?"]
    parts = [(abs(numbers(900, 2)) % 2).astype(kind) for kind in types]
    for number, part in enumerate(parts):
        table = pa.table({"a": part[:, 0], "b": part[:, 1]})
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=700)
    X = np.concatenate([part.astype(np.float64) for part in parts])
    model = builder("LSEC")(3)
    assert_array_equal(model.fit(tmp_path).labels_, builder("LSEC")(3).fit(X).labels_)


@pytest.mark.parametrize("kind", [MemoryError, ImportError])
def test_what_is_no_fault_of_the_file_is_not_blamed_on_it(kind, tmp_path, monkeypatch):
    def fail(*_):
        raise kind("not the file")

    source = open_rows(parquet(tmp_path, numbers(20)))
    monkeypatch.setattr("lsec.sources.parquet._open", fail)
    with pytest.raises(kind, match="not the file"):
        source.block(0)
