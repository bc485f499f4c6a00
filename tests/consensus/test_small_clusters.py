"""Clusters below a minimum size are merged with the ones that their base clusters favor."""

import numpy as np

from lsec.consensus.small_clusters import merge_small


def test_the_smallest_joins_the_cluster_that_shares_most_base_clusters():
    # Base clusters (rows) by cluster: the third cluster shares its base cluster with the second.
    counts = np.array([[50.0, 0, 0], [0, 40, 5], [30, 0, 0], [0, 45, 0]])
    sizes = counts.sum(axis=0) / 2
    assert merge_small(counts, sizes, 3).tolist() == [0, 1, 1]
    assert merge_small(counts, sizes, 2).tolist() == [0, 1, 2]
    assert merge_small(counts, sizes, 1, 2).tolist() == [0, 1, 1]
    assert len(set(merge_small(counts, sizes, 1e9).tolist())) == 1


def test_chains_end_in_one_cluster():
    counts = np.array([[9.0, 1, 0], [0, 1, 1], [9, 0, 0], [0, 2, 1]])
    into = merge_small(counts, np.array([9.0, 2, 1]), 4)
    assert into.tolist() == [0, 0, 0]
