"""Parameters, attributes and references that several estimators document."""

from lsec.docstrings import documented

estimator_docs = documented(
    """
n_clusters : int or "auto"
    "auto" chooses by the consensus function: the largest eigengap ("bipartite", "lwgp",
    "ptgp"), the longest lifetime ("eac", "lwea", "pta"), or the worth ("linkage").
    Fewer distinct rows have as many clusters, with a warning.
    The choice is a heuristic that is often wrong; `evidence_` has the scores of the others.
n_base : int
    Number of base clusterings (members).
n_neighbors : int
    Nearest landmarks that each row is connected to, at most 100.
n_landmarks : int or "auto"
    Number of landmarks, of each landmark set in an ensemble: the resolution of the graph, at most
    16384. "auto" takes 2000 for rows of at most four features, else 8e8 / n_samples within 1000
    and 16384. Few rows have fewer: one for nine rows of at most four features, five of 16, 1.25
    of 32 and more, or the largest of 3 sqrt(n_samples), 2 n_clusters and
    min(n_samples / 2.5, 40000 / n_samples) if that is more; at most one per distinct row.
base_clusters : (int, int) or "auto"
    Range from which every member draws its number of clusters uniformly, ends included. "auto"
    is (20, 60) for up to ten clusters, (2k, 6k) for k up to 32, then (k + 32, 2k + 128). With
    fewer rows than the square of the upper end, the range shrinks to end at the square root of
    the number of rows.
projection : int, "auto" or None
    Number of leading principal directions that rows with more features are projected to. "auto"
    takes as many as keep three quarters of the variance of a sample, without those as weak as
    noise: at least 64, at most 128 or twice the number of clusters, whichever is more. None
    never projects, and does not support sparse rows.
metric : {"euclidean", "cosine"}
    "cosine" divides rows by their length first; rows of zeros stay. Sparse rows stay sparse.
alpha : int
    Maximum number of parts of one split in the selection of landmarks.
kernel : {"gaussian", "quartic"}
    Affinity exp(-d^2 / (2 sigma^2)) with sigma the mean distance, or with the
    distance squared once more, as the authors' program has it.
consensus : {"linkage", "bipartite", "eac", "lwea", "lwgp", "kcc", "sec", "pta", "ptgp"}
    Consensus function; see `lsec.consensus`.
consensus_options : dict or None
    Options of the consensus function, such as ``{"theta": 0.2}`` for "lwea".
noise : float, ("confidence", float) or None
    Rows without a cluster, whose label is -1: at most this share of the rows, those with the
    lowest confidence, or all rows with less confidence than a number. The surest rows of every
    cluster stay in it.
min_cluster_size : int
    Rows of a cluster, at least. If there are smaller ones, the consensus function is asked for
    more clusters, to find `n_clusters` larger ones, and the small ones are merged with those
    that their rows' base clusters favor. There may be fewer clusters in the end (`n_clusters_`).
random_state : int, RandomState instance or None
    The same seed gives the same labels, whatever the number of threads.
n_jobs : int or None
    Threads; None and -1 use all cores.
device : str
    "cpu"; "cuda", or a GPU by its number such as "cuda:1", for the sweeps over the rows; or "auto",
    a GPU if there is one. Labels are the same. Needs the extra `gpu`.
memory_limit : int, str or None
    Limit on the memory, in bytes or such as "2GiB": of the whole process if rows are read
    from files; if they are in memory, in addition to the rows and their labels. None takes
    a sixteenth of the free memory. A lower limit is slower, never different. It holds for the
    memory of a GPU as well, of which None takes four fifths of what is free.
verbose : int
    1 shows a progress bar per stage.
labels_ : ndarray of shape (n_samples,), int32
n_clusters_ : int
confidence_ : ndarray of shape (n_samples,), float32
    Agreement of the members with each label, in [0, 1].
probabilities_ : ndarray of shape (n_samples,), float32
    `confidence_`, but 0 for rows that are `noise`.
agreement_ : ndarray of shape (n_base, n_base)
    Normalized mutual information of every two members.
diversity_ : float
    1 - mean pairwise agreement of the members.
evidence_ : Evidence or None
    With ``n_clusters="auto"``: the `candidates`, their `scores`, and the eigenvalues or
    merger heights that the scores derive from (`values`).
micro_clusters_ : MicroClusters
    Distinct rows of base labels, with weights and the micro-cluster of each row.
tree_ : MergeTree
    Merge tree of the clusters and of their parts, for `labels_at`.
base_labels_ : ndarray of shape (n_samples, n_base), uint8 or uint16
    Made when it is asked for: a byte or two per row and member.
n_base_clusters_ : ndarray of shape (n_base,)
    Clusters of each member.
n_micro_clusters_ : int
    Distinct rows of `base_labels_`.
timings_ : dict
    Seconds per stage.
n_features_in_ : int
checkpoint : path, optional
    Folder for the results of finished sweeps, on Dask without base labels. An interrupted
    fit goes on from them when it is called again in the same way, to the same labels.
    Needs a `random_state` that is a number. Remove the folder when the fit is done.
client : distributed.Client, optional
    Dask cluster to run on; its workers must have access to the files. Dask collections
    run on the active client by default.
X : array-like or CSR matrix of shape (n_samples, n_features), array on a GPU, Dask array or \
data frame, path, or list of paths
labels_out : path, optional
    Write labels to this .npy, .csv or .parquet file and keep nothing per row in memory. A file
    of that name is replaced when all labels are known; one that holds rows of X is refused.
.. [Huang2020] Huang, D., Wang, C.-D., Wu, J.-S., Lai, J.-H., Kwoh, C.-K. "Ultra-scalable
   spectral clustering and ensemble clustering", IEEE TKDE 32(6), 2020, arXiv:1903.01057.
""",
    rows_to_fit="""\
{X}
    Files are read block by block (see `lsec.open_rows`) and may be larger than memory.
    Rows of Dask collections stay on the workers.
y : ignored""",
    options_of_fit="""\
{labels_out}
    `labels_` is the file mapped into memory (.npy) or not set, and neither are
    `base_labels_` and `confidence_`.
{checkpoint, client}

Returns
-------
self""",
    examples="""\
Examples
--------
>>> from lsec import LSEC
>>> from lsec.datasets import make_smiling_face
>>> X, y = make_smiling_face(2000, random_state=0)
>>> model = LSEC(4, random_state=0).fit(X)""",
)
