"""Clusters named by the classes they match, so that both have the same colors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from lsec.metrics import contingency_table


def match_clusters(y: NDArray, labels: NDArray) -> NDArray[np.intp]:
    """Rename clusters by the classes they share most rows with, one to one.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Classes.
    labels : ndarray of shape (n_samples,)
        Clusters.

    Returns
    -------
    matched : ndarray of shape (n_samples,)
        Position of the matching class; clusters without one get the numbers that follow.

    Examples
    --------
    >>> import numpy as np
    >>> match_clusters(np.array([0, 0, 1, 1]), np.array([7, 7, 7, 3]))
    array([0, 0, 0, 1])
    """
    table = contingency_table(y, labels)
    classes, clusters = linear_sum_assignment(table, maximize=True)
    names = np.full(table.shape[1], -1)
    names[clusters] = classes
    without = np.flatnonzero(names < 0)
    names[without] = table.shape[0] + np.arange(len(without))
    return names[np.unique(labels, return_inverse=True)[1]]
