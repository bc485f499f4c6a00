"""Affinity of rows to their nearest landmarks (equation 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lsec.typing import Float32


class Affinity(NamedTuple):
    """Weights exp(-(rate d^2)^power) of a row for its nearest landmarks at distances d.

    Attributes
    ----------
    n_neighbors : int
        Landmarks with a weight, K.
    rate : float32
    power : int
        1 (Gaussian) or 2 (quartic).
    """

    n_neighbors: int
    rate: np.float32
    power: int


@dataclass(frozen=True)
class Kernel:
    """A family of affinities whose rate follows from distances.

    "gaussian" is the kernel of the paper, exp(-d^2 / (2 sigma^2)). "quartic" squares the
    distance once more, as the authors' program does: exp(-d^4 / (2 mean(d^2)^2)).

    Attributes
    ----------
    name : {"gaussian", "quartic"}
    power : int
    """

    name: str
    power: int

    def rate(self, squared: Float32) -> np.float32:
        """Rate for squared distances (n, K) of rows to their nearest landmarks.

        Gaussian: 1 / (2 sigma^2) with sigma the mean distance. Quartic: 1 / (sqrt(2) mean d^2),
        since the kernel squares rate * d^2.
        """
        values = squared.astype(np.float64)
        quartic = self.power == 2
        scale = np.sqrt(2) * values.mean() if quartic else 2 * np.sqrt(values).mean() ** 2
        return np.float32(1 / scale) if scale > 0 else np.float32(0)

    def affinity(self, squared: Float32) -> Affinity:
        """Affinity whose rate follows from squared distances (n, K)."""
        return Affinity(squared.shape[1], self.rate(squared), self.power)


KERNELS = {kernel.name: kernel for kernel in (Kernel("gaussian", 1), Kernel("quartic", 2))}
