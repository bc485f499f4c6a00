"""The mixtures that the synthetic data sets are drawn from.

A component is a curve (or a point) with Gaussian noise around it, and a share of the rows, exact so
that class counts do not depend on rounding; a mixture is a tuple of components, one per class. The
parameters were fitted to the points drawn in Fig. 5 of the U-SPEC paper (cited in
`lsec.datasets.synthetic`), which has no scale: the unit of length is arbitrary.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]


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
    """Part of a ray from the origin, evenly covered."""

    share: Fraction
    angle: float  # in degrees
    start: float
    stop: float
    noise: float  # in the plane
    length_noise: float  # blurs the two ends along the ray

    def draw(self, rng: np.random.Generator, points: NDArray[np.floating]) -> None:
        """Fill `points` of shape (n, 2)."""
        along = _draw_blurred_uniform(rng, self.start, self.stop, self.length_noise, points)
        _draw_noise(rng, self.noise, points)
        points[:, 0] += math.cos(math.radians(self.angle)) * along
        points[:, 1] += math.sin(math.radians(self.angle)) * along


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


Mixture = tuple[Blob | Arc | Spoke, ...]

TWO_BANANAS: Mixture = (
    Arc(Fraction(1, 2), (0.5, -0.15), radius=1.0, noise=0.15, start=0, stop=180),
    Arc(Fraction(1, 2), (-0.5, 0.15), radius=1.0, noise=0.15, start=180, stop=360),
)

_NOSE = Fraction(5, 100)
_EYE, _MOUTH = ((1 - _NOSE) * Fraction(part, 645) for part in (195, 255))  # as the radii
SMILING_FACE: Mixture = (
    Arc(_EYE, (-2.6, -0.15), radius=1.95, noise=0.35, start=0, stop=180),
    Arc(_EYE, (2.6, -0.15), radius=1.95, noise=0.35, start=0, stop=180),
    Arc(_MOUTH, (0.0, 0.2), radius=2.55, noise=0.35, start=180, stop=360),
    Blob(_NOSE, (0.0, -1.0), noise=0.3),
)

CONCENTRIC_CIRCLES: Mixture = tuple(
    Arc(Fraction(radius, 255), (0.0, 0.0), radius=radius / 100, noise=0.065)
    for radius in (135, 85, 35)  # hundredths; shares as the radii
)

_GAUSSIAN = Fraction(60, 900)
CIRCLES_GAUSSIANS: Mixture = (
    Arc(Fraction(30, 100), (0.0, 0.0), radius=1.2, noise=0.03),
    Arc(Fraction(10, 100), (0.0, 0.0), radius=0.4, noise=0.03),
    Blob(_GAUSSIAN, (0.0, 0.0), noise=0.12),
    *(Blob(_GAUSSIAN, _on_ray(angle, 0.8), noise=0.12) for angle in range(0, 360, 45)),
)

_CENTER = Fraction(2, 100)
_SPOKE, _PETAL = ((1 - _CENTER) * Fraction(part, 6 * 2894) for part in (800, 2094))  # as lengths
FLOWER: Mixture = (
    Blob(_CENTER, (0.0, 0.0), noise=0.035),
    *(
        Spoke(_SPOKE, angle, start=0.195, stop=1.0, noise=0.036, length_noise=0.04)
        for angle in range(0, 360, 60)
    ),
    *(
        Arc(
            _PETAL,
            _on_ray(angle, 1.0),
            radius=0.4,
            noise=0.0415,
            start=angle - 150.9,
            stop=angle + 150.9,
            angle_noise=0.122,
        )
        for angle in range(0, 360, 60)
    ),
)
