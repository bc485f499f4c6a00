"""Rates of affinities follow from distances (equation 3)."""

import numpy as np
import pytest

from lsec.spectral.affinity import KERNELS

SQUARED = np.array([[1.0, 4.0, 9.0], [0.0, 1.0, 16.0]], np.float32)


def test_gaussian_bandwidth_is_the_mean_distance():
    sigma = (1 + 2 + 3 + 0 + 1 + 4) / 6
    affinity = KERNELS["gaussian"].affinity(SQUARED)
    assert affinity == (3, pytest.approx(1 / (2 * sigma**2)), 1)


def test_quartic_bandwidth_is_the_mean_squared_distance():
    mean = (1 + 4 + 9 + 0 + 1 + 16) / 6
    affinity = KERNELS["quartic"].affinity(SQUARED)
    assert affinity == (3, pytest.approx(1 / (np.sqrt(2) * mean)), 2)
    # exp(-(rate d^2)^2) = exp(-d^4 / (2 mean^2))
    assert (affinity.rate * 9) ** 2 == pytest.approx(81 / (2 * mean**2))


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_rows_that_are_landmarks_have_the_rate_zero(kernel):
    assert kernel.affinity(np.zeros((4, 1), np.float32)) == (1, 0, kernel.power)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_rates_follow_the_scale_of_the_data(kernel):
    assert kernel.rate(SQUARED * 4) == kernel.rate(SQUARED) / 4
