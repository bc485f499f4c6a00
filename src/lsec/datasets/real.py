"""The five real data sets of the LSEC paper.

Values are those of the source: nothing is scaled or shuffled. The description of each set cites its
origin; `lsec.datasets._storage` finds the files.
"""

from __future__ import annotations

from dataclasses import replace
from string import ascii_uppercase
from typing import TYPE_CHECKING

from lsec import checks
from lsec.datasets._storage import (
    Arrays,
    Fetch,
    RealDataset,
    fetch_covertype,
    fetch_mnist,
    fetch_usps,
    find_arrays,
)
from lsec.docstrings import documented

if TYPE_CHECKING:
    from sklearn.utils import Bunch


_DIGITS = tuple("0123456789")


def _images(
    name: str, title: str, n_images: int, side: int, description: str, fetch: Fetch
) -> RealDataset:
    """Describe square images of digits, whose columns are the pixels row by row."""
    pixels = tuple(f"pixel_{row}_{column}" for row in range(side) for column in range(side))
    return RealDataset(name, title, (n_images, side**2), pixels, _DIGITS, description, fetch)


_PENDIGITS = RealDataset(
    name="pendigits",
    title="PenDigits",
    shape=(10_992, 16),
    feature_names=tuple(f"{axis}{point}" for point in range(1, 9) for axis in "xy"),
    target_names=_DIGITS,
    description=(
        "Pen-Based Recognition of Handwritten Digits, E. Alpaydin and F. Alimoglu (1996), UCI "
        "Machine Learning Repository, doi 10.24432/C5MG6K, CC BY 4.0. Eight points along the "
        "pen's path, coordinates 0 to 100; the training and the test part together."
    ),
)

_LETTER_FEATURES = (
    "x_box y_box width height on_pixels x_bar y_bar x2_bar y2_bar xy_bar x2y_bar xy2_bar "
    "x_edge x_edge_y y_edge y_edge_x"
)
_LETTER_RECOGNITION = RealDataset(
    name="letters",
    title="Letters",
    shape=(20_000, 16),
    feature_names=tuple(_LETTER_FEATURES.split()),
    target_names=tuple(ascii_uppercase),
    description=(
        "Letter Recognition, D. Slate (1991), UCI Machine Learning Repository, doi "
        "10.24432/C5ZP40, CC BY 4.0. Sixteen moments and edge counts of printed capital letters, "
        "integers 0 to 15."
    ),
)

_USPS_ORIGIN = (
    "USPS handwritten digits, J. J. Hull, IEEE TPAMI 16(5), 1994; no explicit license is known. "
)
_SMOOTHED = _images(
    "usps",
    "USPS (smoothed)",
    9_298,
    16,
    _USPS_ORIGIN
    + "16 x 16 images of the original set after a Gaussian filter, values about -1 to 1.",
    fetch_usps,
)
_USPS = {
    "smoothed": _SMOOTHED,
    "original": replace(
        _SMOOTHED,
        name="usps_esl",
        title="USPS (original)",
        fetch=None,
        description=_USPS_ORIGIN
        + "16 x 16 images, values -1 to 1 in steps of 0.001; 7,291 training rows, then 2,007 test "
        "rows. Known as zip.train and zip.test of the book The Elements of Statistical Learning.",
    ),
    "balanced": RealDataset(
        name="usps11k",
        title="USPS (balanced)",
        shape=(11_000, 256),
        feature_names=tuple(f"pixel_{row}_{column}" for column in range(16) for row in range(16)),
        target_names=(*_DIGITS[1:], "0"),
        description=_USPS_ORIGIN
        + "Another collection, 1,100 images per class sorted by class, values 0 to 255, stored "
        "column by column; class 0 is the digit 1 and class 9 the digit 0.",
    ),
}

_MNIST = _images(
    "mnist",
    "MNIST",
    70_000,
    28,
    "MNIST handwritten digits, Y. LeCun, C. Cortes and C. Burges, usually cited as CC BY-SA "
    "3.0. 28 x 28 images, values 0 to 255; 60,000 training rows, then 10,000 test rows.",
    fetch_mnist,
)

_COVERTYPE_FEATURES = (
    "elevation aspect slope horizontal_distance_to_hydrology vertical_distance_to_hydrology "
    "horizontal_distance_to_roadways hillshade_9am hillshade_noon hillshade_3pm "
    "horizontal_distance_to_fire_points"
)
_COVERTYPE_CLASSES = (
    "spruce/fir, lodgepole pine, ponderosa pine, cottonwood/willow, aspen, douglas-fir, krummholz"
)
_COVERTYPE = RealDataset(
    name="covertype",
    title="Covertype",
    shape=(581_012, 54),
    feature_names=(
        *_COVERTYPE_FEATURES.split(),
        *(f"wilderness_area_{i}" for i in range(1, 5)),
        *(f"soil_type_{i}" for i in range(1, 41)),
    ),
    target_names=tuple(_COVERTYPE_CLASSES.split(", ")),
    description=(
        "Covertype, copyright Jock A. Blackard and Colorado State University, UCI Machine "
        "Learning Repository, doi 10.24432/C50K5N, CC BY 4.0. Ten measurements of 30 x 30 m "
        "cells, unscaled, then 44 columns of 0 and 1."
    ),
    fetch=fetch_covertype,
)


_loader = documented(
    """
return_X_y : bool, default=False
    Return ``(data, target)`` instead of a Bunch.
download_if_missing : bool, default=True
    Download the data set when no file is found; otherwise raise an error.
""",
    returns="""
Returns
-------
dataset : Bunch
    With ``data``, an array of shape (n_samples, n_features); ``target``, an int64 array of
    shape (n_samples,); ``feature_names``; ``target_names``; ``n_classes``; and ``DESCR``.""",
)


@_loader
def load_pendigits(*, return_X_y: bool = False) -> Bunch | Arrays:
    """Load PenDigits: 10,992 handwritten digits as pen paths, 16 features, 10 classes.

    ``data`` is a uint8 array of shape (10992, 16). The data set comes with the package.

    Parameters
    ----------
    {return_X_y, returns}

    Examples
    --------
    >>> from lsec.datasets import load_pendigits
    >>> X, y = load_pendigits(return_X_y=True)
    >>> X.shape, int(y.max())
    ((10992, 16), 9)
    """
    return _load(_PENDIGITS, return_X_y=return_X_y)


@_loader
def load_letters(*, return_X_y: bool = False) -> Bunch | Arrays:
    """Load Letters: 20,000 printed capital letters, 16 features, 26 classes.

    ``data`` is a uint8 array of shape (20000, 16); classes are 0 for A to 25 for Z. The data set
    comes with the package.

    Parameters
    ----------
    {return_X_y, returns}

    Examples
    --------
    >>> from lsec.datasets import load_letters
    >>> letters = load_letters()
    >>> letters.data.shape, letters.target_names[letters.target[0]]
    ((20000, 16), 'T')
    """
    return _load(_LETTER_RECOGNITION, return_X_y=return_X_y)


@_loader
def load_usps(
    *, version: str = "smoothed", return_X_y: bool = False, download_if_missing: bool = True
) -> Bunch | Arrays:
    """Load USPS: handwritten digits as 16 × 16 images, 256 features, 10 classes.

    ``data`` is a float32 array of shape (9298, 256) from -1 to 1, or a uint8 array of shape
    (11000, 256) from 0 to 255. Three data sets go by this name, and scores on them cannot be
    compared with each other.

    Parameters
    ----------
    version : {"smoothed", "original", "balanced"}, default="smoothed"
        "smoothed" and "original" are the same 9,298 images, with and without a Gaussian filter
        and in a different order (files ``usps.npz`` and ``usps_esl.npz``). "balanced" is another
        collection of 1,100 images per class (``usps11k.npz``). Only "smoothed" can be downloaded
        (from OpenML, in OpenML's order of rows). Use "smoothed" to compare with the LSEC paper,
        "balanced" with the U-SENC paper.
    {return_X_y, download_if_missing, returns}

    Examples
    --------
    >>> from lsec.datasets import load_usps
    >>> X, y = load_usps(return_X_y=True)  # doctest: +SKIP
    >>> X.shape, int(y.max())  # doctest: +SKIP
    ((9298, 256), 9)
    """
    checks.choice("version", version, tuple(_USPS))
    return _load(_USPS[version], return_X_y=return_X_y, download_if_missing=download_if_missing)


@_loader
def load_mnist(*, return_X_y: bool = False, download_if_missing: bool = True) -> Bunch | Arrays:
    """Load MNIST: 70,000 handwritten digits as 28 × 28 images, 784 features, 10 classes.

    ``data`` is a uint8 array of shape (70000, 784). The data set is downloaded from OpenML.

    Parameters
    ----------
    {return_X_y, download_if_missing, returns}

    Examples
    --------
    >>> from lsec.datasets import load_mnist
    >>> X, y = load_mnist(return_X_y=True)  # doctest: +SKIP
    >>> X.shape, int(y.max())  # doctest: +SKIP
    ((70000, 784), 9)
    """
    return _load(_MNIST, return_X_y=return_X_y, download_if_missing=download_if_missing)


@_loader
def load_covertype(*, return_X_y: bool = False, download_if_missing: bool = True) -> Bunch | Arrays:
    """Load Covertype: 581,012 forest cells, 54 features, 7 classes.

    ``data`` is an int16 array of shape (581012, 54). The data set is downloaded with
    scikit-learn.

    Parameters
    ----------
    {return_X_y, download_if_missing, returns}

    Examples
    --------
    >>> from lsec.datasets import load_covertype
    >>> X, y = load_covertype(return_X_y=True)  # doctest: +SKIP
    >>> X.shape, int(y.max())  # doctest: +SKIP
    ((581012, 54), 6)
    """
    return _load(_COVERTYPE, return_X_y=return_X_y, download_if_missing=download_if_missing)


def _load(
    dataset: RealDataset, *, return_X_y: bool, download_if_missing: bool = True
) -> Bunch | Arrays:
    """Return a data set as a Bunch, or as ``(data, target)``."""
    X, y = find_arrays(dataset, download_if_missing=download_if_missing)
    if return_X_y:
        return X, y

    from sklearn.utils import Bunch

    return Bunch(
        data=X,
        target=y,
        feature_names=list(dataset.feature_names),
        target_names=list(dataset.target_names),
        n_classes=dataset.n_classes,
        DESCR=dataset.description,
    )
