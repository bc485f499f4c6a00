"""Memory of the consensus functions, estimated before it is taken."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lsec import checks
from lsec.consensus.label_matrix import about_orientation
from lsec.consensus.micro_clusters import MAX_DENSE, MicroClusters
from lsec.execution.memory import free_memory

SAMPLED = 64  # base clusters, to estimate the entries of a sparse matrix
GRAPH_COPIES = 4  # of a matrix of base clusters that a transfer cut holds at a time


def labels_bytes(micro: MicroClusters) -> int:
    """The indicator of base clusters and the numbers of base clusters (n', m)."""
    return 20 * len(micro) * micro.n_base


def graph_bytes(micro: MicroClusters, n_vectors: int) -> int:
    """A transfer cut of base clusters with some eigenvectors, and the embedding of all rows."""
    n_base_clusters = micro.n_base_clusters
    vectors = 24 * (n_base_clusters + len(micro)) * min(n_vectors, n_base_clusters)
    return GRAPH_COPIES * base_cluster_matrix_bytes(micro) + vectors


def base_cluster_matrix_bytes(micro: MicroClusters) -> int:
    """A matrix (C, C): dense, or the entries of pairs that share a micro-cluster, estimated."""
    n_base_clusters = micro.n_base_clusters
    if n_base_clusters <= MAX_DENSE:
        return 8 * n_base_clusters**2
    some = np.random.default_rng(0).choice(n_base_clusters, SAMPLED, replace=False)
    pattern = sparse.csr_matrix(micro.indicator, dtype=np.float32)
    n_entries = int((pattern[:, some].T @ pattern).nnz)
    return 12 * n_entries * n_base_clusters // SAMPLED


def pairs_bytes(n_micro: int) -> int:
    """A float32 matrix (n', n') of all pairs of micro-clusters."""
    return 4 * n_micro**2


def require_pairs(n_micro: int, memory_limit: int | float | str, method: str) -> None:
    """Refuse a matrix of all pairs of micro-clusters that exceeds the limit."""
    needed, limit = pairs_bytes(n_micro), checks.memory_size(memory_limit)
    if needed > limit:
        raise ValueError(
            f"{method!r} compares every two of {n_micro:,} micro-clusters, which takes "
            f"{needed / 2**30:.3g} GiB; memory_limit is {limit / 2**30:.3g} GiB. Raise "
            f"memory_limit, use fewer or coarser base clusterings, or choose 'linkage', "
            f"'bipartite', 'lwgp', 'kcc' or 'sec', whose memory is linear."
        )


def require_free(needed: int, micro: MicroClusters) -> None:
    """Refuse a consensus function that needs more memory than is free."""
    free = free_memory()
    if needed <= free:
        return
    n_rows = int(micro.weights.sum())
    reason = (
        f"The consensus of {micro.n_base:,} base clusterings with {micro.n_base_clusters:,} "
        f"clusters and {len(micro):,} micro-clusters takes about {needed / 2**30:.3g} GiB; "
        f"{free / 2**30:.3g} GiB are free. Use fewer or coarser base clusterings, or choose 'kcc' "
        f"or 'sec', which take less."
    )
    raise ValueError(f"{reason} {about_orientation((n_rows, micro.n_base))}".rstrip())
