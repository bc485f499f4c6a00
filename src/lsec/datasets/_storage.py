"""Find the files of the real data sets and check them; download and cache missing ones.

A data set is a file ``NAME.npz`` with the arrays ``X`` and ``y``. It is searched for in the
package, in the folder named by ``LSEC_DATA``, and in the cache folder, in this order.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias
from zipfile import BadZipFile

import numpy as np

from lsec.output.atomic import open_atomically
from lsec.typing import AnyArray

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

Arrays: TypeAlias = tuple[AnyArray, AnyArray]
Fetch: TypeAlias = Callable[[], Arrays]


@dataclass(frozen=True)
class RealDataset:
    """Description of a real data set."""

    name: str  # of the file, without ``.npz``
    title: str  # for people
    shape: tuple[int, int]
    feature_names: tuple[str, ...]
    target_names: tuple[str, ...]  # of the classes 0, 1, ...
    description: str  # origin, form and license
    fetch: Fetch | None = None  # downloads ``(X, y)``; None if it cannot be downloaded

    @property
    def file_name(self) -> str:
        """Name of the file that holds the data set."""
        return f"{self.name}.npz"

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.target_names)


def find_arrays(dataset: RealDataset, *, download_if_missing: bool) -> Arrays:
    """Return the arrays of a data set from the first place that has them.

    If none has, the data set is downloaded and cached. X has the dtype of the file; y is int64
    (n_samples,), from 0 to ``dataset.n_classes - 1``.
    """
    folders = [resources.files("lsec.datasets") / "bundled", cache_folder()]
    if named := os.environ.get("LSEC_DATA"):
        folders.insert(1, Path(named).expanduser())
    places = [folder / dataset.file_name for folder in folders]
    for place in places:
        if place.is_file():
            return _read(dataset, place)
    if dataset.fetch is None:
        raise _not_found(dataset, places, "it cannot be downloaded")
    if not download_if_missing:
        raise _not_found(dataset, places, "download_if_missing is False")
    try:
        X, y = dataset.fetch()
    except (OSError, ValueError) as error:
        raise _not_found(dataset, places, f"the download failed ({error})") from error
    X, y = _check(dataset, X, y, "the download")
    _cache(dataset, X, y)
    return X, y


def cache_folder() -> Path:
    """Return the folder for downloads: ``LSEC_CACHE``, by default ``~/.cache/lsec``."""
    return Path(os.environ.get("LSEC_CACHE") or Path.home() / ".cache" / "lsec").expanduser()


def _read(dataset: RealDataset, place: Traversable) -> Arrays:
    """Read and check the arrays of the file at `place`."""
    try:
        with place.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            X, y = archive["X"], archive["y"]
    except (KeyError, ValueError, EOFError, BadZipFile, TypeError) as error:
        raise ValueError(
            f"{dataset.title}: {place} must be a NumPy .npz archive with the arrays X and y; got "
            f"{error}. Replace the file or remove it."
        ) from error
    return _check(dataset, X, y, str(place))


def _check(dataset: RealDataset, X: AnyArray, y: AnyArray, origin: str) -> Arrays:
    """Return the arrays with int64 classes if they have the form of the data set."""
    if X.shape != dataset.shape or y.shape != dataset.shape[:1]:
        raise ValueError(
            f"{dataset.title}: {origin} must hold X of shape {dataset.shape} and y of shape "
            f"{dataset.shape[:1]}; got {X.shape} and {y.shape}. It may be another version of the "
            "data set: replace the file or remove it."
        )
    if y.dtype.kind not in "iu" or not np.array_equal(np.unique(y), np.arange(dataset.n_classes)):
        raise ValueError(
            f"{dataset.title}: y in {origin} must hold the integers 0 to {dataset.n_classes - 1}; "
            f"got {y.dtype} values {np.unique(y)[:12].tolist()}. Number the classes from 0."
        )
    return X, y.astype(np.int64, copy=False)


def _cache(dataset: RealDataset, X: AnyArray, y: AnyArray) -> None:
    """Write a downloaded data set to the cache."""
    path = cache_folder() / dataset.file_name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_atomically(path) as file:
            np.savez_compressed(file, X=X, y=y)
    except OSError as error:
        warnings.warn(
            f"{dataset.title} was downloaded but could not be kept in {path.parent} ({error}); "
            "it will be downloaded again. Set LSEC_CACHE to a folder that can be written.",
            stacklevel=5,
        )


def _not_found(dataset: RealDataset, places: list[Traversable], reason: str) -> FileNotFoundError:
    """Return the error for a data set that was not found."""
    rows, columns = dataset.shape
    return FileNotFoundError(
        f"{dataset.title} was not found and {reason}. Looked for "
        f"{', '.join(map(str, places[1:]))}. Set the environment variable LSEC_DATA to a folder "
        f"with a file {dataset.file_name} that holds the arrays X ({rows} x {columns}) and y "
        f"({rows} integers from 0 to {dataset.n_classes - 1})."
    )


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
