"""Typical rows: against a plain selection, row by row."""

import numpy as np
import pytest

from lsec import consensus
from lsec.consensus.typical_rows import typical_rows


def plain(result, n_rows):
    """Rows by turn within their micro-cluster, then by confidence and weight of that."""
    micro, found = result.micro, []
    for cluster in range(result.n_clusters):
        keys = []
        for row in np.flatnonzero(result.labels == cluster).tolist():
            m = int(micro.of_row[row])
            turn = int((micro.of_row[:row] == m).sum())
            keys.append((turn, -result.micro_confidence[m], -micro.weights[m], m, row))
        found.append([key[-1] for key in sorted(keys)[:n_rows]])
    return found


@pytest.mark.parametrize("n_rows", [1, 3, 50])
def test_typical_rows_are_sure_then_frequent(n_rows):
    rng = np.random.default_rng(0)
    kind = np.repeat([0, 1, 2], [40, 30, 7])
    noisy = [np.where(rng.random(77) < 0.8, kind, rng.integers(0, 3, 77)) for _ in range(4)]
    result = consensus(noisy, 3, "bipartite", full_output=True, random_state=0)
    found = typical_rows(result, n_rows)
    assert [rows.tolist() for rows in found] == plain(result, n_rows)
