"""Shapes like those of the battery `sipu` (Fränti and Sieranoja, K-means properties)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.harness.shapes.draw import (
    Parts,
    Shape,
    apart,
    arc,
    ball,
    box,
    directions,
    gaussian,
    path,
    ring,
    shape,
    sizes,
    tilted,
)


def round_gaussians(n_clusters: int, each: int, gap: float, sd: float = 1.0) -> Shape:
    """Round Gaussians of one size; places keep a distance of `gap` (in units of `sd`)."""

    @shape
    def draw(rng: Generator) -> Parts:
        side = 1.25 * gap * np.sqrt(n_clusters)
        return [gaussian(rng, each, at, sd) for at in apart(rng, n_clusters, side, gap)]

    return draw


def overlapping(sd: float) -> Shape:
    """Fifteen Gaussians of 5000 rows in all, stretched by some, at the given spread."""

    @shape
    def draw(rng: Generator) -> Parts:
        places = apart(rng, 15, 10, 1.9)
        counts = sizes(5000, rng.uniform(0.85, 1.15, 15))
        stretch = rng.uniform(0.75, 1.35, 15)
        turns = rng.uniform(0, 180, 15)
        return [
            tilted(rng, n, at, (sd * s, sd / s), turn)
            for n, at, s, turn in zip(counts, places, stretch, turns, strict=True)
        ]

    return draw


@shape
def birch_grid(rng: Generator) -> Parts:
    """A grid of 10 x 10 Gaussians that touch."""
    return [gaussian(rng, 100, (5 * i, 5 * j), 1) for i in range(10) for j in range(10)]


@shape
def birch_sine(rng: Generator) -> Parts:
    """A hundred Gaussians along a sine curve."""
    t = np.linspace(0, 6 * np.pi, 100)
    places = np.column_stack([25 * t, 120 * np.sin(t)])
    return [gaussian(rng, 100, at, 1.1) for at in places]


@shape
def aggregation(rng: Generator) -> Parts:
    """Seven full shapes of unequal sizes; two pairs of them are joined by thin bridges."""
    return [
        ball(rng, 45, (9, 22), 1.6),
        ring(rng, 170, (9, 21), 3.0, 5.6, -80, 200),
        ball(rng, 102, (10, 8), 3.4),
        np.vstack([ball(rng, 266, (32, 22), 5), path(rng, 7, [(32, 17), (32, 14.5)], 0.15)]),
        ball(rng, 34, (20, 7), 1.75),
        np.vstack([ball(rng, 126, (32, 8.5), 3.9), path(rng, 4, [(32, 14.5), (32, 12.5)], 0.15)]),
        np.vstack([ball(rng, 31, (26, 8), 1.75), path(rng, 3, [(24.3, 7.8), (21.8, 7.2)], 0.1)]),
    ]


@shape
def compound(rng: Generator) -> Parts:
    """Two Gaussians that touch, a disc in a ring, and a dense core in a sparse cloud."""
    return [
        gaussian(rng, 50, (12.6, 20), 0.9),
        gaussian(rng, 92, (18, 19.3), (1.2, 1.1)),
        ball(rng, 16, (13, 10), 0.6),
        ring(rng, 158, (13, 10), 2.0, 3.9),
        ball(rng, 45, (32.5, 15), 1.8),
        box(rng, 38, (28, 6), (40, 23)),
    ]


@shape
def flame(rng: Generator) -> Parts:
    """A round flame on top of a wide arch that embraces it."""
    arch = ring(rng, 153, (7, 26.5), 5, 9.5, 222, 318)
    top = ball(rng, 85, (7, 25.2), 3) * (1.1, 1) - (0.7, 0)
    return [np.vstack([top, gaussian(rng, 2, (0.8, 28), 0.2)]), arch]


@shape
def jain(rng: Generator) -> Parts:
    """Two half moons, one sparse and one dense."""
    return [
        arc(rng, 97, (17, 14), 13.5, 1.1, 10, 170),
        arc(rng, 276, (30, 16.5), 12.5, 1.2, 190, 350),
    ]


@shape
def pathbased(rng: Generator) -> Parts:
    """Two Gaussians in an open ring that nearly touches both."""
    return [
        arc(rng, 110, (19, 17), 12.5, 0.7, -40, 220),
        gaussian(rng, 97, (12.8, 15.5), (1.9, 2.2)),
        gaussian(rng, 93, (25.2, 15.5), (1.9, 2.2)),
    ]


@shape
def r15(rng: Generator) -> Parts:
    """Two rings of seven Gaussians around one; the inner ring is tight."""
    angles = 2 * np.pi * np.arange(7) / 7
    places = np.vstack([[(0, 0)], 2.0 * directions(angles), 6.5 * directions(angles)])
    return [gaussian(rng, 40, at, 0.32) for at in places]


@shape
def spiral(rng: Generator) -> Parts:
    """Three thin arms of a spiral."""

    def arm(n, turn):
        length = np.sqrt(np.linspace(0.05, 1, n)) * 2.4 * np.pi
        rows = length[:, None] * directions(length + turn)
        return rows + rng.normal(0, 0.06, (n, 2))

    return [arm(n, np.radians(turn)) for n, turn in ((101, 0), (105, 120), (106, 240))]


@shape
def unbalance(rng: Generator) -> Parts:
    """Three dense clusters of 2000 near each other, and five sparse ones of 100 far away."""
    large = [(0, 0), (4, 0.5), (1.5, 4)]
    small = [(25, -4), (31, -5), (28, 1), (25, 6), (32, 6)]
    return [
        *(gaussian(rng, 2000, at, 0.55) for at in large),
        *(gaussian(rng, 100, at, 0.8) for at in small),
    ]


@shape
def dim32(rng: Generator) -> Parts:
    """Sixteen Gaussians far apart in 32 columns."""
    return [gaussian(rng, 64, at, 3) for at in rng.uniform(0, 255, (16, 32))]


SIPU = {
    "a1": round_gaussians(20, 150, 4.6),
    "a2": round_gaussians(35, 150, 4.6),
    "a3": round_gaussians(50, 150, 4.6),
    "aggregation": aggregation,
    "birch_grid": birch_grid,
    "birch_sine": birch_sine,
    "compound": compound,
    "d31": round_gaussians(31, 100, 4.2),
    "dim32": dim32,
    "flame": flame,
    "jain": jain,
    "pathbased": pathbased,
    "r15": r15,
    "s1": overlapping(0.35),
    "s2": overlapping(0.52),
    "s3": overlapping(0.78),
    "s4": overlapping(0.9),
    "spiral": spiral,
    "unbalance": unbalance,
}
