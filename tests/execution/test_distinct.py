"""Distinct label rows of parts merge into those of the whole."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsec.execution.distinct import START, LabelCounter, NumberedRows, merge
from lsec.output.labels import FileSpool, MemorySpool
from tests.inputs import seeds


def counted(labels, spool, *, step=97, first_row=0):
    """Distinct rows of labels that are added block by block."""
    counter = LabelCounter(labels.shape[1], labels.dtype, spool, first_row=first_row)
    for low in range(0, len(labels), step):
        rows = slice(low, min(low + step, len(labels)))
        counter.add(rows, labels[rows])
    return counter.finish()


@given(
    seed=seeds,
    n=st.integers(1, 600),
    m=st.integers(1, 20),
    k=st.integers(1, 4),
    n_parts=st.integers(1, 5),
)
def test_parts_merge_into_the_distinct_rows_of_the_whole(seed, n, m, k, n_parts):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, (n, m)).astype(np.uint8)
    borders = np.unique([0, *rng.integers(0, n, n_parts - 1), n])
    spans = [slice(*pair) for pair in pairwise(borders)]
    parts = [
        counted(labels[span], MemorySpool(span.stop - span.start), first_row=span.start)
        for span in spans
    ]
    merged, numbers = merge([part.counted for part in parts])
    unique, first, counts = np.unique(labels, axis=0, return_index=True, return_counts=True)
    order = np.argsort(first)
    np.testing.assert_array_equal(merged.labels(m, np.dtype(np.uint8)), unique[order])
    np.testing.assert_array_equal(merged.counts, counts[order])
    np.testing.assert_array_equal(merged.firsts, first[order])
    of_row = np.concatenate([own[part.of_row()] for own, part in zip(numbers, parts, strict=True)])
    np.testing.assert_array_equal(unique[order][of_row], labels)


def test_tables_grow():
    n = 3 * START
    labels = np.random.default_rng(0).permutation(n).astype("<u4").view(np.uint8).reshape(n, 4)
    rows = counted(np.concatenate([labels, labels[::-1]]), MemorySpool(2 * n), step=1000)
    np.testing.assert_array_equal(rows.labels, labels)
    np.testing.assert_array_equal(rows.of_row(), [*range(n), *reversed(range(n))])
    np.testing.assert_array_equal(rows.weights, np.full(n, 2.0))


@pytest.mark.parametrize("in_file", [False, True])
def test_values_of_distinct_rows_are_looked_up_for_all_rows(in_file, tmp_path):
    labels = np.random.default_rng(0).integers(0, 3, (500, 4)).astype(np.uint8)
    rows = counted(labels, FileSpool(tmp_path) if in_file else MemorySpool(500))
    np.testing.assert_array_equal(rows.look_up(rows.labels), labels)
    np.testing.assert_array_equal(np.concatenate(list(rows.parts(rows.labels))), labels)
    np.testing.assert_array_equal(rows.labels[rows.of_row()], labels)
    np.testing.assert_array_equal(rows.weights, np.bincount(rows.of_row()))


def test_rows_are_restored_from_their_arrays_and_spool(tmp_path):
    labels = np.random.default_rng(0).integers(0, 3, (500, 4)).astype(np.uint8)
    spool = FileSpool(tmp_path)
    rows = counted(labels, spool)
    again = NumberedRows.from_arrays(rows.arrays(), spool)
    np.testing.assert_array_equal(again.look_up(again.labels), labels)
    np.testing.assert_array_equal(again.weights, rows.weights)
