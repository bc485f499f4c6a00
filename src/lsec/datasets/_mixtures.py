"""The mixtures that the synthetic data sets are drawn from.

A component is a curve (or a point) with Gaussian noise around it; a mixture is a tuple of
components, one per class. The parameters were fitted to the points drawn in Fig. 5 of the U-SPEC
paper (cited in `lsec.datasets.synthetic`), which has no scale: the unit of length is arbitrary.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]


class Component(Protocol):
    """One class of a mixture."""

    @property
    def share(self) -> Fraction:
        """Share of the rows; exact, so that class counts do not depend on rounding."""
        ...

    def draw(self, rng: np.random.Generator, points: NDArray[np.floating]) -> None:
        """Fill `points`, of shape (n, 2) and C-contiguous, with independent draws."""
        ...


@dataclass(frozen=True)
class Blob:
    """An isotropic Gaussian."""

    share: Fraction
    center: Point
    noise: float

    def draw(self, rng: np.random.Generator, points: NDArray[np.floating]) -> None:
        """Fill `points` of shape (n, 2)."""
        _draw_noise(rng, self.noise, points)
        points += np.asarray(self.center, dtype=points.dtype)


@dataclass(frozen=True)
class Arc:
    """Part of a circle, or all of it, evenly covered; angles in degrees, noise in radians.

    ``angle_noise`` blurs the two ends along the circle, ``noise`` acts in the plane.
    """

    share: Fraction
    center: Point
    radius: float
    noise: float
    start: float = 0.0
    stop: float = 360.0
    angle_noise: float = 0.0

    def draw(self, rng: np.random.Generator, points: NDArray[np.floating]) -> None:
        """Fill `points` of shape (n, 2)."""
        angle = _draw_blurred_uniform(
            rng, math.radians(self.start), math.radians(self.stop), self.angle_noise, points
        )
        _draw_noise(rng, self.noise, points)
        points += np.asarray(self.center, dtype=points.dtype)
        points[:, 0] += self.radius * np.cos(angle)
        points[:, 1] += self.radius * np.sin(angle)


@dataclass(frozen=True)
class Spoke:
    """Part of a ray from the origin, evenly covered; ``angle`` in degrees.

    ``length_noise`` blurs the two ends along the ray, ``noise`` acts in the plane.
    """

    share: Fraction
    angle: float
    start: float
    stop: float
    noise: float
    length_noise: float

    def draw(self, rng: np.random.Generator, points: NDArray[np.floating]) -> None:
        """Fill `points` of shape (n, 2)."""
        along = _draw_blurred_uniform(rng, self.start, self.stop, self.length_noise, points)
        _draw_noise(rng, self.noise, points)
        points[:, 0] += math.cos(math.radians(self.angle)) * along
        points[:, 1] += math.sin(math.radians(self.angle)) * along


def _draw_noise(rng: np.random.Generator, noise: float, points: NDArray[np.floating]) -> None:
    """Fill `points` of shape (n, 2) with N(0, noise² I)."""
    rng.standard_normal(dtype=points.dtype.type, out=points)
    points *= noise


def _draw_blurred_uniform(
    rng: np.random.Generator, low: float, high: float, noise: float, like: NDArray[np.floating]
) -> NDArray[np.floating]:
    """Draw U[low, high] + N(0, noise²), of shape (len(like),) and in the dtype of `like`."""
    values = rng.random(len(like), dtype=like.dtype.type)
    values *= high - low
    values += low
    if noise > 0:
        blur = rng.standard_normal(len(like), dtype=like.dtype.type)
        blur *= noise
        values += blur
    return values


def _on_ray(angle: float, distance: float) -> Point:
    """Return the point at `distance` from the origin in the direction `angle` (degrees)."""
    return distance * math.cos(math.radians(angle)), distance * math.sin(math.radians(angle))


def _two_bananas() -> Iterable[Component]:
    half = Fraction(1, 2)
    yield Arc(half, (0.5, -0.15), radius=1.0, noise=0.15, start=0, stop=180)
    yield Arc(half, (-0.5, 0.15), radius=1.0, noise=0.15, start=180, stop=360)


def _smiling_face() -> Iterable[Component]:
    nose = Fraction(5, 100)
    eye, mouth = ((1 - nose) * Fraction(part, 645) for part in (195, 255))  # as the radii
    yield Arc(eye, (-2.6, -0.15), radius=1.95, noise=0.35, start=0, stop=180)
    yield Arc(eye, (2.6, -0.15), radius=1.95, noise=0.35, start=0, stop=180)
    yield Arc(mouth, (0.0, 0.2), radius=2.55, noise=0.35, start=180, stop=360)
    yield Blob(nose, (0.0, -1.0), noise=0.3)


def _concentric_circles() -> Iterable[Component]:
    for radius in (135, 85, 35):  # hundredths; shares as the radii
        yield Arc(Fraction(radius, 255), (0.0, 0.0), radius=radius / 100, noise=0.065)


def _circles_gaussians() -> Iterable[Component]:
    gaussian = Fraction(60, 900)
    yield Arc(Fraction(30, 100), (0.0, 0.0), radius=1.2, noise=0.03)
    yield Arc(Fraction(10, 100), (0.0, 0.0), radius=0.4, noise=0.03)
    yield Blob(gaussian, (0.0, 0.0), noise=0.12)
    for angle in range(0, 360, 45):
        yield Blob(gaussian, _on_ray(angle, 0.8), noise=0.12)


def _flower() -> Iterable[Component]:
    center = Fraction(2, 100)
    spoke, petal = ((1 - center) * Fraction(part, 6 * 2894) for part in (800, 2094))  # as lengths
    yield Blob(center, (0.0, 0.0), noise=0.035)
    for angle in range(0, 360, 60):
        yield Spoke(spoke, angle, start=0.195, stop=1.0, noise=0.036, length_noise=0.04)
    for angle in range(0, 360, 60):
        yield Arc(
            petal,
            _on_ray(angle, 1.0),
            radius=0.4,
            noise=0.0415,
            start=angle - 150.9,
            stop=angle + 150.9,
            angle_noise=0.122,
        )


Mixture = tuple[Component, ...]

TWO_BANANAS: Mixture = tuple(_two_bananas())
SMILING_FACE: Mixture = tuple(_smiling_face())
CONCENTRIC_CIRCLES: Mixture = tuple(_concentric_circles())
CIRCLES_GAUSSIANS: Mixture = tuple(_circles_gaussians())
FLOWER: Mixture = tuple(_flower())
