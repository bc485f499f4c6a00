"""Rows with many features: routing and K nearest landmarks by matrix products.

Rows of a group are shifted so that the group's center is the origin before the product
|x|^2 - 2 x.c + |c|^2 is formed: the terms that cancel are then of the size of the distances
themselves, wherever the data are. `filter_step` is the product of a sparse matrix with a block of
vectors, for eigenvectors.
"""

import numpy as np

from lsec.kernels import kernel
from lsec.kernels.sorting import insert_sorted, stable_order

BATCH = 1024  # rows of one matrix product


@kernel()
def smallest_of_rows(values, index, smallest):
    """Smallest values of every row, ascending, and their columns; equal ones in their order.

    IN values float64 (n, p), finite; OUT index uint16 (n, c), smallest float64 (n, c), c <= p.
    """
    for i in range(values.shape[0]):
        for s in range(smallest.shape[1]):
            smallest[i, s] = np.inf
        for j in range(values.shape[1]):
            insert_sorted(values[i, j], j, smallest[i], index[i])


@kernel()
def shift_rows(rows, which, low, high, origin, out):
    """rows[which[low:high]] - origin into out float32 (high - low, d)."""
    for i in range(low, high):
        source = rows[which[i]]
        sink = out[i - low]
        for f in range(source.shape[0]):
            sink[f] = source[f] - origin[f]


@kernel(fastmath={"reassoc"})
def half_squares(points):
    """Half the squared length of every row of points (k, d).

    The order of the sum is left to the compiler: in sequence it would take longer
    than the matrix products.
    """
    out = np.empty(points.shape[0], np.float32)
    for c in range(points.shape[0]):
        total = 0.0
        for f in range(points.shape[1]):
            total += np.float64(points[c, f]) * points[c, f]
        out[c] = 0.5 * total
    return out


@kernel()
def nearest_product(products, halves, labels):
    """Argmin over centers of |c|^2 / 2 - x.c; the first wins ties.

    IN products float32 (n, k), halves float32 (k,); OUT labels int32 (n,).
    """
    for i in range(products.shape[0]):
        row = products[i]
        best = 0
        least = halves[0] - row[0]
        for c in range(1, row.shape[0]):
            value = halves[c] - row[c]
            if value < least:
                least = value
                best = c
        labels[i] = best


@kernel()
def route_rows(rows, centers, first_child, n_children, landmark_of, n_landmarks):
    """Send every row down the tree; returns order int32 (n,) and starts (p + 1,).

    IN rows float32 (n, d); the tree as in `neighbors.route_columns`.
    """
    n, d = rows.shape
    n_nodes = centers.shape[0]
    node = np.zeros(n, np.int32)
    label = np.empty(BATCH, np.int32)
    shifted = np.empty((BATCH, d), np.float32)
    descending = landmark_of[0] < 0
    while descending:
        descending = False
        order, starts = stable_order(node, n_nodes)
        for v in range(n_nodes):
            if starts[v] == starts[v + 1] or landmark_of[v] >= 0:
                continue
            first = first_child[v]
            children = centers[first : first + n_children[v]] - centers[v]
            halves = half_squares(children)
            for low in range(starts[v], starts[v + 1], BATCH):
                high = min(low + BATCH, starts[v + 1])
                shift_rows(rows, order, low, high, centers[v], shifted)
                products = np.dot(shifted[: high - low], children.T)
                nearest_product(products, halves, label)
                for i in range(low, high):
                    node[order[i]] = first + label[i - low]
            for c in range(first, first + n_children[v]):
                if landmark_of[c] < 0:
                    descending = True
    for i in range(n):
        node[i] = landmark_of[node[i]]
    return stable_order(node, n_landmarks)


@kernel()
def nearest_candidates_product(rows, order, starts, landmarks, candidates, gaps, index, squared):
    """The K nearest landmarks of every row among its group's candidates.

    IN rows float32 (n, d), order int32 (n,), starts int32 (p + 1,), landmarks
    float32 (p, d), candidates uint16 (p, c), gaps float32 (p, c) their distances;
    OUT index uint16 (n, K), squared float32 (n, K), ascending, in grouped order.
    """
    n_candidates = candidates.shape[1]
    d = rows.shape[1]
    shifted = np.empty((BATCH, d), np.float32)
    points = np.empty((n_candidates, d), np.float32)
    halves = np.empty(n_candidates, np.float32)
    for a in range(starts.shape[0] - 1):
        if starts[a] == starts[a + 1]:
            continue
        shift_rows(landmarks, candidates[a], 0, n_candidates, landmarks[a], points)
        for j in range(n_candidates):
            halves[j] = np.float32(0.5) * gaps[a, j] * gaps[a, j]
        for low in range(starts[a], starts[a + 1], BATCH):
            high = min(low + BATCH, starts[a + 1])
            shift_rows(rows, order, low, high, landmarks[a], shifted)
            products = np.dot(shifted[: high - low], points.T)
            own = half_squares(shifted[: high - low])
            for i in range(low, high):
                for s in range(squared.shape[1]):
                    squared[i, s] = np.inf
                    index[i, s] = candidates[a, s]  # stays where distances overflow
                for j in range(n_candidates):
                    half = own[i - low] - products[i - low, j] + halves[j]
                    value = max(np.float32(2.0) * half, np.float32(0.0))
                    insert_sorted(value, candidates[a, j], squared[i], index[i])


@kernel()
def search_products(
    products,
    own,
    halves,
    first_child,
    n_children,
    landmark_of,
    node_of,
    candidates,
    landmark,
    index,
    squared,
):
    """Route and search rows whose products with all tree centers are known.

    IN products float64 (n, nodes), own float64 (n,) half squared lengths of the
    rows, halves float64 (nodes,), node_of int32 (p,) the leaf of a landmark;
    OUT landmark int32 (n,), index uint16 (n, K), squared float32 (n, K).
    """
    for i in range(products.shape[0]):
        row = products[i]
        v = 0
        while landmark_of[v] < 0:
            first = first_child[v]
            best = first
            for c in range(first + 1, first + n_children[v]):
                if halves[c] - row[c] < halves[best] - row[best]:
                    best = c
            v = best
        a = landmark_of[v]
        landmark[i] = a
        for s in range(squared.shape[1]):
            squared[i, s] = np.inf
            index[i, s] = candidates[a, s]  # stays where distances overflow
        for j in range(candidates.shape[1]):
            c = node_of[candidates[a, j]]
            value = np.float32(max(2.0 * (own[i] - row[c] + halves[c]), 0.0))
            insert_sorted(value, candidates[a, j], squared[i], index[i])


@kernel()
def filter_step(starts, columns, values, block, before, shift, scale, fade, out):
    """OUT = scale (A - shift) block - fade before.

    A has the entries of row i at starts[i] to starts[i + 1].

    IN starts int32 (n + 1,), columns int32 (e,), values float (e,), block and before
    float (n, b), shift, scale and fade float; OUT out float (n, b), no other array.
    """
    n, width = block.shape
    for i in range(n):
        total = out[i]
        own = block[i]
        earlier = before[i]
        for k in range(width):
            total[k] = -scale * shift * own[k] - fade * earlier[k]
        for entry in range(starts[i], starts[i + 1]):
            factor = scale * values[entry]
            other = block[columns[entry]]
            for k in range(width):
                total[k] += factor * other[k]
