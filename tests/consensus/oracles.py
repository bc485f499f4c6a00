"""Plain counterparts of the consensus functions in float64, straight from their definitions.

Label matrices (n, m) are plain integers with -1 for a missing label, one row per object.
"""

from fractions import Fraction

import numpy as np


def micro_clusters(labels):
    """Distinct rows in order of first occurrence, their counts, and the one of every row."""
    _, first, inverse = np.unique(labels, axis=0, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    of_row = rank[inverse.ravel()]
    return labels[np.sort(first)], np.bincount(of_row), of_row


def indicator(labels):
    """Which base clusters a row lies in, 0/1 (n, C); column by column, by first occurrence."""
    columns = [labels[:, [j]] == names_of(labels[:, j]) for j in range_of(labels)]
    return np.concatenate(columns, axis=1).astype(float)


def names_of(column):
    """Labels of a column in the order of their first occurrence."""
    return np.array(list(dict.fromkeys(column[column >= 0].tolist())))


def range_of(labels):
    """Numbers of the base clusterings."""
    return range(labels.shape[1])


def co_association(labels, values=None):
    """Mean value of the shared base clusters where both rows have a label, (n, n)."""
    z = indicator(labels)
    values = np.ones(z.shape[1]) if values is None else values
    present = (labels >= 0).astype(float)
    both = present @ present.T
    return np.divide((z * values) @ z.T, both, out=np.zeros_like(both), where=both > 0)


def cluster_index(labels, theta):
    """Ensemble-driven index of every base cluster, one after the other."""
    found = []
    for j in range_of(labels):
        for name in names_of(labels[:, j]):
            inside = labels[labels[:, j] == name]
            entropy = 0.0
            for other in inside.T:
                counts = np.unique(other[other >= 0], return_counts=True)[1]
                share = counts / counts.sum()
                entropy -= (share * np.log2(share)).sum()
            found.append(np.exp(-entropy / (theta * labels.shape[1])))
    return np.array(found)


def greedy_mergers(distance, weights, linkage):
    """Merge the first of the nearest pairs again and again; exact for whole distances.

    Clusters are named by their lowest member, equal distances ordered by these names.
    """
    members = {i: [i] for i in range(len(distance))}

    def between(a, b):
        cells = [(i, j) for i in members[a] for j in members[b]]
        if linkage != "average":
            return (min if linkage == "single" else max)(distance[cell] for cell in cells)
        mass = [int(weights[i]) * int(weights[j]) for i, j in cells]
        total = sum(
            w * Fraction(float(distance[cell])) for w, cell in zip(mass, cells, strict=True)
        )
        return total / sum(mass)

    pairs, heights = [], []
    while len(members) > 1:
        nearest = min((between(a, b), a, b) for a in members for b in members if a < b)
        pairs.append(nearest[1:])
        heights.append(float(nearest[0]))
        members[nearest[1]] += members.pop(nearest[2])
    return np.array(pairs).reshape(-1, 2), np.array(heights)


def elite_graph(similarity, rank):
    """Entries that reach the rank-th largest of their row, or of their column."""
    similarity = similarity.copy()
    np.fill_diagonal(similarity, 0)
    least = np.sort(similarity, axis=1)[:, ::-1][:, rank - 1]
    kept = np.where(similarity >= least[:, None], similarity, 0)
    return np.maximum(kept, kept.T)


def trajectory_similarity(graph, sizes, n_steps):
    """Cosines of the trajectories of random walks, by powers of the transition matrix."""
    towards = graph * sizes
    reach = towards.sum(axis=1, keepdims=True)
    isolated = reach[:, 0] == 0
    step = towards / np.where(reach > 0, reach, 1)
    power, product = np.eye(len(graph)), np.zeros(graph.shape)
    for _ in range(n_steps):
        power = power @ step
        product += power @ power.T
    length = np.sqrt(np.where(isolated, 1, np.diagonal(product)))
    similarity = product / length / length[:, None]
    similarity[isolated] = similarity[:, isolated] = 1e-20
    np.fill_diagonal(similarity, 1)  # a micro-cluster without neighbors is still like itself
    return similarity


def tcut_eigenvalues(graph):
    """Eigenvalues of the small side, descending."""
    return np.linalg.eigvalsh(_normalized_small_side(graph)[0])[::-1]


def tcut_embedding(graph, k):
    """Unit-length rows of the transfer cut of cross-affinities (n, C), one row per object."""
    small, degree = _normalized_small_side(graph)
    vectors = np.linalg.eigh(small)[1][:, ::-1][:, :k] / np.sqrt(degree)[:, None]
    rows = graph / graph.sum(axis=1, keepdims=True) @ vectors
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _normalized_small_side(graph):
    small = graph.T @ (graph / graph.sum(axis=1, keepdims=True))
    degree = small.sum(axis=1)
    return small / np.sqrt(degree) / np.sqrt(degree)[:, None], degree


def share_of_labels(column, names):
    """How often each name occurs among the labels that are there."""
    present = column[column >= 0]
    return np.array([(present == name).mean() if present.size else 0.0 for name in names])


def worth(shares, utility, power):
    """The convex function of KCC; the entropy as such."""
    if utility == "category":
        return (shares**2).sum()
    if utility == "entropy":
        return -sum(p * np.log2(p) for p in shares if p > 0)
    return (shares**power).sum() ** (1 / power)


def kcc_distances(labels, clusters, k, utility, power=2, normalized=False):
    """Distance of every row to the profile of every cluster (n, k)."""
    total = np.zeros((len(labels), k))
    for column in labels.T:
        names = np.unique(column[column >= 0])
        importance = 1.0
        if normalized:
            own = worth(share_of_labels(column, names), utility, power)
            importance = 1 / own if own > 0 else 1.0
        for cluster in range(k):
            shares = share_of_labels(column[clusters == cluster], names)
            for x, label in enumerate(column):
                if label >= 0:
                    share = shares[names == label][0]
                    value = _distance(share, shares, utility, power)
                    total[x, cluster] += importance * value
    return total


def _distance(share, shares, utility, power):
    if utility == "category":
        return 1 + (shares**2).sum() - 2 * share
    if utility == "entropy":
        return -np.log2(share + np.finfo(float).eps)
    length = (shares**power).sum() ** (1 / power)
    return 1 - (share / length if length > 0 else 0.0) ** (power - 1)


def sec_points(labels):
    """Rows of the indicator divided by their degree, and the degrees."""
    z = indicator(labels)
    degree = (z @ z.T).sum(axis=1)
    return z / degree[:, None], degree


def sec_loss(labels, clusters):
    """Weighted k-means objective of SEC."""
    points, degree = sec_points(labels)
    loss = 0.0
    for cluster in np.unique(clusters):
        mine = clusters == cluster
        center = np.average(points[mine], axis=0, weights=degree[mine])
        loss += (degree[mine] * ((points[mine] - center) ** 2).sum(axis=1)).sum()
    return loss


def normalized_cut(labels, clusters):
    """Share of the co-association that leaves each cluster, summed over the clusters."""
    z = indicator(labels)
    s = z @ z.T
    return sum(
        1 - s[np.ix_(mine, mine)].sum() / s[mine].sum()
        for mine in (clusters == cluster for cluster in np.unique(clusters))
    )


def vote(labels, clusters, k):
    """Mean over a row's base clusters of their shares in every cluster, row by row (n, k)."""
    total = np.zeros((len(labels), k))
    for x, row in enumerate(labels):
        present = [j for j, label in enumerate(row) if label >= 0]
        for j in present:
            company = clusters[labels[:, j] == row[j]]
            total[x] += np.bincount(company, minlength=k) / len(company) / len(present)
    return total
