"""The synthetic sets against the points of the published figure.

The file ``synthetic_reference_points.csv.gz`` holds the points drawn in Fig. 5 of the U-SPEC
paper: 0.1 % of each set, colored by class. Each class is described by two natural coordinates
(radius and angle about the center of its circle, distance along and across its spoke, or x and y
about its mean), and three tests compare figure and generator in each: mean, spread, and
Kolmogorov-Smirnov. The second half of the file shows that the comparison notices a generator
that is slightly wrong.
"""

import os
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from lsec.datasets import _mixtures
from lsec.datasets._sampling import class_counts, sample_mixture

REFERENCE = Path(os.environ.get("LSEC_DATA", "")) / "synthetic_reference_points.csv.gz"
pytestmark = pytest.mark.skipif(
    "LSEC_DATA" not in os.environ or not REFERENCE.is_file(),
    reason="LSEC_DATA has no synthetic_reference_points.csv.gz",
)

WORST_P = 1e-4  # about 230 tests are made in all, so a right generator passes
N_GENERATED = 200_000


@dataclass(frozen=True)
class Frame:
    """The line a class follows: a circle if it has a radius, else a piece of a line or a point."""

    color: str
    center: tuple[float, float] = (0.0, 0.0)
    angle: float = 0.0  # direction of the piece of line, or of the middle of the arc
    radius: float | None = None
    half_length: float = 0.0

    def coordinates(self, points):
        """Return radius and angle, or distances along and across, of shape (n, 2)."""
        turned = np.exp(-1j * np.radians(self.angle)) * ((points - self.center) @ [1, 1j])
        if self.radius is not None:
            return np.column_stack([np.abs(turned), np.angle(turned)])
        return np.column_stack([turned.real, turned.imag])

    def distance(self, points):
        """Return the distance of each point from the line."""
        first, second = self.coordinates(points).T
        if self.radius is not None:
            return np.abs(first - self.radius)
        return np.hypot(np.maximum(np.abs(first) - self.half_length, 0), second)


def on_ray(angle, distance):
    return distance * np.cos(np.radians(angle)), distance * np.sin(np.radians(angle))


EIGHTHS, SIXTHS = range(0, 360, 45), range(0, 360, 60)
SETS = {
    "TB-1M": (
        _mixtures.TWO_BANANAS,
        (Frame("r", (0.5, -0.15), 90, radius=1), Frame("b", (-0.5, 0.15), -90, radius=1)),
    ),
    "SF-2M": (
        _mixtures.SMILING_FACE,
        (
            Frame("b", (-2.6, -0.15), 90, radius=1.95),
            Frame("r", (2.6, -0.15), 90, radius=1.95),
            Frame("g", (0.0, 0.2), -90, radius=2.55),
            Frame("k", (0.0, -1.0)),
        ),
    ),
    "CC-5M": (
        _mixtures.CONCENTRIC_CIRCLES,
        (Frame("r", radius=1.35), Frame("b", radius=0.85), Frame("g", radius=0.35)),
    ),
    "CG-10M": (
        _mixtures.CIRCLES_GAUSSIANS,
        (
            Frame("g", radius=1.2),
            Frame("y", radius=0.4),
            Frame("k"),
            *(Frame("rb"[a // 45 % 2], on_ray(a, 0.8), a) for a in EIGHTHS),
        ),
    ),
    "FL-20M": (
        _mixtures.FLOWER,
        (
            Frame("k"),
            *(Frame("gbr"[a // 60 % 3], on_ray(a, 0.6), a, half_length=0.4) for a in SIXTHS),
            *(Frame("brg"[a // 60 % 3], on_ray(a, 1.0), a, radius=0.4) for a in SIXTHS),
        ),
    ),
}


@cache
def figure_classes(name):
    """Return the figure's points of each class, as a list of arrays of shape (n, 2)."""
    table = np.loadtxt(REFERENCE, delimiter=",", skiprows=1, dtype=str)
    table = table[table[:, 0] == name]
    colors, points = table[:, 1], table[:, 2:].astype(float)
    _, frames = SETS[name]
    distances = [
        np.where(colors == frame.color, frame.distance(points), np.inf) for frame in frames
    ]
    nearest = np.argmin(distances, axis=0)
    return [points[nearest == k] for k in range(len(frames))]


def p_of_mean(a, b):
    error = np.sqrt(a.var() / a.size + b.var() / b.size)
    return 2 * stats.norm.sf(abs(a.mean() - b.mean()) / error)


def p_of_spread(a, b):
    error = np.sqrt(sum((stats.kurtosis(v, fisher=False) - 1) / (4 * v.size) for v in (a, b)))
    return 2 * stats.norm.sf(abs(np.log(a.std() / b.std())) / error)


def p_of_shape(a, b):
    return stats.ks_2samp(a, b, method="asymp").pvalue


def worst_p_of_classes(name, mixture):
    """Return, for each class, the smallest p-value of all tests in both coordinates."""
    X, y = sample_mixture(mixture, N_GENERATED, random_state=0, dtype=np.float64)
    worst = []
    for k, (frame, drawn) in enumerate(zip(SETS[name][1], figure_classes(name), strict=True)):
        pairs = zip(frame.coordinates(drawn).T, frame.coordinates(X[y == k]).T, strict=True)
        tests = (p_of_mean, p_of_spread, p_of_shape)
        worst.append(min(test(a, b) for a, b in pairs for test in tests))
    return np.array(worst)


def p_of_shares(name, mixture):
    """Return the p-value of the figure's class counts under the mixture's shares."""
    drawn = [len(points) for points in figure_classes(name)]
    shares = class_counts(mixture, 10**8) / 10**8
    return stats.chisquare(drawn, shares * sum(drawn)).pvalue


def changed(mixture, name, factor, only=None):
    """Return `mixture` with parameter `name` multiplied, in all components or in `only` one."""
    return tuple(
        replace(part, **{name: getattr(part, name) * factor})
        if hasattr(part, name) and only in (None, k)
        else part
        for k, part in enumerate(mixture)
    )


# The generators match the figure


def test_figure_has_the_known_counts():
    counts = {name: [len(points) for points in figure_classes(name)] for name in SETS}
    assert counts["TB-1M"] == [521, 479]
    assert counts["SF-2M"] == [605, 561, 737, 97]
    assert counts["CC-5M"] == [2657, 1646, 697]
    assert counts["CG-10M"] == [3024, 976, 668, 682, 630, 666, 688, 676, 643, 666, 681]
    assert counts["FL-20M"][0] == 378
    assert sum(counts["FL-20M"]) == 20_000


@pytest.mark.parametrize("name", SETS)
def test_shares_match_the_figure(name):
    assert p_of_shares(name, SETS[name][0]) > 0.01


@pytest.mark.parametrize("name", SETS)
def test_classes_match_the_figure(name):
    worst = worst_p_of_classes(name, SETS[name][0])
    assert (worst > WORST_P).all(), f"worst p-value of each class: {worst}"


# The comparison notices generators that are slightly wrong


@pytest.mark.parametrize("factor", [0.97, 1.03])
@pytest.mark.parametrize("name", SETS)
def test_wrong_radius_is_noticed(name, factor):
    assert worst_p_of_classes(name, changed(SETS[name][0], "radius", factor)).min() < WORST_P


@pytest.mark.parametrize("factor", [0.85, 1.15])
@pytest.mark.parametrize("name", SETS)
def test_wrong_noise_is_noticed(name, factor):
    assert worst_p_of_classes(name, changed(SETS[name][0], "noise", factor)).min() < WORST_P


@pytest.mark.parametrize("parameter", ["radius", "noise"])
@pytest.mark.parametrize(("name", "k"), [("CC-5M", 0), ("CC-5M", 1), ("CG-10M", 0), ("FL-20M", 9)])
def test_one_wrong_large_class_is_noticed_and_the_others_pass(name, k, parameter):
    factor = {"radius": 1.03, "noise": 1.15}[parameter]
    worst = worst_p_of_classes(name, changed(SETS[name][0], parameter, factor, only=k))
    assert worst[k] < WORST_P
    assert (np.delete(worst, k) > WORST_P).all()


@pytest.mark.parametrize(
    ("k", "parameter", "factor"), [(1, "start", 1.4), (1, "stop", 0.92), (7, "stop", 0.88)]
)
def test_wrong_end_of_a_spoke_or_petal_is_noticed(k, parameter, factor):
    worst = worst_p_of_classes("FL-20M", changed(_mixtures.FLOWER, parameter, factor, only=k))
    assert worst[k] < WORST_P


@pytest.mark.parametrize("name", [name for name in SETS if name != "TB-1M"])
def test_wrong_shares_are_noticed(name):
    mixture = SETS[name][0]
    shares = [part.share for part in mixture[1:]] + [mixture[0].share]
    moved = tuple(replace(part, share=s) for part, s in zip(mixture, shares, strict=True))
    assert p_of_shares(name, moved) < WORST_P
