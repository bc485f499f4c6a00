"""Shapes like those of the battery `wut` (students of Warsaw University of Technology)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.harness.shapes.draw import (
    Parts,
    arc,
    ball,
    box,
    gaussian,
    path,
    ring,
    rotated,
    shape,
    tilted,
)


@shape
def circles(rng: Generator) -> Parts:
    """Four concentric circles."""
    return [arc(rng, 1000, (0, 0), radius, 0.07) for radius in (0.5, 1.2, 1.9, 2.6)]


@shape
def cross(rng: Generator) -> Parts:
    """Four arms of a cross that almost meet."""
    arm = box(rng, 2000, (0.35, -0.3), (3, 0.3)).reshape(4, 500, 2)
    return [rotated(rows, 90 * i) for i, rows in enumerate(arm)]


@shape
def isolation(rng: Generator) -> Parts:
    """A disc and two rings of falling density around it."""
    return [
        ball(rng, 3000, (0, 0), 1),
        ring(rng, 3000, (0, 0), 1.8, 2.6),
        ring(rng, 3000, (0, 0), 3.6, 4.6),
    ]


@shape
def labirynth(rng: Generator) -> Parts:
    """Walls of a maze and two filled rooms, of different densities."""
    return [
        path(rng, 1000, [(0, 0), (0, 10), (10, 10), (10, 3)], 0.12),
        path(rng, 600, [(2, 0), (10, 0), (10, 1.5)], 0.12),
        path(rng, 500, [(2, 8), (2, 2), (5, 2)], 0.12),
        path(rng, 400, [(4, 8), (8, 8), (8, 5)], 0.12),
        path(rng, 300, [(7, 3.6), (7, 1.8), (8.6, 1.8)], 0.12),
        ball(rng, 400, (4.2, 5.2), 1.0),
        box(rng, 300, (5.9, 5.2), (7, 6.9)),
    ]


@shape
def mk1(rng: Generator) -> Parts:
    """Three round Gaussians, one of them apart."""
    return [gaussian(rng, 100, at, 0.5) for at in ((0, 0), (2.2, 0.2), (1, 3))]


@shape
def mk2(rng: Generator) -> Parts:
    """A tight round Gaussian beside a wide long one."""
    return [gaussian(rng, 500, (0, 0), 0.35), tilted(rng, 500, (2.6, 0.5), (1.4, 0.6), 60)]


@shape
def mk3(rng: Generator) -> Parts:
    """Three Gaussians of different spreads in space, two of them touching."""
    return [
        gaussian(rng, 200, (0, 0, 0), 0.5),
        gaussian(rng, 200, (2, 0.5, 0), (0.8, 0.4, 0.6)),
        gaussian(rng, 200, (1, 4, 2), 1.0),
    ]


@shape
def mk4(rng: Generator) -> Parts:
    """Three flat and long Gaussians in space that lie side by side."""
    return [
        gaussian(rng, 500, (0, 0, 0), (2, 0.3, 0.3)),
        gaussian(rng, 500, (0, 1.6, 0), (2, 0.3, 0.3)),
        gaussian(rng, 500, (0, 0.8, 2), (0.4, 1.5, 0.3)),
    ]


@shape
def olympic(rng: Generator) -> Parts:
    """Five interlocking rings in the plane."""
    places = [(0, 0), (2.4, 0), (4.8, 0), (1.2, -1.1), (3.6, -1.1)]
    return [arc(rng, 1000, at, 1, 0.03) for at in places]


@shape
def smile(rng: Generator) -> Parts:
    """A face: outline, two eyes, nose and mouth."""
    return [
        arc(rng, 400, (0, 0), 3, 0.06),
        ball(rng, 100, (-1, 1), 0.35),
        ball(rng, 100, (1, 1), 0.35),
        path(rng, 100, [(0, 0.6), (-0.3, -0.3), (0.2, -0.3)], 0.05),
        arc(rng, 300, (0, -0.1), 1.7, 0.06, 210, 330),
    ]


@shape
def stripes(rng: Generator) -> Parts:
    """Two wavy stripes side by side."""

    def stripe(offset):
        rows = box(rng, 2500, (0, -0.5), (12, 0.5))
        rows[:, 1] += offset + 0.6 * np.sin(rows[:, 0])
        return rows

    return [stripe(0), stripe(1.35)]


@shape
def trajectories(rng: Generator) -> Parts:
    """Four smooth paths that run beside each other."""

    def curve(start, bend):
        t = rng.uniform(0, 1, 2500)
        y = start + bend * np.sin(2 * np.pi * t) + 1.2 * (start - 1.5) * t**2
        return np.column_stack([6 * t, y]) + rng.normal(0, 0.06, (2500, 2))

    return [curve(start, 0.5) for start in (0, 1, 2, 3)]


@shape
def trapped_lovers(rng: Generator) -> Parts:
    """Two balls inside a hollow tube in space."""
    tube = arc(rng, 4000, (0, 0), 2, 0.1)
    return [
        np.column_stack([rng.uniform(-4, 4, 4000), tube]),
        gaussian(rng, 500, (-0.9, 0, 0), 0.25),
        gaussian(rng, 500, (0.9, 0, 0), 0.25),
    ]


@shape
def twosplashes(rng: Generator) -> Parts:
    """Two Gaussians stretched side by side that overlap at their rims."""
    return [tilted(rng, 200, at, (1.3, 0.5), 50) for at in ((0, 0), (1.9, -0.8))]


@shape
def windows(rng: Generator) -> Parts:
    """Four panes in a frame, of unequal densities."""
    frame = [(-3, -3), (3, -3), (3, 3), (-3, 3), (-3, -3)]
    panes = [(600, -2, -2), (300, 0.4, -2), (477, -2, 0.4), (800, 0.4, 0.4)]
    return [
        path(rng, 800, frame, 0.12),
        *(box(rng, n, (x, y), (x + 1.6, y + 1.6)) for n, x, y in panes),
    ]


@shape
def x1(rng: Generator) -> Parts:
    """Three small Gaussians, well apart."""
    return [gaussian(rng, 40, at, 0.5) for at in ((0, 0), (3, 0), (1.5, 2.6))]


@shape
def x2(rng: Generator) -> Parts:
    """Three small Gaussians of different spreads that overlap."""
    return [
        gaussian(rng, 60, (0, 0), 0.9),
        gaussian(rng, 30, (2.2, 0.6), 0.4),
        gaussian(rng, 30, (1.4, 2.6), 0.5),
    ]


@shape
def x3(rng: Generator) -> Parts:
    """A small disc, a bar and two Gaussians, of 185 rows in all."""
    return [
        ball(rng, 45, (0, 0), 0.9),
        box(rng, 60, (1.5, -1), (2.1, 3)),
        gaussian(rng, 40, (0, 2.6), 0.4),
        gaussian(rng, 40, (4, 1), (0.5, 0.9)),
    ]


@shape
def z1(rng: Generator) -> Parts:
    """Three thin slanted bars."""
    return [tilted(rng, 64, (1.3 * i, 0.3 * i), (1.3, 0.22), 60) for i in range(3)]


@shape
def z2(rng: Generator) -> Parts:
    """Five clusters: Gaussians of three spreads, a bar and an arc."""
    return [
        gaussian(rng, 250, (0, 0), 0.8),
        gaussian(rng, 150, (3, 1), 0.35),
        gaussian(rng, 150, (4, 3), 0.35),
        path(rng, 150, [(-2, 3), (2, 4.5)], 0.15),
        arc(rng, 200, (0, 0), 4, 0.2, 200, 300),
    ]


@shape
def z3(rng: Generator) -> Parts:
    """Four clusters: two crossing-free moons, a dense core and a wide cloud."""
    return [
        arc(rng, 300, (0, 0), 2, 0.18, 0, 180),
        arc(rng, 300, (2, 0.6), 2, 0.18, 180, 360),
        gaussian(rng, 200, (6.2, 1.5), 0.3),
        gaussian(rng, 200, (7.5, -0.8), 0.9),
    ]


WUT = {
    "circles": circles,
    "cross": cross,
    "isolation": isolation,
    "labirynth": labirynth,
    "mk1": mk1,
    "mk2": mk2,
    "mk3": mk3,
    "mk4": mk4,
    "olympic": olympic,
    "smile": smile,
    "stripes": stripes,
    "trajectories": trajectories,
    "trapped_lovers": trapped_lovers,
    "twosplashes": twosplashes,
    "windows": windows,
    "x1": x1,
    "x2": x2,
    "x3": x3,
    "z1": z1,
    "z2": z2,
    "z3": z3,
}
