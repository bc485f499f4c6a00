"""Canonical blocks of rows."""

import numpy as np

from lsec.sources.source import block_rows
from tests.inputs import array_source


def test_blocks_cover_all_rows_once_and_depend_on_features_only():
    rows = np.zeros((150_000, 3), np.float32)
    source = array_source(rows)
    spans = [source.span(b) for b in range(source.n_blocks)]
    assert [s.start for s in spans[1:]] == [s.stop for s in spans[:-1]]
    assert spans[0].start == 0 and spans[-1].stop == 150_000
    assert block_rows(2) == 65536 and block_rows(784) == 32768 and block_rows(10**7) == 1024
