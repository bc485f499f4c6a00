"""Synthetic data sets beside those of the paper: a consensus function must not be tuned to ten.

A family is a list of parts, each with its share of the rows.
"""

from __future__ import annotations

import numpy as np

ROWS = 60_000


def arc(share, center, radius, noise, start=0, end=360):
    """Part of a circle in the plane, in degrees."""

    def draw(rng, n):
        angle = np.radians(rng.uniform(start, end, n))
        circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return np.asarray(center) + radius * circle + rng.normal(0, noise, (n, 2))

    return share, draw


def blob(share, center, sd, tail=None):
    """A Gaussian, or a t distribution with `tail` degrees of freedom."""

    def draw(rng, n):
        rows = rng.normal(0, 1, (n, len(center))) * sd
        if tail is not None:
            rows /= np.sqrt(rng.chisquare(tail, n) / tail)[:, None]
        return rows + np.asarray(center)

    return share, draw


def spiral(share, turn):
    """An arm of a spiral in the plane, turned by some degrees."""

    def draw(rng, n):
        length = np.sqrt(rng.uniform(0.06, 1, n)) * 3 * np.pi
        angle = length + np.radians(turn)
        arm = length[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return arm + rng.normal(0, 0.35, (n, 2))

    return share, draw


def ring_of_blobs(shares, radius, sd):
    """Gaussians around the origin."""
    angles = 2 * np.pi * np.arange(len(shares)) / len(shares)
    places = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return [blob(share, place, sd) for share, place in zip(shares, places, strict=True)]


def scattered(shares, spread, n_features, sd=1.0, tail=None):
    """Gaussians or t distributions at random places, the same in every call."""
    places = np.random.default_rng(len(shares)).normal(0, spread, (len(shares), n_features))
    return [blob(share, at, sd, tail) for share, at in zip(shares, places, strict=True)]


UNEQUAL = (30, 20, 15, 10, 10, 6, 4, 2, 2, 1)
GRID = [(0, 0), (6, 0), (0, 6), (6, 6), (3, 3), (10, 3), (-4, 3), (3, 10), (3, -4), (10, 8)]
FAMILIES = {
    "face, noisy and lopsided": [
        arc(35, (-2.6, -0.15), 1.95, 0.42, 0, 180),
        arc(15, (2.6, -0.15), 1.95, 0.3, 0, 180),
        arc(48, (0, 0.2), 2.55, 0.4, 180, 360),
        blob(2, (0, -1), 0.25),
    ],
    "rings and five Gaussians": [
        arc(25, (0, 0), 1.3, 0.05),
        arc(15, (0, 0), 0.38, 0.03),
        *ring_of_blobs((5, 8, 12, 15, 20), 0.82, 0.11),
    ],
    "four circles": [
        arc(share, (0, 0), radius, 0.08)
        for share, radius in ((10, 0.35), (20, 0.85), (30, 1.35), (40, 1.9))
    ],
    "moons": [arc(50, (0, 0), 1, 0.13, 0, 180), arc(50, (1, 0.5), 1, 0.13, 180, 360)],
    "three spirals": [spiral(33, turn) for turn in (0, 120, 240)],
    "unequal Gaussians": [
        blob(share, at, 0.4 + 0.06 * (7 * i % 10))
        for i, (share, at) in enumerate(zip(UNEQUAL, GRID, strict=True))
    ],
    "touching Gaussians": [blob(11, (2.6 * i, 2.6 * j), 0.7) for i in range(3) for j in range(3)],
    "small classes far off": [
        arc(40, (0, 0), 3, 0.15),
        blob(35, (0, 0), 0.6),
        blob(22, (8, 0), 0.8),
        blob(1, (8, 6), 0.25),
        blob(1, (-6, 6), 0.25),
        blob(0.5, (4, -7), 0.2),
    ],
    "tight over diffuse": [
        blob(25, (0, 0), 2.0),
        blob(10, (0, 7), 0.3),
        blob(10, (1, 8), 0.3),
        blob(20, (9, 0), 1.5),
        blob(30, (9, 7), 0.8),
        blob(5, (5, 11), 0.4),
    ],
    "rings, arcs and blobs": [
        arc(30, (0, 0), 2, 0.2),
        blob(10, (0, 0), 0.4),
        arc(20, (5, 0), 2, 0.2, 90, 270),
        arc(15, (7, 3), 1, 0.15),
        blob(15, (7, 3), 0.25),
        blob(10, (2.5, 5), (1.2, 0.4)),
    ],
    "heavy tails, 6 features": scattered((30, 20, 15, 12, 10, 8, 5), 5, 6, tail=2.2),
}


def make(name: str, seed: int, n_rows: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    """Rows (n, d) of a family and their classes (n,), shuffled."""
    rng = np.random.default_rng(seed)
    parts = FAMILIES[name]
    total = sum(share for share, _ in parts)
    rows = [draw(rng, max(2, int(n_rows * share / total))) for share, draw in parts]
    classes = np.repeat(np.arange(len(parts)), [len(part) for part in rows])
    order = rng.permutation(len(classes))
    return np.concatenate(rows)[order], classes[order]
