"""Shapes like those of the battery `fcps` (Ultsch: Fundamental Clustering Problems Suite)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.harness.shapes.draw import Parts, arc, ball, box, gaussian, ring, rotated, shape


@shape
def atom(rng: Generator) -> Parts:
    """A ball in the middle of a wide and thin shell."""
    shell = rng.normal(size=(400, 3))
    shell *= (50 + rng.normal(0, 2, (400, 1))) / np.linalg.norm(shell, axis=1, keepdims=True)
    return [ball(rng, 400, (0, 0, 0), 12), shell]


@shape
def chainlink(rng: Generator) -> Parts:
    """Two linked rings in space."""
    flat, upright = arc(rng, 500, (0, 0), 1, 0.06), arc(rng, 500, (1, 0), 1, 0.06)
    depth = rng.normal(0, 0.06, (2, 500))
    return [
        np.column_stack([flat, depth[0]]),
        np.column_stack([upright[:, 0], depth[1], upright[:, 1]]),
    ]


@shape
def engytime(rng: Generator) -> Parts:
    """Two overlapping Gaussians, one tight and one wide."""
    return [gaussian(rng, 2048, (0, 0), (0.9, 0.8)), gaussian(rng, 2048, (2.9, 2.6), (1.6, 1.2))]


@shape
def hepta(rng: Generator) -> Parts:
    """Seven balls along the axes; the one in the middle is dense."""
    ends = np.vstack([3 * np.eye(3), -3 * np.eye(3)])
    return [ball(rng, 32, (0, 0, 0), 0.5), *(ball(rng, 30, at, 1) for at in ends)]


@shape
def lsun(rng: Generator) -> Parts:
    """Two bars at a right angle and a disc."""
    return [
        box(rng, 200, (0.2, 0), (3.8, 0.8)),
        box(rng, 100, (0, 1.2), (0.8, 4)),
        ball(rng, 100, (3, 3), 0.85),
    ]


@shape
def target(rng: Generator) -> Parts:
    """A disc in a ring, and four groups of three outliers in the corners."""
    corners = [(3, 3), (-3, 3), (3, -3), (-3, -3)]
    return [
        ball(rng, 365, (0, 0), 0.6),
        ring(rng, 393, (0, 0), 1.85, 2.2),
        *(gaussian(rng, 3, at, 0.05) for at in corners),
    ]


@shape
def tetra(rng: Generator) -> Parts:
    """Four balls that nearly touch, at the corners of a tetrahedron."""
    corners = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) / np.sqrt(2)
    return [ball(rng, 100, at, 1.05) for at in corners]


@shape
def twodiamonds(rng: Generator) -> Parts:
    """Two squares that touch in a corner."""
    return [
        at + rotated(box(rng, 400, (-0.72, -0.72), (0.72, 0.72)), 45)
        for at in (np.array((-1, 0)), np.array((1, 0)))
    ]


@shape
def wingnut(rng: Generator) -> Parts:
    """Two bars side by side, each denser toward the end where the other is sparse."""

    def bar(n):
        rows = box(rng, 4 * n, (0, 0), (1.5, 3))
        weight = np.exp(-1.2 * np.hypot(rows[:, 0] - 1.5, rows[:, 1]))
        return rows[rng.choice(len(rows), n, replace=False, p=weight / weight.sum())]

    left = bar(508) - (1.65, 1.5)
    return [left, -(bar(508) - (1.65, 1.5))]


FCPS = {
    "atom": atom,
    "chainlink": chainlink,
    "engytime": engytime,
    "hepta": hepta,
    "lsun": lsun,
    "target": target,
    "tetra": tetra,
    "twodiamonds": twodiamonds,
    "wingnut": wingnut,
}
