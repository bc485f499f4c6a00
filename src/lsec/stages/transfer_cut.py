"""Transfer cut: the spectral embedding of a bipartite graph from its small side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lsec.stages.eigen import leading_eigenpairs, leading_eigenpairs_sparse


@dataclass(frozen=True)
class TransferCut:
    """Leading eigenvectors of the small side.

    Attributes
    ----------
    vectors : float64 (q, c)
        A row of the large side with weights w has the embedding w @ vectors, up
        to its length. Columns descend with the eigenvalue, the trivial one first.
    eigenvalues : float64 (c,)
        In [0, 1], descending.
    """

    vectors: np.ndarray
    eigenvalues: np.ndarray


def transfer_cut(
    affinity: np.ndarray | sparse.csr_matrix, n_components: int, *, dtype: type = np.float64
) -> TransferCut:
    """Embed the small side of a bipartite graph.

    Parameters
    ----------
    affinity : float64 (q, q), dense or sparse
        B' D^-1 B, with B the cross-affinity and D its row sums. Symmetric.
    n_components : int
        At most q. A column of B without any weight gets a zero vector.
    dtype : type
        Precision in which eigenvectors are sought. float32 mixes eigenvectors whose
        eigenvalues agree to about 1e-6, which matters only at the end of the list.
    """
    degree = np.asarray(affinity.sum(axis=1)).ravel()
    connected = degree > 0
    inverse_root = np.where(connected, 1.0 / np.sqrt(np.where(connected, degree, 1.0)), 0.0)
    if sparse.issparse(affinity):
        scaled = sparse.diags_array(inverse_root) @ affinity @ sparse.diags_array(inverse_root)
        values, vectors = leading_eigenpairs_sparse((scaled + scaled.T) / 2, n_components)
    else:
        normalised = affinity * inverse_root[:, None] * inverse_root
        normalised = ((normalised + normalised.T) / 2).astype(dtype)
        values, vectors = leading_eigenpairs(normalised, n_components)
    return TransferCut(
        vectors * inverse_root[:, None], np.clip(values.astype(np.float64), 0.0, 1.0)
    )
