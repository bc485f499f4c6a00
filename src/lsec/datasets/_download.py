"""Download the real data sets that do not come with the package.

One function per data set; each returns ``(X, y)`` in the form of the files that
`lsec.datasets._storage` keeps: original values in the smallest fitting dtype, classes from 0.
"""

from __future__ import annotations

from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

Arrays = tuple[NDArray, NDArray]


def fetch_mnist() -> Arrays:
    """Download MNIST from OpenML: X (70000, 784) uint8 and y (70000,) int64."""
    X, y = _fetch_openml(554)
    return X.astype(np.uint8), y


def fetch_usps() -> Arrays:
    """Download the smoothed USPS digits from OpenML: X (9298, 256) float32, y (9298,) int64.

    OpenML numbers the digits from 1. The original images, whose values come in steps of 0.001,
    are refused: they are another version of the data set.
    """
    X, y = _fetch_openml(41082)
    steps = 2000.0 * X
    if np.allclose(steps, np.rint(steps), rtol=0.0, atol=1e-2):
        raise OSError("OpenML data set 41082 holds the original images, not the smoothed ones")
    return X.astype(np.float32), y - y.min()


def fetch_covertype() -> Arrays:
    """Download Covertype with scikit-learn: X (581012, 54) int16 and y (581012,) int64."""
    from sklearn.datasets import fetch_covtype

    with TemporaryDirectory() as folder:
        X, y = fetch_covtype(data_home=folder, return_X_y=True)
    return X.astype(np.int16), y.astype(np.int64) - 1


def _fetch_openml(data_id: int) -> Arrays:
    """Download a data set with integer class names from OpenML."""
    from sklearn.datasets import fetch_openml

    X, y = fetch_openml(
        data_id=data_id, as_frame=False, return_X_y=True, cache=False, parser="liac-arff"
    )
    return X, y.astype(np.float64).astype(np.int64)
