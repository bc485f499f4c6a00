"""Hashing of label rows."""

import numpy as np

from lsec.kernels.distinct import hash_row


def test_hash_spreads_label_rows_that_differ_in_one_place():
    rows = np.arange(4096, dtype=np.uint64)[:, None]
    slots = {int(hash_row(row)) & 0xFFFF for row in rows}
    assert len(slots) > 3900
