"""Shapes like those of the battery `graves` (Graves and Pedrycz, kernel-based fuzzy clustering)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.harness.shapes.draw import (
    Parts,
    ball,
    gaussian,
    path,
    ring,
    shape,
    tilted,
    with_noise,
)


@shape
def dense(rng: Generator) -> Parts:
    """A dense and a wide Gaussian."""
    return [gaussian(rng, 100, (0, 0), 0.06), gaussian(rng, 100, (0.75, 0.1), 0.22)]


@shape
def fuzzyx(rng: Generator) -> Parts:
    """An X of four arms and a dense middle that fade into each other."""
    arms = [
        tilted(rng, 200, (2.2 * np.cos(a), 2.2 * np.sin(a)), (0.75, 0.25), np.degrees(a))
        for a in np.radians((45, 135, 225, 315))
    ]
    return [gaussian(rng, 200, (0, 0), 0.4), *arms]


@shape
def line(rng: Generator) -> Parts:
    """A thin line below a round cloud."""
    return [path(rng, 50, [(-3, -1), (3, -1)], 0.02), gaussian(rng, 200, (0, 0.75), (0.8, 0.45))]


@shape
def parabolic(rng: Generator) -> Parts:
    """Two parabolas that open toward each other and nearly touch."""

    def parabola(center, sign):
        x = rng.uniform(-1, 1, 500)
        return np.column_stack([x, sign * x**2]) + center + rng.normal(0, 0.14, (500, 2))

    return [parabola((0, 0), 1), parabola((0.7, -0.4), -1)]


def _ring_and_disc(rng: Generator) -> Parts:
    return [ring(rng, 500, (0, 0), 1.3, 1.7), gaussian(rng, 500, (0, 0), 0.27)]


@shape
def ring_plain(rng: Generator) -> Parts:
    """A ring around a round cloud."""
    return _ring_and_disc(rng)


@shape
def ring_noisy(rng: Generator) -> Parts:
    """The ring with 50 rows of noise."""
    return with_noise(rng, _ring_and_disc(rng), 50)


@shape
def ring_outliers(rng: Generator) -> Parts:
    """The ring with three groups of ten outliers."""
    corners = [(2.4, 2.2), (-2.6, 1.6), (0.4, -2.8)]
    return [*_ring_and_disc(rng), *(gaussian(rng, 10, at, 0.08) for at in corners)]


def _zigzag(rng: Generator) -> Parts:
    zigzag = [(-1, 1), (0, -0.2), (1, 1), (2, -0.2)]
    return [
        path(rng, 150, zigzag, 0.04),
        path(rng, 50, [(-1.2, 0.2), (-0.4, -0.8)], 0.04),
        path(rng, 50, [(1.5, 1.3), (2.3, 0.3)], 0.04),
    ]


@shape
def zigzag(rng: Generator) -> Parts:
    """A bent line between two straight ones."""
    return _zigzag(rng)


@shape
def zigzag_noisy(rng: Generator) -> Parts:
    """The bent and straight lines with 50 rows of noise."""
    return with_noise(rng, _zigzag(rng), 50)


@shape
def zigzag_outliers(rng: Generator) -> Parts:
    """The bent and straight lines with two groups of 15 outliers."""
    return [*_zigzag(rng), ball(rng, 15, (0.9, -1.4), 0.15), ball(rng, 15, (0.2, 2), 0.15)]


GRAVES = {
    "dense": dense,
    "fuzzyx": fuzzyx,
    "line": line,
    "parabolic": parabolic,
    "ring": ring_plain,
    "ring_noisy": ring_noisy,
    "ring_outliers": ring_outliers,
    "zigzag": zigzag,
    "zigzag_noisy": zigzag_noisy,
    "zigzag_outliers": zigzag_outliers,
}
