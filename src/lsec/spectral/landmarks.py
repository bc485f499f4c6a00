"""Landmarks, and the tree that routes rows to them (equation 1).

*Divide and conquer* (LSEC, DnC-SC): split the sample into at most alpha parts, give every part
its share of the landmarks, and split again until there are as many parts as landmarks. *Hybrid*
(U-SPEC): k-means on 10p rows, then a two-level tree over the representatives. Both end in the
same `LandmarkTree`.

References
----------
.. [1] Li, H., Ye, X., Imakura, A., Sakurai, T. "Divide-and-conquer based large-scale spectral
   clustering", arXiv:2104.15042, 2021. Step 1 of LSEC's Algorithm 1.
.. [2] Huang, D., Wang, C.-D., Wu, J.-S., Lai, J.-H., Kwoh, C.-K. "Ultra-scalable spectral
   clustering and ensemble clustering", IEEE TKDE 32(6), 2020.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lsec.kernels.products import smallest_of_rows
from lsec.rows.frame import rows_of
from lsec.rows.rows import LandmarkTree, Rows
from lsec.spectral.kmeans import kmeans, light_kmeans
from lsec.typing import Float32, Float64, Int64, UInt16

SAMPLE_ROWS_PER_LANDMARK = 500
MOST_SAMPLE_VALUES = 2**25  # 128 MiB of float32
ROWS_PER_LANDMARK = 10  # rows of a light-k-means sample
CANDIDATES_PER_NEIGHBOR = 10
SPLIT_ITERATIONS = 10
REPRESENTATIVE_ITERATIONS = 20


def draw_sample(n_rows: int, n_features: int, n_landmarks: int, rng: np.random.Generator) -> Int64:
    """Positions of the rows that landmarks are selected from, ascending.

    Light-k-means uses at most 10p rows of a part and a split has few parts, so that about 500
    rows per landmark serve as well as all of them; fewer do if rows are wide.
    """
    most = min(SAMPLE_ROWS_PER_LANDMARK * n_landmarks, MOST_SAMPLE_VALUES // n_features)
    most = max(most, ROWS_PER_LANDMARK * n_landmarks)
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, most, replace=False, shuffle=False))


@dataclass
class _Node:
    """A part of the sample while the tree grows."""

    center: Float32
    members: Int64
    residual: float
    first_child: int = 0
    n_children: int = 0


def divide_and_conquer(
    rows: Rows, n_neighbors: int, rng: np.random.Generator, *, n_landmarks: int, alpha: int
) -> LandmarkTree:
    """Landmarks as the parts of a sample split until there are enough.

    Parameters
    ----------
    rows : Rows of shape (n, d)
        The sample.
    n_landmarks : int
        Fewer are returned when the sample has fewer distinct rows.
    alpha : int
        Most parts of one split.
    n_neighbors : int
        Landmarks that will be searched for each row, among ten times as many.
    """
    everything = np.arange(rows.shape[0])
    nodes = [_Node(np.zeros(rows.shape[1], np.float32), everything, 1.0)]
    leaves = [0]
    while len(leaves) < n_landmarks:
        shares = apportion(np.array([nodes[v].residual for v in leaves]), n_landmarks)
        grown: list[int] = []
        for v, share in zip(leaves, shares, strict=True):
            n_parts = min(int(share), alpha, len(nodes[v].members))
            grown += _split(nodes, v, rows, n_parts, n_landmarks, rng) if n_parts > 1 else [v]
        if len(grown) == len(leaves):
            break
        leaves = grown
    return _finish_tree(nodes, leaves, CANDIDATES_PER_NEIGHBOR * n_neighbors)


def apportion(residuals: Float64, n_landmarks: int) -> Int64:
    """Whole shares of the landmarks in proportion to the residuals, at least one each.

    Equation 1 with whole numbers: the remainder after rounding down goes to the parts with the
    largest fractions; a surplus, caused by the minimum of one, is taken from the largest shares.
    A part without residual (all rows equal) gets exactly one.
    """
    total = residuals.sum()
    if not total > 0:
        return np.ones(len(residuals), np.int64)
    exact = residuals / total * n_landmarks
    shares: Int64 = np.maximum(np.floor(exact), 1).astype(np.int64)
    missing = n_landmarks - int(shares.sum())
    if missing > 0:
        by_remainder = np.argsort(-(exact - shares), kind="stable")
        shares[by_remainder[:missing]] += residuals[by_remainder[:missing]] > 0
    for _ in range(-missing):
        shares[np.argmax(shares)] -= 1
    return shares


def _split(
    nodes: list[_Node],
    v: int,
    rows: Rows,
    n_parts: int,
    n_landmarks: int,
    rng: np.random.Generator,
) -> list[int]:
    """Split node v by light-k-means; returns its children, or v if it cannot be split."""
    node = nodes[v]
    part, origin = rows.part(node.members, node.center)
    result = light_kmeans(
        part, n_parts, ROWS_PER_LANDMARK * n_landmarks, rng, max_iter=SPLIT_ITERATIONS
    )
    # A center of the sampled rows may have no nearest row left among all rows.
    counts = np.bincount(result.labels, minlength=len(result.centers))
    kept = np.flatnonzero(counts)
    if kept.size < 2:
        return [v]
    residuals = np.bincount(result.labels, result.squared, len(result.centers))
    by_label = np.argsort(result.labels.astype(np.uint16), kind="stable")  # a radix sort
    members = np.split(node.members[by_label], np.cumsum(counts)[:-1])
    centers = result.centers + origin
    node.first_child, node.n_children = len(nodes), kept.size
    for c in kept:
        nodes.append(_Node(centers[c], members[c], residuals[c]))
    node.members = node.members[:0]
    return list(range(node.first_child, node.first_child + node.n_children))


def hybrid_representatives(
    rows: Rows, n_neighbors: int, rng: np.random.Generator, *, n_landmarks: int
) -> LandmarkTree:
    """U-SPEC's representatives: k-means on 10p rows, then rep-clusters as a tree.

    A row goes to its nearest rep-cluster, then to the nearest representative in it.
    """
    n = rows.shape[0]
    n_sample = min(n, ROWS_PER_LANDMARK * n_landmarks)
    sample = rows.take(np.sort(rng.choice(n, n_sample, replace=False)))
    representatives = kmeans(
        sample, min(n_landmarks, n_sample), rng, max_iter=SPLIT_ITERATIONS
    ).centers
    n_groups = int(np.sqrt(len(representatives)))
    groups = kmeans(rows_of(representatives), n_groups, rng, max_iter=REPRESENTATIVE_ITERATIONS)
    none = np.empty(0, np.int64)
    nodes = [_Node(np.zeros(rows.shape[1], np.float32), none, 0.0, 1, len(groups.centers))]
    nodes += [_Node(center, none, 0.0) for center in groups.centers]
    leaves: list[int] = []
    for g in range(len(groups.centers)):
        members = np.flatnonzero(groups.labels == g)
        nodes[1 + g].first_child, nodes[1 + g].n_children = len(nodes), len(members)
        leaves += range(len(nodes), len(nodes) + len(members))
        nodes += [_Node(representatives[i], none, 0.0) for i in members]
    return _finish_tree(nodes, leaves, CANDIDATES_PER_NEIGHBOR * n_neighbors + 1)


def _finish_tree(nodes: list[_Node], leaves: list[int], n_candidates: int) -> LandmarkTree:
    centers = np.array([node.center for node in nodes], np.float32)
    landmark_of = np.full(len(nodes), -1, np.int32)
    landmark_of[leaves] = np.arange(len(leaves))
    landmarks = np.ascontiguousarray(centers[leaves])
    candidates, gaps = nearest_landmarks(landmarks, min(n_candidates, len(leaves)))
    return LandmarkTree(
        centers,
        np.array([node.first_child for node in nodes], np.int32),
        np.array([node.n_children for node in nodes], np.int32),
        landmark_of,
        landmarks,
        candidates,
        gaps,
    )


def nearest_landmarks(landmarks: Float32, n_candidates: int) -> tuple[UInt16, Float32]:
    """The landmarks nearest to each landmark, itself first, and their distances.

    Returns candidates uint16 (p, c) and gaps float32 (p, c), ascending.
    """
    points = landmarks.astype(np.float64)
    points -= np.median(points, axis=0)
    squares = np.square(points).sum(axis=1)
    candidates = np.empty((len(points), n_candidates), np.uint16)
    gaps = np.empty((len(points), n_candidates))
    for low in range(0, len(points), 1024):
        rows = slice(low, low + 1024)
        squared = squares[rows, None] - 2 * points[rows] @ points.T + squares
        own = np.arange(len(squared))
        squared[own, low + own] = -1.0  # itself first, even among equal landmarks
        smallest_of_rows(squared, candidates[rows], gaps[rows])
    return candidates, np.sqrt(np.maximum(gaps, 0)).astype(np.float32)
