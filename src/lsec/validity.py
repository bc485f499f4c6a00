"""Internal validity: how clear clusters are, without reference labels, for any number of rows.

Silhouettes and stability follow from micro-clusters, exactly and at the same cost for any number of
rows. The score of Calinski and Harabasz takes one pass over the rows.

::

    rows in each base cluster and cluster ─► clusters of the mates of a row ─► silhouettes
                                          └► clusters as the members see them ─► stability

References
----------
.. [1] Rousseeuw, P. J. "Silhouettes: a graphical aid to the interpretation and validation of
   cluster analysis", Journal of Computational and Applied Mathematics 20, 1987.
.. [2] Hennig, C. "Cluster-wise assessment of cluster stability", Computational Statistics & Data
   Analysis 52(1), 2007.
.. [3] Calinski, T., Harabasz, J. "A dendrite method for cluster analysis", Communications in
   Statistics 3(1), 1974.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from lsec import checks
from lsec.consensus.consensus import Consensus
from lsec.consensus.micro_clusters import cluster_counts, sum_over_labels, with_missing
from lsec.docstrings import documented
from lsec.execution.threads import Workers, thread_count
from lsec.kernels.columns import sums_by_label
from lsec.sources import open_source
from lsec.spectral.kmeans import sums_matrix
from lsec.typing import Float32, Float64, Int32, RawRows

TINY = 1e-300

__all__ = [
    "calinski_harabasz_score",
    "cluster_stability",
    "silhouette_samples",
    "silhouette_score",
]

validity_docs = documented("""
model : LSEC, USENC, EnsembleClustering or Consensus
    A fitted ensemble. Its members are the clusterings that rows are compared by.
""")


@validity_docs
def silhouette_samples(model: Any) -> Float32:
    """Silhouette of every row, by the clusters of its mates.

    The mates of a row are the other rows of its base cluster, member by member. Let a be the mean
    share of the mates outside the cluster of the row, and b the least share outside any other
    cluster. The silhouette is (b - a) / max(a, b), as Rousseeuw has it for mean distances [1]_. It
    suits clusters of any shape. Silhouettes of different ensembles are not comparable.

    Parameters
    ----------
    {model}
        It needs its rows: a loaded one has `silhouette_score` only.

    Returns
    -------
    silhouettes : ndarray of shape (n_samples,), float32
        In [-1, 1]: near 1 for rows inside a clear cluster, negative for rows with more mates in
        another one. 0 for rows without mates, NaN for noise.

    References
    ----------
    .. [1] Rousseeuw, P. J. "Silhouettes: a graphical aid to the interpretation and validation of
       cluster analysis", Journal of Computational and Applied Mathematics 20, 1987.

    Examples
    --------
    >>> from lsec import consensus
    >>> from lsec.validity import silhouette_samples
    >>> members = [[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]
    >>> result = consensus(members, 2, "eac", full_output=True)
    >>> [f"{value:.2f}" for value in silhouette_samples(result)]
    ['1.00', '1.00', '0.50', '0.80', '0.80']
    """
    consensus = _consensus_of(model)
    of_row = consensus.micro.of_row
    if not len(of_row):
        raise ValueError(
            "This model keeps nothing per row, since it was loaded from a file or fitted with "
            "labels_out. Use silhouette_score, or fit it again."
        )
    return _silhouettes(consensus).astype(np.float32)[of_row]


@validity_docs
def silhouette_score(model: Any) -> float:
    """Mean silhouette of all rows, by the clusters of their mates.

    See `silhouette_samples`. Noise takes no part.

    Parameters
    ----------
    {model}

    Returns
    -------
    score : float
        In [-1, 1]; the higher, the clearer the clusters are to the members. Fewer clusters have
        fewer borders: compare clusterings into as many.

    Examples
    --------
    >>> from lsec import LSEC
    >>> from lsec.datasets import make_smiling_face
    >>> from lsec.validity import silhouette_score
    >>> X, y = make_smiling_face(20_000, random_state=0)
    >>> model = LSEC(4, n_landmarks=300, random_state=0).fit(X)
    >>> 0 < silhouette_score(model) <= 1
    True
    """
    consensus = _consensus_of(model)
    silhouettes, weights = _silhouettes(consensus), consensus.micro.weights
    known = ~consensus.is_noise
    return float(np.average(silhouettes[known], weights=weights[known]))


@validity_docs
def cluster_stability(model: Any) -> Float64:
    """How well the members reproduce every cluster.

    A member reproduces a cluster by the base clusters that have more rows in it than in any other.
    The stability is the Jaccard index of the cluster and these rows, averaged over the members, as
    Hennig averages it over clusterings of resampled rows [1]_.

    Parameters
    ----------
    {model}

    Returns
    -------
    stability : ndarray of shape (n_clusters,)
        In [0, 1]. Members with many more clusters than the result follow any borders well: rows
        without clusters have about 0.9, and clear clusters more than 0.95.

    References
    ----------
    .. [1] Hennig, C. "Cluster-wise assessment of cluster stability", Computational Statistics &
       Data Analysis 52(1), 2007.

    Examples
    --------
    >>> from lsec import consensus
    >>> from lsec.validity import cluster_stability
    >>> members = [[0, 0, 0, 1, 2], [0, 0, 0, 1, 2], [0, 0, 1, 1, 2]]
    >>> result = consensus(members, 2, "eac", full_output=True)
    >>> cluster_stability(result).tolist()
    [1.0, 1.0]
    """
    consensus = _consensus_of(model)
    micro, k = consensus.micro, consensus.n_clusters
    counts = cluster_counts(micro, consensus.labels_of_micro, k)
    favored = np.zeros_like(counts)
    rows = np.arange(len(counts))
    favored[rows, counts.argmax(axis=1)] = 1
    starts = [span.start for span in micro.spans]
    sizes = np.add.reduceat(counts, starts)  # of every cluster, by member, without missing labels
    common = np.add.reduceat(counts * favored, starts)
    found = np.add.reduceat(counts.sum(axis=1, keepdims=True) * favored, starts)
    union = np.where(sizes > 0, sizes + found - common, np.nan)
    return cast(Float64, np.nanmean(common / union, axis=0))


def calinski_harabasz_score(X: Any, labels: Any, *, n_jobs: int | None = None) -> float:
    """Calinski-Harabasz score: variance between the clusters over variance inside them.

    Exact, in one pass over the rows, which may be in files. It prefers round clusters.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features), path, or list of paths
    labels : array-like of shape (n_samples,), or fitted estimator
        Clusters of the rows; an estimator stands for its `labels_`. Rows with a negative label
        (noise) take no part.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.

    Returns
    -------
    score : float
        The higher, the denser and farther apart the clusters are; 1.0 if there is no variance
        inside the clusters, as in scikit-learn.

    References
    ----------
    .. [1] Calinski, T., Harabasz, J. "A dendrite method for cluster analysis", Communications in
       Statistics 3(1), 1974.

    Examples
    --------
    >>> from lsec.validity import calinski_harabasz_score
    >>> calinski_harabasz_score([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    50.0
    """
    source = open_source(X, _as_rows)
    clusters = _labels_of(labels, source.shape[0])
    k = int(clusters.max(initial=-1)) + 1
    anchor = _mean(source.block(0))

    def sums_of(block: int) -> tuple[Float64, Float64, float]:
        own = clusters[source.span(block)]
        return _moments(source.block(block), anchor, own, k)

    with Workers(thread_count(checks.jobs(n_jobs))) as workers:
        parts = workers.map(sums_of, range(source.n_blocks))
    sums, sizes, squares = (sum(part) for part in zip(*parts, strict=True))
    sums, sizes = sums[sizes > 0], sizes[sizes > 0]
    n, k = sizes.sum(), len(sizes)
    if not 2 <= k < n:
        raise ValueError(f"The score needs 2 to n_samples - 1 clusters; got {k} of {int(n)} rows.")
    explained = float((np.square(sums).sum(axis=1) / sizes).sum())
    inside = max(squares - explained, 0.0)
    between = explained - float(np.square(sums.sum(axis=0)).sum() / n)
    return 1.0 if inside == 0 else float(between / inside * (n - k) / (k - 1))


def _silhouettes(consensus: Consensus) -> Float64:
    """Silhouettes float64 (n',) of the rows of every micro-cluster; NaN for noise."""
    micro, labels, k = consensus.micro, consensus.labels_of_micro, consensus.n_clusters
    if k < 2:
        raise ValueError("Silhouettes compare clusters, and there is only one. Ask for more.")
    counts = cluster_counts(micro, labels, k)
    others = counts.sum(axis=1, keepdims=True) - 1  # mates of a row in each base cluster
    one = np.where(others > 0, 1 / np.maximum(others, 1), 0.0)
    shares = sum_over_labels(with_missing(counts * one), micro.base_clusters)
    itself = sum_over_labels(with_missing(one), micro.base_clusters)[:, 0]
    n_members = sum_over_labels(with_missing(np.sign(one)), micro.base_clusters)[:, 0]
    rows, own = np.arange(len(micro)), np.maximum(labels, 0)
    inside = shares[rows, own] - itself
    shares[rows, own] = -1
    mean = np.maximum(n_members, 1)
    a, b = 1 - inside / mean, 1 - shares.max(axis=1) / mean
    silhouettes = np.where(n_members > 0, (b - a) / np.maximum(np.maximum(a, b), TINY), 0.0)
    return np.where(labels >= 0, silhouettes, np.nan)


def _consensus_of(model: Any) -> Consensus:
    """The consensus of a fitted ensemble."""
    found = model if isinstance(model, Consensus) else getattr(model, "consensus_", None)
    if not isinstance(found, Consensus):
        raise TypeError(
            f"model must be a fitted LSEC, USENC or EnsembleClustering, or a Consensus; got "
            f"{type(model).__name__}."
        )
    return found


def _labels_of(labels: Any, n_rows: int) -> Int32:
    """Clusters int32 (n,), numbered from 0; negative ones stay."""
    values = np.asarray(getattr(labels, "labels_", labels))
    if values.shape != (n_rows,) or values.dtype.kind not in "iu":
        raise ValueError(
            f"labels must be integers, one for each of the {n_rows} rows of X, or an estimator "
            f"that was fitted to them; got the type {values.dtype} and the shape {values.shape}."
        )
    if values.min() >= -1 and values.max() < 2**16:
        return values.astype(np.int32, copy=False)
    numbers = np.unique(np.maximum(values, -1), return_inverse=True)[1]
    return (numbers - bool((values < 0).any())).astype(np.int32)


def _as_rows(X: ArrayLike) -> RawRows:
    """Rows in memory as a 2-D array or a CSR matrix of numbers."""
    from sklearn.utils import check_array

    with checks.short_errors():
        return check_array(X, accept_sparse="csr", dtype="numeric", ensure_all_finite=False)


def _mean(rows: RawRows) -> Float64:
    """Mean of dense rows, float64 (d,); zero for sparse ones."""
    if sparse.issparse(rows):
        return np.zeros(rows.shape[1])
    return np.asarray(rows.mean(axis=0, dtype=np.float64))


def _moments(
    rows: RawRows, anchor: Float64, labels: Int32, n_clusters: int
) -> tuple[Float64, Float64, float]:
    """Sums (k, d) and sizes (k,) of the clusters of a block, and its sum of squares.

    Rows are seen from an anchor (d,) near their mean, so that the squares keep their digits.
    """
    if (labels < 0).any():
        rows, labels = rows[labels >= 0], labels[labels >= 0]
    if sparse.issparse(rows):
        sums = sums_matrix(labels, np.ones(len(labels)), n_clusters) @ rows.astype(np.float64)
        sizes = np.bincount(labels, minlength=n_clusters).astype(np.float64)
        return sums.toarray(), sizes, float(np.square(rows.data, dtype=np.float64).sum())
    seen = rows - anchor
    sums, sizes = np.empty((n_clusters, len(anchor))), np.empty(n_clusters)
    sums_by_label(seen, labels, np.ones(len(labels)), sums, sizes)
    return sums, sizes, float(np.einsum("ij,ij->", seen, seen))
