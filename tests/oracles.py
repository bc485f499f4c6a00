"""Plain NumPy counterparts of kernels and stages: slow, short, obviously right."""

import numpy as np


def squared_distances(rows, centers):
    """Squared distances (n, k) in float64."""
    return ((rows[:, None].astype(float) - centers[None]) ** 2).sum(-1)


def float32_squared_distances(rows, points):
    """Squared distances (n, k) in float32, added feature by feature."""
    squares = np.square(rows[:, None] - points[None])
    return np.cumsum(squares, axis=2, dtype=np.float32)[:, :, -1]


def route(rows, routes):
    """Landmark of every row, one row at a time."""
    landmark = np.empty(len(rows), int)
    for i, row in enumerate(rows):
        v = 0
        while routes.landmark_of[v] < 0:
            first = routes.first_child[v]
            children = np.arange(first, first + routes.n_children[v])
            v = children[squared_distances(row[None], routes.centers[children])[0].argmin()]
        landmark[i] = routes.landmark_of[v]
    return landmark


def nearest_candidates(rows, landmarks, k):
    """Squared distances (n, k) to the k nearest candidates of every row's landmark."""
    near = np.empty((len(rows), k))
    for i, a in enumerate(route(rows, landmarks.routes)):
        points = landmarks.points[landmarks.routes.candidates[a]]
        near[i] = np.sort(squared_distances(rows[i, None], points)[0])[:k]
    return near


def affinities(neighbors, affinity, p):
    """Dense cross-affinity B (n, p), K entries per row, in grouped order (equation 3)."""
    k = affinity.n_neighbors
    value = (neighbors.squared[:, :k].astype(float) * affinity.rate) ** affinity.power
    dense = np.zeros((len(value), p))
    index = neighbors.landmarks[:, :k].astype(int)
    np.put_along_axis(dense, index, np.maximum(np.exp(-value), 2.0**-52), 1)
    return dense


def gram(affinity):
    """B' D^-1 B (equation 4)."""
    return affinity.T @ (affinity / affinity.sum(1, keepdims=True))


def embedding(affinity, vectors):
    """Unit-length rows of B V (equation 6)."""
    rows = affinity @ vectors.astype(float)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def margins(scores, offsets, lengths, slack):
    """Smallest lead (p, k) of a label over the others; infinite for an only label."""
    least = np.full(scores.shape, np.inf)
    for a in range(scores.shape[1]):
        for b in set(range(scores.shape[1])) - {a}:
            needed = lengths * (slack + max(0.0, float(offsets[a]) - float(offsets[b])))
            lead = scores[:, a].astype(float) - scores[:, b] - needed
            least[:, a] = np.minimum(least[:, a], lead)
    return least
