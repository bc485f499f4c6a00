"""Rows of Dask collections: their parts, and collections that are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

pytest.importorskip("dask.array")

import dask.array as da

from lsec.sources.dask import MOST_PART_BLOCKS, part_borders
from tests.conftest import builder


@given(
    chunks=st.lists(st.integers(0, 300), min_size=1, max_size=12).filter(sum),
    rows_per_block=st.sampled_from([1, 2, 8, 64]),
)
def test_parts_are_chunks_with_borders_of_blocks(chunks, rows_per_block):
    borders = np.array(part_borders(chunks, rows_per_block))
    assert borders[0] == 0
    assert borders[-1] == sum(chunks)
    assert (np.diff(borders) > 0).all()
    assert (borders[:-1] % rows_per_block == 0).all()
    assert np.diff(borders).max() <= MOST_PART_BLOCKS * rows_per_block
    for end in np.cumsum(chunks):  # less than a block of rows travels to the next part
        assert np.abs(borders - end).min() < rows_per_block


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (da.zeros(100), "1 dimension"),
        (da.zeros((10, 2), dtype=complex), "complex"),
        (da.zeros((3, 2)), "n_samples=3 should be >= n_clusters=4"),
        (da.zeros((9, 2)).map_blocks(csr_matrix), "must be NumPy arrays; got csr_matrix"),
    ],
)
def test_bad_collections_are_refused(rows, words):
    with pytest.raises(ValueError, match=words):
        builder("LSEC")(4).fit(rows)
