"""The five synthetic data sets of the U-SPEC and LSEC papers, with any number of rows.

All are two-dimensional and have classes that k-means cannot find. They differ only in the
mixture they are drawn from (`lsec.datasets._mixtures`); `lsec.datasets._sampling` draws the rows.

References
----------
.. [1] D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai, C.-K. Kwoh, "Ultra-Scalable Spectral Clustering
   and Ensemble Clustering", IEEE TKDE 32(6), 2020.
.. [2] H. Li, X. Ye, A. Imakura, T. Sakurai, "LSEC: Large-scale Spectral Ensemble Clustering",
   Intelligent Data Analysis 27(1), 2023.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lsec.datasets import _mixtures
from lsec.datasets._sampling import PathLike, RandomState, sample_mixture
from lsec.docstrings import documented

Sample = tuple[NDArray[np.floating], NDArray[np.uint8]]

_maker = documented(
    shared="""\
Parameters
----------
n_samples : int
    Number of rows, at least 1; by default as many as in the papers. Every class gets its
    share of them rounded down, the largest class also the remainder, so the smallest
    classes may be empty when n_samples is below 100.
random_state : int, Generator, RandomState or None, default=None
    Source of randomness. With an integer, the rows depend on it, on n_samples and on dtype
    only. None draws different rows every time.
dtype : {float32, float64}, default=float32
    Type of X. The two types give different draws of the same distribution.
out : str or path, optional
    ``.npy`` file to which X is written block by block; by default X is in memory. The file
    appears under its name only when it is complete.

Returns
-------
X : ndarray of shape (n_samples, 2)
    The rows, in random order; a read-only memmap of the file if `out` is given. From a
    billion rows on, every run of 999,948,288 rows has the same share of each class.
y : ndarray of shape (n_samples,), uint8
    The class of each row.""",
)


@_maker
def make_two_bananas(
    n_samples: int = 1_000_000,
    *,
    random_state: RandomState = None,
    dtype: DTypeLike = np.float32,
    out: PathLike | None = None,
) -> Sample:
    """Make two interleaved half circles of equal size (TB).

    Class 0 is the upper arc, class 1 the lower. Their noise overlaps slightly: about 99.8 % of
    the rows can be told apart.

    {shared}

    Examples
    --------
    >>> from lsec.datasets import make_two_bananas
    >>> X, y = make_two_bananas(1000, random_state=0)
    >>> X.shape, X.dtype.name, [int((y == k).sum()) for k in range(2)]
    ((1000, 2), 'float32', [500, 500])
    """
    return sample_mixture(_mixtures.TWO_BANANAS, n_samples, random_state, dtype, out)


@_maker
def make_smiling_face(
    n_samples: int = 2_000_000,
    *,
    random_state: RandomState = None,
    dtype: DTypeLike = np.float32,
    out: PathLike | None = None,
) -> Sample:
    """Make a face of two arched eyes, a mouth and a nose (SF).

    Classes 0 and 1 are the left and the right eye (28.7 % each), 2 the mouth (37.6 %) and 3 the
    nose (5 %). The inner legs of the eyes overlap: about 98.9 % of the rows can be told apart.

    {shared}

    Examples
    --------
    >>> from lsec.datasets import make_smiling_face
    >>> X, y = make_smiling_face(1000, random_state=0)
    >>> [int((y == k).sum()) for k in range(4)]
    [287, 287, 376, 50]
    """
    return sample_mixture(_mixtures.SMILING_FACE, n_samples, random_state, dtype, out)


@_maker
def make_concentric_circles(
    n_samples: int = 5_000_000,
    *,
    random_state: RandomState = None,
    dtype: DTypeLike = np.float32,
    out: PathLike | None = None,
) -> Sample:
    """Make three concentric circles (CC).

    Classes 0, 1 and 2 are the outer, the middle and the inner circle (52.9 %, 33.3 % and
    13.7 %). They are practically separate.

    {shared}

    Examples
    --------
    >>> from lsec.datasets import make_concentric_circles
    >>> X, y = make_concentric_circles(1000, random_state=0)
    >>> [int((y == k).sum()) for k in range(3)]
    [530, 333, 137]
    """
    return sample_mixture(_mixtures.CONCENTRIC_CIRCLES, n_samples, random_state, dtype, out)


@_maker
def make_circles_gaussians(
    n_samples: int = 10_000_000,
    *,
    random_state: RandomState = None,
    dtype: DTypeLike = np.float32,
    out: PathLike | None = None,
) -> Sample:
    """Make two circles with nine Gaussians in and between them (CG).

    Class 0 is the outer circle (30 %), 1 the inner (10 %), 2 the Gaussian in the middle and
    3 to 10 the Gaussians between the circles, counterclockwise from the right (6.7 % each). About
    98.6 % of the rows can be told apart.

    {shared}

    Examples
    --------
    >>> from lsec.datasets import make_circles_gaussians
    >>> X, y = make_circles_gaussians(1500, random_state=0)
    >>> [int((y == k).sum()) for k in range(11)]
    [450, 150, 100, 100, 100, 100, 100, 100, 100, 100, 100]
    """
    return sample_mixture(_mixtures.CIRCLES_GAUSSIANS, n_samples, random_state, dtype, out)


@_maker
def make_flower(
    n_samples: int = 20_000_000,
    *,
    random_state: RandomState = None,
    dtype: DTypeLike = np.float32,
    out: PathLike | None = None,
) -> Sample:
    """Make a flower of a center, six spokes and six petals (FL).

    Class 0 is the center (2 %), 1 to 6 are the spokes (4.5 % each) and 7 to 12 the petals
    (11.8 % each), counterclockwise from the right. Each spoke ends inside its petal, and
    neighboring petals touch: about 99.7 % of the rows can be told apart.

    {shared}

    Examples
    --------
    >>> from lsec.datasets import make_flower
    >>> X, y = make_flower(1000, random_state=0)
    >>> [int((y == k).sum()) for k in range(13)]
    [20, 45, 45, 45, 45, 45, 45, 120, 118, 118, 118, 118, 118]
    """
    return sample_mixture(_mixtures.FLOWER, n_samples, random_state, dtype, out)
