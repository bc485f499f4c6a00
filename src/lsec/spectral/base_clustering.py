"""One base clustering: tables over its landmarks that label any row (equations 5 to 7).

A member is learned from its Gram matrix and a sample of the rows: eigenvectors by the transfer
cut, then light-k-means on the embedded sample. Most rows get their label from shortcuts, without
an embedding; shortcuts never change a label.

References
----------
.. [1] Li, H., Ye, X., Imakura, A., Sakurai, T. "LSEC: Large-scale spectral ensemble
   clustering", Intelligent Data Analysis 27(1), 2023, Algorithm 1, step 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lsec.kernels.labels import (
    LANES,
    LabelTables,
    embed_rows,
    label_margins,
    label_rows,
    sum_by_label,
)
from lsec.rows.frame import rows_of
from lsec.rows.rows import Landmarks, Neighbors, Spread
from lsec.spectral.filtered_subspace import MakeProducts, Products
from lsec.spectral.gram import Affinity, SparseGram
from lsec.spectral.kmeans import MakePoints, MappedRows, kmeans
from lsec.spectral.transfer_cut import GraphOfCells, unit_rows
from lsec.typing import AnyArray, Bool, Float32, Float64, Int32, Int64

LEAST_SHARE = 0.1  # of the mean weight of a base cluster: components that take part
NEVER = 1e30
# Rounding must not decide: relative to the length of a landmark's vector.
SLACK = np.float32(1e-4)
TYPICAL_CLUSTERS = 64  # base clusters of a member, and eigenvectors, in memory plans


@dataclass(frozen=True)
class MemberPlan:
    """Decisions about a member that precede all data.

    `init`, `max_iter` and `n_init` are settings of the k-means on the embedded sample. "random"
    starts from rows of all components (`first_rows`), and labels rows by direction.
    """

    n_neighbors: int
    n_clusters: int
    init: str = "random"  # or "k-means++"
    max_iter: int = 10
    n_init: int = 1
    # Of the eigenvectors: float32 serves an ensemble, but a single clustering needs float64,
    # since it depends on its last eigenvector.
    precision: type = np.float32

    @staticmethod
    def n_bytes(p: int, refined: bool) -> int:
        """Memory of a member on p landmarks: three tables, and `inner` if it is refined."""
        return 4 * p * (3 * TYPICAL_CLUSTERS + (p if refined else 0))


@dataclass(frozen=True)
class Member:
    """A base clustering as tables over its landmarks.

    The embedding of a row is its weights times the vectors, up to its length.
    """

    affinity: Affinity
    vectors: Float32  # (p, c), eigenvectors
    eigenvalues: Float64  # (c,)
    centers: Float32  # (k, c), of the unit-length embeddings
    tables: LabelTables  # of `label_rows`, which follow from the above

    @classmethod
    def of(
        cls, affinity: Affinity, vectors: Float32, eigenvalues: Float64, centers: Float32
    ) -> Member:
        """A member with the tables that follow from its vectors and centers."""
        scores, offsets = vectors @ centers.T, 0.5 * np.square(centers).sum(axis=1)
        return cls.from_scores(affinity, vectors, eigenvalues, centers, scores, offsets)

    @classmethod
    def from_scores(
        cls,
        affinity: Affinity,
        vectors: Float32,
        eigenvalues: Float64,
        centers: Float32,
        scores: Float32,
        offsets: Float32,
    ) -> Member:
        """As `of`, from products that another machine might round differently."""
        tables = label_tables(scores, offsets, vectors)
        return cls(affinity, vectors, eigenvalues, centers, tables)

    def __reduce__(self) -> tuple[Any, ...]:
        values = self.affinity, self.vectors, self.eigenvalues, self.centers
        return Member.from_scores, (*values, self.scores, self.offsets)

    @property
    def n_clusters(self) -> int:
        """Number of base clusters."""
        return len(self.centers)

    @property
    def scores(self) -> Float32:
        """Products of vectors and centers (p, k)."""
        return self.tables.scores[:, : self.n_clusters]

    @property
    def offsets(self) -> Float32:
        """Half the squared lengths of the centers (k,)."""
        return self.tables.offsets[: self.n_clusters]

    @cached_property
    def inner(self) -> Float32:
        """Products of every two rows of `vectors` (p, p); made for `sums` only."""
        return self.vectors @ self.vectors.T

    def with_centers(self, centers: Float32) -> Member:
        """The member with other centers and the tables that follow from them."""
        moved = Member.of(self.affinity, self.vectors, self.eigenvalues, centers)
        if "inner" in vars(self):  # which does not depend on centers
            vars(moved).update(inner=self.inner)
        return moved

    def settled(self) -> Member:
        """The member without `inner`, for centers that no longer move."""
        return replace(self)

    def label(self, neighbors: Neighbors, out: AnyArray) -> None:
        """Write the labels of a block of rows to out, unsigned (n,)."""
        label_rows(tuple(neighbors), tuple(self.affinity), tuple(self.tables), out)

    def sums(self, neighbors: Neighbors) -> tuple[Float64, Float64]:
        """Sums of the embeddings of a block by label (k, c), and row counts (k,)."""
        labels = np.empty(len(neighbors.landmarks), np.uint16)
        self.label(neighbors, labels)
        sums, counts = np.zeros(self.centers.shape), np.zeros(self.n_clusters)
        groups = tuple(neighbors), tuple(self.affinity)
        sum_by_label(*groups, self.inner, self.vectors, labels, sums, counts)
        return sums, counts


def embed(neighbors: Neighbors, affinity: Affinity, vectors: Float32) -> Float32:
    """Unit-length embeddings of a block (n, c), in the order of its rows (equation 6)."""
    grouped = np.empty((len(neighbors.landmarks), vectors.shape[1]), np.float32)
    embed_rows(tuple(neighbors), tuple(affinity), vectors, grouped)
    embedded = np.empty_like(grouped)
    embedded[neighbors.order] = grouped
    return embedded


@dataclass(frozen=True)
class GraphCut:
    """The cut of a member's graph."""

    vectors: Float32  # (p, c), of all landmarks; the longest has length one
    eigenvalues: Float64  # (c,)
    component: Int32  # (p,), component of the graph that each landmark belongs to
    block: Float32 | None  # (p, b), starts the search for the vectors of a similar graph


def learn_member(
    plan: MemberPlan,
    affinity: Affinity,
    graph: GraphCut,
    sample: Neighbors,
    rng: np.random.Generator,
    points_of: MakePoints = MappedRows,
) -> Member:
    """The member of a graph that was cut, with centers of the embedded sample."""
    embedded = embed(sample, affinity, graph.vectors)
    init: str | Int64 = plan.init
    by_direction = init == "random"
    if by_direction:
        of_row = np.empty(len(embedded), np.int32)
        of_row[sample.order] = graph.component[sample.landmarks[:, 0]]
        init = first_rows(of_row, min(plan.n_clusters, len(embedded)), rng)
    centers = kmeans(
        points_of(embedded),
        min(plan.n_clusters, len(embedded)),
        rng,
        init=init,
        max_iter=plan.max_iter,
        n_init=plan.n_init,
    ).centers
    # A row in a direction of its own is nearest to the shortest center, whatever its cluster.
    centers = unit_rows(centers) if by_direction else centers
    return Member.of(affinity, graph.vectors, graph.eigenvalues, centers)


@dataclass(frozen=True)
class Graph:
    """The graph of a member, ready to be cut.

    A graph of few neighbors may fall into pieces. Each of them has an eigenvector of its own, so
    that tiny ones would crowd out the others: they take no part in the cut, and their landmarks
    have the vectors of the nearest landmarks that do.
    """

    landmarks: Landmarks
    cells: GraphOfCells
    n_vectors: int
    component: Int32  # (p,), component of the graph that each landmark belongs to
    tiny: Bool  # (p,), whether that is a tiny one

    @classmethod
    def of(cls, plan: MemberPlan, gram: SparseGram, landmarks: Landmarks) -> Graph:
        """The graph of a Gram matrix."""
        component, share = gram.components()
        tiny = (share < LEAST_SHARE / plan.n_clusters)[component]
        tiny &= not tiny.all()  # with one neighbor, every landmark is a component
        if tiny.any():
            gram = gram.without(tiny)
        cells = GraphOfCells.of(gram, plan.precision)
        return cls(landmarks, cells, min(plan.n_clusters, len(tiny)), component, tiny)

    def cut(self, start: Float32 | None, products_of: MakeProducts = Products.of) -> GraphCut:
        """Eigenvectors; their search starts from the block (p, any) of a similar graph."""
        tiny, component = self.tiny, self.component
        cut = self.cells.cut(self.n_vectors, start, products_of)
        longest = np.linalg.norm(cut.vectors, axis=1).max()
        vectors: Float32 = (cut.vectors / max(longest, 1e-300)).astype(np.float32, order="C")
        if tiny.any():
            points = self.landmarks.points
            nearest, _ = rows_of(points[tiny]).nearest(points[~tiny])
            component = component.copy()
            vectors[tiny], component[tiny] = vectors[~tiny][nearest], component[~tiny][nearest]
        return GraphCut(vectors, cut.eigenvalues, component, cut.block)


def cut_graphs(
    graphs: Sequence[Graph], products_of: MakeProducts = Products.of, spread: Spread = map
) -> list[GraphCut]:
    """Cuts of the graphs of a landmark set, which differ in K only.

    The one of the most vectors comes first: the searches for the others start from its block.
    """
    widest = max(range(len(graphs)), key=lambda j: graphs[j].n_vectors)
    first = graphs[widest].cut(None, products_of)

    def cut(j: int) -> GraphCut:
        return first if j == widest else graphs[j].cut(first.block, products_of)

    return [replace(found, block=None) for found in spread(cut, range(len(graphs)))]


def first_rows(component: Int32, k: int, rng: np.random.Generator) -> Int64:
    """Random rows to start k-means from, at least one of each of the k largest components.

    `component` int32 (n,) is the component of the graph that each row belongs to; k is at most n.
    """
    chosen = rng.choice(len(component), k, replace=False)
    sizes = np.bincount(component)
    largest = np.argsort(-sizes, kind="stable")[: min(k, np.count_nonzero(sizes))]
    spare = np.bincount(component[chosen], minlength=len(sizes))
    spare[largest] -= 1
    for missed in largest[spare[largest] < 0]:
        fullest = int(spare.argmax())
        given_up = np.flatnonzero(component[chosen] == fullest)[0]
        chosen[given_up] = rng.choice(np.flatnonzero(component == missed))
        spare[fullest] -= 1
    return chosen


def label_tables(scores: Float32, offsets: Float32, vectors: Float32) -> LabelTables:
    """Tables of `label_rows` from scores (p, k), offsets (k,) and vectors (p, c).

    Padding adds centers that are too far to win.
    """
    p, k = scores.shape
    width = -(-k // LANES) * LANES
    wide = np.zeros((p, width), np.float32)
    wide[:, :k] = scores
    far = np.full(width, NEVER, np.float32)
    far[:k] = offsets
    by_label = np.ascontiguousarray(scores.T)
    margins = np.empty_like(by_label)
    label_margins(by_label, offsets, np.linalg.norm(vectors, axis=1), SLACK, margins)
    margins = np.ascontiguousarray(margins.T)
    own = scores.argmax(axis=1).astype(np.int32)
    firm = margins[np.arange(p), own] > 0
    return LabelTables(own, np.where(firm, own, np.int32(-1)), margins, wide, vectors, far)
