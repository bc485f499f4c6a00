"""Pieces that the shapes are put together from: each draws `n` rows with a generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps

import numpy as np
from numpy.random import Generator

Parts = list[np.ndarray]  # the rows of each cluster
Shape = Callable[[Generator], tuple[np.ndarray, np.ndarray]]


def shape(parts: Callable[[Generator], Parts]) -> Shape:
    """Turn a function that draws clusters into one that draws shuffled rows and their labels."""

    @wraps(parts)
    def draw(rng: Generator) -> tuple[np.ndarray, np.ndarray]:
        clusters = parts(rng)
        y = np.repeat(np.arange(len(clusters)), [len(rows) for rows in clusters])
        order = rng.permutation(len(y))
        return np.concatenate(clusters)[order], y[order]

    return draw


def gaussian(rng: Generator, n: int, center: Sequence[float], sd) -> np.ndarray:
    """A Gaussian with a standard deviation, or one per column."""
    return np.asarray(center) + sd * rng.normal(size=(n, len(center)))


def tilted(rng: Generator, n: int, center: Sequence[float], sds, degrees: float) -> np.ndarray:
    """A Gaussian in the plane whose axes are turned."""
    return np.asarray(center) + rotated(gaussian(rng, n, (0, 0), sds), degrees)


def ball(rng: Generator, n: int, center: Sequence[float], radius: float) -> np.ndarray:
    """A ball, uniformly filled."""
    rows = rng.normal(size=(n, len(center)))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(center) + radius * rows * rng.uniform(size=(n, 1)) ** (1 / len(center))


def box(rng: Generator, n: int, low: Sequence[float], high: Sequence[float]) -> np.ndarray:
    """A box, uniformly filled."""
    return rng.uniform(low, high, size=(n, len(low)))


def arc(rng: Generator, n: int, center, radius: float, noise: float, start=0, end=360):
    """Part of a circle in the plane, in degrees, with Gaussian noise."""
    circle = directions(np.radians(rng.uniform(start, end, n)))
    return np.asarray(center) + radius * circle + gaussian(rng, n, (0, 0), noise)


def ring(rng: Generator, n: int, center, inner: float, outer: float, start=0, end=360):
    """The area between two circles, or a sector of it in degrees, uniformly filled."""
    radius = np.sqrt(rng.uniform(inner**2, outer**2, (n, 1)))
    return np.asarray(center) + radius * directions(np.radians(rng.uniform(start, end, n)))


def path(rng: Generator, n: int, corners: Sequence[Sequence[float]], noise: float) -> np.ndarray:
    """A line through corners, with Gaussian noise."""
    corners = np.asarray(corners, dtype=float)
    lengths = np.r_[0, np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))]
    at = rng.uniform(0, lengths[-1], n)
    line = np.stack([np.interp(at, lengths, column) for column in corners.T], axis=1)
    return line + gaussian(rng, n, np.zeros(corners.shape[1]), noise)


def directions(angles: np.ndarray) -> np.ndarray:
    """Unit vectors in the plane."""
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def rotated(rows: np.ndarray, degrees: float) -> np.ndarray:
    """Rows of the plane, turned about the origin."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return rows @ np.array([[c, s], [-s, c]])


def apart(rng: Generator, n: int, side: float, distance: float, n_columns: int = 2) -> np.ndarray:
    """Random places in a cube; the distance shrinks where they do not fit."""
    places = [rng.uniform(0, side, n_columns)]
    while len(places) < n:
        tries = rng.uniform(0, side, (200, n_columns))
        gaps = np.linalg.norm(tries[:, None] - np.array(places)[None], axis=2).min(axis=1)
        far = np.flatnonzero(gaps >= distance)
        if len(far):
            places.append(tries[far[0]])
        else:
            distance *= 0.97
    return np.array(places)


def sizes(n: int, shares: Sequence[float]) -> np.ndarray:
    """Whole numbers in proportion to shares, `n` in all."""
    ends = np.round(n * np.cumsum(shares) / np.sum(shares)).astype(int)
    return np.diff(ends, prepend=0)


def with_noise(rng: Generator, clusters: Parts, n: int) -> Parts:
    """Add rows drawn uniformly from the bounding box, each to the cluster of its nearest row."""
    rows = np.concatenate(clusters)
    noise = box(rng, n, rows.min(axis=0), rows.max(axis=0))
    gaps = [np.linalg.norm(noise[:, None] - c[None], axis=2).min(axis=1) for c in clusters]
    nearest = np.argmin(gaps, axis=0)
    return [np.concatenate([c, noise[nearest == i]]) for i, c in enumerate(clusters)]
