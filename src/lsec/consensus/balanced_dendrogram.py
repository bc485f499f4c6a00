"""A dendrogram whose every cut is balanced, and finer than those of fewer clusters.

Average linkage separates outliers first. Here, the split into c clusters is the highest one whose
both sides have a minimum weight, which falls with c; lighter branches that separate above it go
along with the nearer side, and separate later.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np
from scipy.optimize import isotonic_regression

from lsec.consensus.dendrogram import MIN_RELATIVE_WEIGHT, Dendrogram
from lsec.typing import Float32, Float64, Int32


def balanced_dendrogram(tree: Dendrogram, rows: Float64, n_clusters: int) -> Dendrogram:
    """A dendrogram of the same objects, with balanced cuts, each of which divides the one before.

    `rows` (n, d) are sums of unit vectors over each object. The cut of the given tree into
    `n_clusters` remains. Heights ascend strictly; they are those of the splits, with the least
    change that makes them ascend.
    """
    order = [*_splits(tree, 1, n_clusters), *_splits(tree, n_clusters, len(tree.weights))]
    heights = isotonic_regression(tree.heights[order[::-1]].astype(np.float64)).x
    return Dendrogram(_divide(tree, rows, order)[::-1], _strictly(heights), tree.weights)


def _splits(tree: Dendrogram, low: int, high: int) -> Iterator[int]:
    """Mergers whose splits lead from `low` clusters to `high`, in the order of the splits.

    A split waits until the minimum weight has fallen to its lighter side; if there is no other,
    the one with the heaviest lighter side is taken.
    """
    n = len(tree.weights)
    lighter = tree.node_weights[tree.children].min(axis=1)[n - high : n - low]
    waiting, ready = (n - high + np.argsort(lighter, kind="stable")).tolist(), list[int]()
    for c in range(low + 1, high + 1):
        least = MIN_RELATIVE_WEIGHT * tree.weights.sum() / c
        while waiting and (not ready or lighter[waiting[-1] - (n - high)] >= least):
            heappush(ready, -waiting.pop())
        yield -heappop(ready)


def _divide(tree: Dendrogram, rows: Float64, order: list[int]) -> Int32:
    """Pairs (n - 1, 2) of the lowest objects on both sides of each split.

    The branches of a tree that are still whole (`light`) hang on a split that was passed over.
    """
    n = len(tree.weights)
    sums = [*rows]
    members = [np.array([i]) for i in range(n)]
    parent, sibling = np.full((2, 2 * n - 1), -1)
    for merger, (a, b) in enumerate(tree.children.tolist()):
        sums.append(sums[a] + sums[b])
        members.append(np.concatenate([members[a], members[b]]))
        parent[[a, b]], sibling[[a, b]] = n + merger, (b, a)
    means = np.array(sums) / tree.node_weights[:, None]
    branch, divided = np.zeros(n, np.int64), np.zeros(2 * n, bool)  # the last is above the root
    divided[-1] = True
    light: dict[int, list[int]] = {0: []}
    pairs = np.empty((n - 1, 2), np.int32)
    for i, merger in enumerate(order):
        a, b = tree.children[merger].tolist()
        if divided[a]:
            a, b = b, a
        here = int(branch[members[a][0]])
        apart, rest = [a], light.pop(here)
        if divided[b]:  # a lighter branch separates from those that it went along with
            rest.remove(a)
        else:
            node = n + merger
            while not divided[node]:
                divided[node] = True
                if not divided[parent[node]]:
                    rest.append(int(sibling[node]))
                node = parent[node]
            near = means[rest] @ means[a] >= means[rest] @ means[b]
            apart += [node for node, is_near in zip(rest, near, strict=True) if is_near]
            rest = [node for node, is_near in zip(rest, near, strict=True) if not is_near]
        moved = np.concatenate([members[node] for node in apart])
        branch[moved] = -1
        stayed = np.flatnonzero(branch == here)
        of_moved, of_stayed = int(moved.min()), int(stayed[0])  # each branch by its lowest object
        branch[moved], branch[stayed] = of_moved, of_stayed
        light[of_moved], light[of_stayed] = apart[1:], rest
        pairs[i] = sorted((of_moved, of_stayed))
    return pairs


def _strictly(heights: Float64) -> Float32:
    """Heights (n - 1,) that ascend, as float32 that ascend strictly."""
    out = heights.astype(np.float32)
    for i in range(1, len(out)):
        out[i] = max(out[i], np.nextafter(out[i - 1], np.float32(np.inf)))
    return out
