"""Save fitted estimators to files, and load them again, without pickle."""

from __future__ import annotations

import struct
from importlib import import_module
from os import PathLike
from pathlib import Path
from reprlib import repr as short
from typing import Any
from zipfile import BadZipFile

import numpy as np

from lsec.model_files.fields import Place, Whole
from lsec.model_files.fitted import KEPT
from lsec.model_files.members import DOCUMENT, read_members, write_members
from lsec.model_files.parameters import pack_parameters, unpack_parameters
from lsec.model_files.record import open_object, unpack_all
from lsec.output.atomic import open_atomically

FORMAT = "lsec model"
VERSION = 1
KEYS = (
    "format",
    "version",
    "lsec",
    "estimator",
    "parameters",
    "n_features",
    "feature_names",
    "fitted",
)
MOST_FEATURES = 2**40
# What reading damaged or hostile bytes can end in.
DAMAGE = (
    ArithmeticError,
    BadZipFile,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
)


class _NewerFormat(ValueError):
    """A file that only a later version can read."""


def save(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted estimator to a file; see `RowsEstimator.save`."""
    name = _name_of(type(model))
    model._check_parameters()
    arrays: list[np.ndarray] = []
    names = getattr(model, "feature_names_in_", None)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "lsec": import_module("lsec").__version__,
        "estimator": name,
        "parameters": pack_parameters(model.get_params(deep=False)),
        "n_features": int(model.n_features_in_),
        "feature_names": None if names is None else [str(name) for name in names],
        "fitted": {
            attribute: kind.pack(getattr(model, attribute), arrays)
            for attribute, kind in KEPT[name].fields.items()
        },
    }
    with open_atomically(Path(path)) as file:
        write_members(file, document, arrays)


def _name_of(kind: type) -> str:
    """The name of an estimator that can be saved; a class derived from one cannot."""
    name = kind.__name__
    if name not in KEPT or kind is not KEPT[name].estimator(name):
        raise TypeError(f"Only {', '.join(KEPT)} can be saved; got {kind!r}.")
    return name


def load(path):
    """Load an estimator that was saved with its `save` method.

    Nothing in the file is run: it holds numbers and names, and all of them are checked.

    Parameters
    ----------
    path : path
        A file of any name.

    Returns
    -------
    model : LSEC, USENC, EnsembleClustering, DnCSC, USPEC or LightKMeans
        Predicts as the saved one did. `labels_`, `base_labels_` and `confidence_` are not
        there: a file holds nothing per row.

    Raises
    ------
    ValueError
        If the file is damaged, was not written by `save`, or needs a newer lsec.

    Examples
    --------
    >>> import numpy as np, tempfile, lsec
    >>> X = np.random.default_rng(0).random((500, 2))
    >>> model = lsec.LightKMeans(n_clusters=3, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/m.lsec")
    ...     loaded = lsec.load(f"{folder}/m.lsec")
    >>> bool((loaded.predict(X) == model.labels_).all())
    True
    """
    path = Path(path)
    with open(path, "rb") as file:
        try:
            return _restore(*read_members(file))
        except _NewerFormat as error:
            raise ValueError(f"{path} was written by {error}") from error
        except DAMAGE as error:
            problem = str(error) or type(error).__name__
            raise ValueError(
                f"{path} is damaged or not a model that lsec saved: {problem}. Save the model "
                f"again, or fetch the file again."
            ) from error


def _restore(document: Any, arrays: dict[int, np.ndarray]) -> Any:
    """The estimator that a document and its arrays describe."""
    place = Place("", arrays, {})
    _check_format(document)
    open_object(document, KEYS, place.under(DOCUMENT))
    name = document["estimator"]
    if not isinstance(name, str) or name not in KEPT:
        raise ValueError(f"its estimator {short(name)} is not one of {', '.join(KEPT)}")
    kept = KEPT[name]
    model = _with_parameters(kept.estimator(name), document["parameters"])
    n_features = Whole(1, MOST_FEATURES).unpack(document["n_features"], place.under("n_features"))
    place.sizes["d"] = n_features
    inside = place.under("fitted")
    fit = unpack_all(kept.fields, document["fitted"], inside)
    inside.require(not arrays, f"does not use array {min(arrays, default=0)}")
    fit |= kept.follow(inside, fit)
    fit["n_features_in_"] = n_features
    if document["feature_names"] is not None:
        fit["feature_names_in_"] = _feature_names(document["feature_names"], n_features)
    vars(model).update(fit)
    return model


def _check_format(document: Any) -> None:
    """The name and the version of the format come first: all else may change with it."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"{DOCUMENT} does not say that its format is {FORMAT!r}")
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise ValueError(f"its format version is {short(version)}")
    if version > VERSION:
        raise _NewerFormat(
            f"a newer lsec ({short(document.get('lsec'))}) in format {version}; this one reads "
            f"format {VERSION}. Upgrade lsec."
        )


def _with_parameters(estimator: type, packed: Any) -> Any:
    """An estimator with the saved parameters; those that were not saved have their defaults."""
    parameters = unpack_parameters(packed)
    known = estimator._get_param_names()  # type: ignore[attr-defined]
    for name in parameters:
        if name not in known:
            raise ValueError(f"{estimator.__name__} has no parameter {short(name)}")
    model = estimator(**parameters)
    model._check_parameters()
    return model


def _feature_names(names: Any, n_features: int) -> np.ndarray:
    strings = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not strings or len(names) != n_features:
        raise ValueError(f"its feature names are not {n_features} strings")
    return np.array(names, dtype=object)
