"""Base labels of rows straight from per-landmark tables.

A row with weights w over its K landmarks has the embedding u = sum of w_r V_r. The center C_k
nearest to u / |u| maximizes (sum of w_r P_rk) - |u| h_k with P = V C' and h_k = |C_k|^2 / 2.

Most rows need less. The margin of landmark r for label k is by how much it prefers k to every
other label, whatever the other landmarks of a row do (`label_margins`). A landmark is safe when its
margin for its own label is positive: a row whose landmarks are all safe for one label has that
label, and nothing is computed for it. Other rows have the label whose weighted margins add up to
more than zero, if there is one.
"""

from typing import NamedTuple

import numpy as np

from lsec.kernels import kernel
from lsec.kernels.gram import ROWS, exp_negative
from lsec.typing import Float32, Int32

LANES = 16


class LabelTables(NamedTuple):
    """Tables over the landmarks of one member that label its rows."""

    own: Int32  # (p,), label with the largest score of each landmark
    safe: Int32  # (p,), the same if the landmark alone cannot give a row another label, else -1
    margins: Float32  # (p, k), lead of each label over every other; see `label_margins`
    scores: Float32  # (p, whole LANES), P = V C', padded with centers that are too far to win
    vectors: Float32  # (p, c), eigenvectors V
    offsets: Float32  # (whole LANES,), h = |C|^2 / 2, padded


@kernel()
def gathered_affinities(squared, rows, count, affinity, weights, scratch, bits):
    """Weights of some rows of a block for one member.

    IN squared float32 (n, K), rows int32 (ROWS,), affinity Affinity; OUT weights float32 (K, ROWS).
    """
    n_slots, rate, power = affinity
    for s in range(n_slots):
        for i in range(count):
            value = squared[rows[i], s] * rate
            scratch[i] = value * value if power == 2 else value
        exp_negative(scratch, weights[s], bits, count)


@kernel()
def chunk_scratch(n_slots):
    """Rows int32 (ROWS,), weights float32 (K, ROWS), and scratch of `gathered_affinities`."""
    rows = np.empty(ROWS, np.int32)
    weights = np.empty((n_slots, ROWS), np.float32)
    return rows, weights, np.empty(ROWS, np.float32), np.empty(ROWS, np.int32)


@kernel(inline="always")
def consecutive_affinities(squared, start, affinity, scratch):
    """Weights of the rows from `start` on, at most ROWS; returns their number.

    IN squared float32 (n, K), affinity Affinity; OUT scratch as of `chunk_scratch`.
    """
    rows, weights, floats, bits = scratch
    count = min(ROWS, squared.shape[0] - start)
    for i in range(count):
        rows[i] = start + i
    gathered_affinities(squared, rows, count, affinity, weights, floats, bits)
    return count


@kernel(inline="always")
def embedding_length(index, row, n_slots, i, weights, vectors, embedded, squares):
    """|u| of one row.

    Squares are added up lane by lane, in an order that no machine changes.

    IN vectors float32 (p, c); SCRATCH embedded float32 (whole LANES, at least c), squares
    float32 (LANES,).
    """
    embedded[:] = 0
    for s in range(n_slots):
        weight = weights[s, i]
        vector = vectors[index[row, s]]
        for c in range(vector.shape[0]):
            embedded[c] += weight * vector[c]
    squares[:] = 0
    for low in range(0, embedded.shape[0], LANES):
        for lane in range(LANES):
            squares[lane] += embedded[low + lane] * embedded[low + lane]
    total = np.float32(0.0)
    for lane in range(LANES):
        total += squares[lane]
    return np.sqrt(total)


@kernel(inline="always")
def first_largest(bits):
    """Position of the largest float32, given as its bits; the first wins ties.

    Value and position become one integer that orders as they do: integer maxima
    vectorize, comparisons of floats with a position in tow do not.
    """
    highest = np.int64(-(2**63))
    last = np.int64(2**31 - 1)
    for c in range(bits.shape[0]):
        ordered = bits[c] ^ ((bits[c] >> np.int32(31)) & np.int32(0x7FFFFFFF))
        key = (np.int64(ordered) << np.int64(32)) + (last - c)
        highest = key if key > highest else highest
    return last - (highest & np.int64(0xFFFFFFFF))


@kernel(inline="always")
def best_center(index, row, n_slots, i, weights, scores, offsets, length, score):
    """The center with the largest (sum of w P) - |u| h; the first wins ties."""
    if length == 0:  # at the origin, the shortest center is nearest
        length = np.float32(1.0)
    n_centers = offsets.shape[0]
    for c in range(n_centers):
        score[c] = -length * offsets[c]
    for s in range(n_slots):
        weight = weights[s, i]
        table = scores[index[row, s]]
        for c in range(n_centers):
            score[c] += weight * table[c]
    return first_largest(score.view(np.int32))


@kernel()
def label_margins(scores, offsets, lengths, slack, margins):
    """Smallest lead of every label over the others, less what |u| may take from it.

    The lead of k over l is P_rk - P_rl - max(0, |V_r| (h_k - h_l)). Since |u| is at most
    the weighted sum of the |V_r|, weighted leads that add up to more than zero for all l
    let k win; the sum of the smallest is no larger than any of these. `slack`, relative
    to |V_r|, keeps float rounding from deciding.

    IN scores float32 (k, p), offsets float32 (k,), lengths float32 (p,), slack float32;
    OUT margins float32 (k, p), infinite for an only label.
    """
    nothing = np.float32(0.0)
    for a in range(scores.shape[0]):
        margin = margins[a]
        score = scores[a]
        margin[:] = np.inf
        for b in range(scores.shape[0]):
            if a == b:
                continue
            other = scores[b]
            needed = slack + max(nothing, offsets[a] - offsets[b])
            for i in range(margin.shape[0]):
                lead = score[i] - other[i] - needed * lengths[i]
                margin[i] = lead if lead < margin[i] else margin[i]


@kernel(inline="always")
def clear_label(index, row, n_slots, i, weights, own, margins):
    """The own label of one of the two nearest landmarks, if it wins by the margins, or -1."""
    for near in range(min(n_slots, 2)):
        label = own[index[row, near]]
        total = np.float32(0.0)
        for s in range(n_slots):
            total += weights[s, i] * margins[index[row, s], label]
        if total > 0:
            return label
    return np.int32(-1)


@kernel()
def label_rows(neighbors, affinity, tables, out):
    """Labels of one member for a block of rows, put back into the order of the block.

    IN neighbors Neighbors, affinity Affinity, tables LabelTables; OUT out unsigned (n,).
    """
    order, index, squared = neighbors
    own, safe, margins, scores, vectors, offsets = tables
    n_slots, _, _ = affinity
    embedded = np.empty(-(-vectors.shape[1] // LANES) * LANES, np.float32)
    squares = np.empty(LANES, np.float32)
    pending, weights, scratch, bits = chunk_scratch(n_slots)
    score = np.empty(scores.shape[1], np.float32)
    count = 0
    n = index.shape[0]
    for row in range(n):
        label = safe[index[row, 0]]
        for s in range(1, n_slots):
            if safe[index[row, s]] != label:
                label = -1
        if label >= 0:
            out[order[row]] = label
        else:
            pending[count] = row
            count += 1
        if count == ROWS or (row == n - 1 and count > 0):
            gathered_affinities(squared, pending, count, affinity, weights, scratch, bits)
            for i in range(count):
                label = clear_label(index, pending[i], n_slots, i, weights, own, margins)
                if label < 0:
                    length = embedding_length(
                        index, pending[i], n_slots, i, weights, vectors, embedded, squares
                    )
                    label = best_center(
                        index, pending[i], n_slots, i, weights, scores, offsets, length, score
                    )
                out[order[pending[i]]] = label
            count = 0


@kernel()
def embed_rows(neighbors, affinity, vectors, out):
    """Unit-length embeddings of a block of rows for one member, grouped by landmark.

    IN neighbors Neighbors, affinity Affinity, vectors float32 (p, c); OUT out float32 (n, c).
    """
    _, index, squared = neighbors
    n_slots, _, _ = affinity
    scratch = chunk_scratch(n_slots)
    weights = scratch[1]
    for start in range(0, index.shape[0], ROWS):
        count = consecutive_affinities(squared, start, affinity, scratch)
        for i in range(count):
            total = out[start + i]
            total[:] = 0
            for s in range(n_slots):
                weight = weights[s, i]
                vector = vectors[index[start + i, s]]
                for c in range(total.shape[0]):
                    total[c] += weight * vector[c]
            length = 0.0
            for c in range(total.shape[0]):
                length += np.float64(total[c]) * total[c]
            if length > 0.0:
                factor = np.float32(1.0 / np.sqrt(length))
                for c in range(total.shape[0]):
                    total[c] *= factor


@kernel(inline="always")
def squared_length(index, row, n_slots, i, weights, inner):
    """|u|^2 of one row from the products of every two landmarks' vectors, inner (p, p)."""
    total = np.float32(0.0)
    for s in range(n_slots):
        products = inner[index[row, s]]
        part = np.float32(0.5) * weights[s, i] * products[index[row, s]]
        for r in range(s):
            part += weights[r, i] * products[index[row, r]]
        total += weights[s, i] * part
    return max(total + total, np.float32(0.0))


@kernel()
def sum_by_label(neighbors, affinity, inner, vectors, labels, sums, counts):
    """Add up the unit-length embeddings of a block of rows, label by label.

    No embedding is formed, which takes less than half the time: |u| comes from a table of products,
    and the shares w / |u| that rows of a label have of every landmark are added up and then
    multiplied with the landmarks' vectors once.

    IN neighbors Neighbors, affinity Affinity, inner float32 (p, p), vectors float32 (p, c),
    labels unsigned (n,); INOUT sums float64 (k, c), counts float64 (k,).
    """
    order, index, squared = neighbors
    n_slots, _, _ = affinity
    scratch = chunk_scratch(n_slots)
    weights = scratch[1]
    shares = np.zeros((sums.shape[0], vectors.shape[0]))
    for start in range(0, index.shape[0], ROWS):
        count = consecutive_affinities(squared, start, affinity, scratch)
        for i in range(count):
            row = start + i
            label = labels[order[row]]
            counts[label] += 1
            squared_norm = squared_length(index, row, n_slots, i, weights, inner)
            if squared_norm > 0:
                factor = 1.0 / np.sqrt(np.float64(squared_norm))
                for s in range(n_slots):
                    shares[label, index[row, s]] += factor * weights[s, i]
    for label in range(sums.shape[0]):
        total = sums[label]
        for r in range(vectors.shape[0]):
            share = shares[label, r]
            if share > 0:
                vector = vectors[r]
                for c in range(total.shape[0]):
                    total[c] += share * vector[c]
