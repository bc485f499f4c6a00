"""Rows with few features, stored as columns: nearest centers, and K nearest landmarks.

Inner loops run over rows in short chunks, one center at a time (two if rows are points of the
plane), so that the compiler turns them into vector instructions. Every distance is computed from
differences, in the order of the features: the result for a row does not depend on its neighbors
in the chunk.

To find landmarks, the rows of a block are first grouped by their own landmark (a counting sort),
because all rows of a group share one candidate list. A candidate enters a sorted list of K by a
chain of minima and maxima over one 64-bit key: the bits of the (non-negative) float32 squared
distance above, the position in the candidate list below. Keys order exactly as (distance,
position) pairs do.
"""

import numpy as np

from lsec.kernels import kernel
from lsec.kernels.sorting import run_starts

CHUNK = 512
# Rounding of float32 distances may not make the early exit drop a neighbor.
SLACK = 1e-5
FARTHEST = np.iinfo(np.int64).max


@kernel(inline="never")
def squared_distances(columns, start, stop, center, out):
    """Squared distances of columns[:, start:stop] (d, n) to one center (d,).

    IN columns float32 (d, n), center float32 (d,); OUT out float32 (CHUNK,).
    """
    count = stop - start
    if columns.shape[0] == 2:
        first = columns[0, start:stop]
        second = columns[1, start:stop]
        a, b = center[0], center[1]
        for i in range(count):
            u = first[i] - a
            v = second[i] - b
            out[i] = u * u + v * v
        return
    a = center[0]
    feature = columns[0, start:stop]
    for i in range(count):
        u = feature[i] - a
        out[i] = u * u
    for f in range(1, columns.shape[0]):
        a = center[f]
        feature = columns[f, start:stop]
        for i in range(count):
            u = feature[i] - a
            out[i] += u * u


@kernel(inline="always")
def nearest_of_points(x, y, centers, label, least):
    """As `nearest_center` for a chunk of rows with two features, two centers at a time.

    IN x, y float32 (n,), centers float32 (k, 2); INOUT label int32 (n,), least float32 (n,).
    """
    n_centers = centers.shape[0]
    for c in range(0, n_centers, 2):
        second = min(c + 1, n_centers - 1)  # an odd one out meets itself, and changes nothing
        a0, a1 = centers[c, 0], centers[c, 1]
        b0, b1 = centers[second, 0], centers[second, 1]
        code_a, code_b = np.int32(c), np.int32(second)
        for i in range(x.shape[0]):
            u = x[i] - a0
            v = y[i] - a1
            to_a = u * u + v * v
            u = x[i] - b0
            v = y[i] - b1
            to_b = u * u + v * v
            distance = to_b if to_b < to_a else to_a
            code = code_b if to_b < to_a else code_a
            nearer = distance < least[i]
            least[i] = distance if nearer else least[i]
            label[i] = code if nearer else label[i]


@kernel()
def nearest_center(columns, start, stop, centers, labels, best):
    """Index of and squared distance to the nearest center; the first wins ties.

    IN columns float32 (d, n), centers float32 (k, d);
    OUT labels int32 (n,), best float32 (n,), positions start..stop only.
    """
    distance = np.empty(CHUNK, np.float32)
    for low in range(start, stop, CHUNK):
        high = min(low + CHUNK, stop)
        label, least = labels[low:high], best[low:high]
        label[:] = 0
        least[:] = np.inf
        if columns.shape[0] == 2:
            nearest_of_points(columns[0, low:high], columns[1, low:high], centers, label, least)
            continue
        for c in range(centers.shape[0]):
            squared_distances(columns, low, high, centers[c], distance)
            code = np.int32(c)
            for i in range(high - low):
                d = distance[i]
                nearer = d < least[i]
                least[i] = d if nearer else least[i]
                label[i] = code if nearer else label[i]


@kernel()
def sums_by_label(rows, labels, weights, sums, counts):
    """Weighted sums of rows and weights per label, in row order.

    IN rows float32 (n, d), labels int32 (n,), weights float64 (n,);
    OUT sums float64 (k, d), counts float64 (k,), both zeroed here.
    """
    counts[:] = 0.0
    sums[:] = 0.0
    for i in range(rows.shape[0]):
        label = labels[i]
        weight = weights[i]
        counts[label] += weight
        total = sums[label]
        row = rows[i]
        for f in range(rows.shape[1]):
            total[f] += weight * row[f]


@kernel()
def group_by_key(columns, order, keys, n_keys, out_columns, out_order):
    """Stable counting sort of the rows by key; returns the starts of the groups (n_keys + 1,).

    IN columns float32 (d, n), order int32 (n,), keys int32 (n,) in 0..n_keys-1;
    OUT out_columns float32 (d, n), out_order int32 (n,).
    """
    n = keys.shape[0]
    starts = run_starts(keys, n_keys)
    fill = starts[:n_keys].copy()
    target = np.empty(n, np.int32)
    for i in range(n):
        key = keys[i]
        target[i] = fill[key]
        out_order[fill[key]] = order[i]
        fill[key] += 1
    for f in range(columns.shape[0]):
        source = columns[f]
        sink = out_columns[f]
        for i in range(n):
            sink[target[i]] = source[i]
    return starts


@kernel()
def route_columns(columns, centers, first_child, n_children, landmark_of, n_landmarks):
    """Send every row from the root to its landmark and group rows by landmark.

    IN columns float32 (d, n); the tree: centers float32 (nodes, d), first_child, n_children and
    landmark_of int32 (nodes,), -1 for inner nodes. Returns grouped columns float32 (d, n), the
    row of every grouped position int32 (n,) and the starts of the groups int32 (n_landmarks + 1,).
    """
    d, n = columns.shape
    n_nodes = centers.shape[0]
    node, order, here = np.empty(n, np.int32), np.empty(n, np.int32), columns
    for i in range(n):
        node[i], order[i] = 0, i
    spare, spare_order = np.empty((d, n), np.float32), np.empty(n, np.int32)
    label, best = np.empty(n, np.int32), np.empty(n, np.float32)
    starts = np.empty(n_nodes + 1, np.int32)
    starts[:] = n
    starts[0] = 0
    descending = landmark_of[0] < 0
    while descending:
        descending = False
        for v in range(n_nodes):
            low, high = np.int64(starts[v]), np.int64(starts[v + 1])
            if low == high or landmark_of[v] >= 0:
                continue
            first = first_child[v]
            nearest_center(here, low, high, centers[first : first + n_children[v]], label, best)
            for i in range(low, high):
                node[i] = first + label[i]
            for c in range(first, first + n_children[v]):
                if landmark_of[c] < 0:
                    descending = True
        if descending:
            starts = group_by_key(here, order, node, n_nodes, spare, spare_order)
            here, spare = spare, np.empty((d, n), np.float32)
            order, spare_order = spare_order, order
            for v in range(n_nodes):
                node[starts[v] : starts[v + 1]] = v
    for i in range(n):
        node[i] = landmark_of[node[i]]
    starts = group_by_key(here, order, node, n_landmarks, spare, spare_order)
    return spare, spare_order, starts


@kernel(inline="always")
def insert_keys(distance, count, position, keys, carry):
    """Push one candidate through the sorted lists of all rows of a chunk.

    IN distance int32 bits (CHUNK,); INOUT keys int64 (K, CHUNK), ascending in K; SCRATCH carry.
    """
    code = np.int64(position)
    for i in range(count):
        carry[i] = (np.int64(distance[i]) << 32) | code
    for s in range(keys.shape[0]):
        slot = keys[s]
        for i in range(count):
            a = slot[i]
            b = carry[i]
            slot[i] = a if a < b else b
            carry[i] = b if a < b else a


@kernel()
def nearest_candidates(columns, starts, landmarks, candidates, gaps, index, squared):
    """The K nearest landmarks of every grouped row, among its group's candidates.

    Candidates are sorted by their distance from the group's landmark (gaps), so the scan stops
    once no later candidate can enter any list of the chunk.

    IN columns float32 (d, n) grouped, starts int32 (p + 1,), landmarks float32 (p, d),
    candidates uint16 (p, c), gaps float32 (p, c); OUT index uint16 (n, K), squared float32
    (n, K), ascending.
    """
    k = index.shape[1]
    distance = np.empty(CHUNK, np.float32)
    bits = distance.view(np.int32)
    keys, carry = np.empty((k, CHUNK), np.int64), np.empty(CHUNK, np.int64)
    for a in range(starts.shape[0] - 1):
        for low in range(starts[a], starts[a + 1], CHUNK):
            high = min(low + CHUNK, starts[a + 1])
            count = high - low
            keys[:, :count] = FARTHEST
            radius = 0.0
            for j in range(candidates.shape[1]):
                if j >= k and j % 2 == 0:
                    worst = np.int64(0)
                    last = keys[k - 1]
                    for i in range(count):
                        worst = max(worst, last[i])
                    bits[0] = np.int32(worst >> 32)
                    reach = np.sqrt(np.float64(distance[0])) * (1.0 + SLACK) + radius
                    if gaps[a, j] * (1.0 - SLACK) > reach:
                        break
                squared_distances(columns, low, high, landmarks[candidates[a, j]], distance)
                if j == 0:
                    for i in range(count):
                        radius = max(radius, np.float64(distance[i]))
                    radius = np.sqrt(radius) * (1.0 + SLACK) + gaps[a, 0]
                insert_keys(bits, count, j, keys, carry)
            for i in range(count):
                for s in range(k):
                    key = keys[s, i]
                    index[low + i, s] = candidates[a, key & 0xFFFFFFFF]
                    bits[0] = np.int32(key >> 32)
                    squared[low + i, s] = distance[0]


@kernel()
def candidate_places(index, starts, candidates, places):
    """Where landmarks stand among the candidates of their group.

    IN index uint16 (n, K), grouped, of candidates only, starts int32 (p + 1,), candidates uint16
    (p, c), c at most 256, different in every row; OUT places uint8 (n, K).
    """
    place_of = np.empty(candidates.shape[0], np.uint8)
    for a in range(starts.shape[0] - 1):
        if starts[a] == starts[a + 1]:
            continue
        for j in range(candidates.shape[1]):
            place_of[candidates[a, j]] = j
        for i in range(starts[a], starts[a + 1]):
            for s in range(index.shape[1]):
                places[i, s] = place_of[index[i, s]]


@kernel()
def landmarks_at_places(columns, order, starts, landmarks, candidates, places, index, squared):
    """Landmarks at known places among the candidates, and their distances to the grouped rows.

    The distances are those of `nearest_candidates` to the last bit.

    IN columns float32 (d, n), not grouped, order int32 (n,), starts, landmarks and candidates as
    in `nearest_candidates`, places uint8 (n, K); OUT index uint16 (n, K), squared float32 (n, K).
    """
    for a in range(starts.shape[0] - 1):
        for i in range(starts[a], starts[a + 1]):
            row = order[i]
            for s in range(places.shape[1]):
                landmark = candidates[a, places[i, s]]
                u = columns[0, row] - landmarks[landmark, 0]
                total = u * u
                for f in range(1, columns.shape[0]):
                    u = columns[f, row] - landmarks[landmark, f]
                    total += u * u
                index[i, s] = landmark
                squared[i, s] = total
