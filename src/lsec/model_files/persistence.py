"""Save fitted estimators to files and load them again, without pickle."""

from __future__ import annotations

from importlib import import_module
from math import isfinite
from numbers import Integral
from os import PathLike
from pathlib import Path
from reprlib import repr as short
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np

from lsec.model_files.agreement import contradiction
from lsec.model_files.archive import DOCUMENT, read_archive, write_archive
from lsec.model_files.fields import Place, Whole, open_object, unpack_all
from lsec.model_files.fitted import SAVED
from lsec.output.atomic import open_atomically
from lsec.sources.stored import one_line
from lsec.typing import AnyArray

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

FORMAT = "lsec model"
VERSION = 6
KEYS: tuple[str, ...] = ("format", "version", "lsec", "estimator")
KEYS += ("parameters", "n_features", "feature_names", "fitted")
MOST_FEATURES = 2**40
MOST_SIGNS = 140  # of the description of a problem: damaged files hold texts of any length


class _OtherVersion(ValueError):
    """The file has a version of the format that this lsec does not read."""


def save(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted estimator to a file; see `RowsEstimator.save`."""
    name = type(model).__name__
    if name not in SAVED or type(model) is not _estimator(name):
        raise TypeError(f"Only {', '.join(SAVED)} can be saved; got {type(model)!r}.")
    model._check_parameters()
    if problem := contradiction(model):
        raise ValueError(f"{problem}: parameters have changed since. Fit again before saving.")
    arrays: list[AnyArray] = []
    names = getattr(model, "feature_names_in_", None)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "lsec": import_module("lsec").__version__,
        "estimator": name,
        "parameters": _pack_parameters(model.get_params(deep=False)),
        "n_features": int(model.n_features_in_),
        "feature_names": None if names is None else [str(name) for name in names],
        "fitted": {
            attribute: field.pack(getattr(model, attribute), arrays)
            for attribute, field in SAVED[name].fields.items()
        },
    }
    with open_atomically(Path(path)) as file:
        write_archive(file, document, arrays)


def load(path: str | PathLike[str]) -> Any:
    """Load an estimator that was saved with its `save` method.

    No code in the file is run: it holds numbers and names, and all of them are checked.

    Parameters
    ----------
    path : path
        A file of any name.

    Returns
    -------
    model : LSEC, USENC, EnsembleClustering, DnCSC, USPEC or LightKMeans
        Predicts as the saved model did. It has no `labels_`, `base_labels_` or `confidence_`,
        because a file holds nothing per row.

    Raises
    ------
    ValueError
        If the file is damaged, was not written by `save`, or was written by a version of lsec
        with another format.

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
            return _restore(*read_archive(file))
        except _OtherVersion as error:
            raise ValueError(f"{path} was written by {error}") from error
        except Exception as error:  # damaged and hostile bytes raise errors of many kinds
            problem = shorten(one_line(error) or type(error).__name__, MOST_SIGNS)
            raise ValueError(
                f"{path} is damaged or not a model that lsec saved: {problem}. Save the model "
                f"again, or fetch the file again."
            ) from error


def _estimator(name: str) -> type[BaseEstimator]:
    """Return the class of an estimator, which the package imports when first asked for it."""
    found: type[BaseEstimator] = getattr(import_module("lsec"), name)
    return found


def _restore(document: Any, arrays: dict[int, AnyArray]) -> BaseEstimator:
    """Return the estimator that a document and its arrays describe."""
    place = Place("", arrays, {})
    _check_format(document)
    open_object(document, KEYS, place.under(DOCUMENT))
    name = document["estimator"]
    if not isinstance(name, str) or name not in SAVED:
        raise ValueError(f"its estimator {short(name)} is not one of {', '.join(SAVED)}")
    model = _with_parameters(_estimator(name), document["parameters"])
    n_features = Whole(1, MOST_FEATURES).unpack(document["n_features"], place.under("n_features"))
    place.sizes["d"] = n_features
    inside = place.under("fitted")
    fit = unpack_all(SAVED[name].fields, document["fitted"], inside)
    inside.require(not arrays, f"does not use array {min(arrays, default=0)}")
    fit |= SAVED[name].derive(inside, fit)
    fit["n_features_in_"] = n_features
    if document["feature_names"] is not None:
        fit["feature_names_in_"] = _feature_names(document["feature_names"], n_features)
    vars(model).update(fit)
    if problem := contradiction(model):
        raise ValueError(problem)
    return model


def _check_format(document: Any) -> None:
    """Check the name and the version of the format, on which all else depends."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"{DOCUMENT} does not say that its format is {FORMAT!r}")
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise ValueError(f"its format version is {short(version)}")
    if version != VERSION:
        age, remedy = "a newer", "Upgrade lsec."
        if version < VERSION:
            age, remedy = "an older", "Fit the model again and save it."
        raise _OtherVersion(
            f"{age} lsec ({short(document.get('lsec'))}) in format {version}; this one reads "
            f"format {VERSION}. {remedy}"
        )


def _with_parameters(estimator: type[BaseEstimator], packed: Any) -> BaseEstimator:
    """Return an estimator with the saved parameters, and defaults for those not saved."""
    if not isinstance(packed, dict):
        raise ValueError(f"parameters should be an object; got {short(packed)}")
    known = estimator._get_param_names()
    for name in packed:
        if name not in known:
            raise ValueError(f"{estimator.__name__} has no parameter {short(name)}")
    model: Any = estimator(**{name: _unpack(value) for name, value in packed.items()})
    model._check_parameters()
    return model


def _feature_names(names: Any, n_features: int) -> AnyArray:
    strings = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not strings or len(names) != n_features:
        raise ValueError(f"its feature names are not {n_features} strings")
    return np.array(names, dtype=object)


def _pack_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON values; a random state that is not a number becomes None."""
    packed = {}
    for name, value in parameters.items():
        random = name == "random_state" and not isinstance(value, Integral)
        try:
            packed[name] = None if random else _pack(value)
        except ValueError as error:
            raise ValueError(
                f"{name}={short(value)} cannot be saved: {error}. Set it to numbers, strings, "
                f"tuples, lists or dictionaries of these, or None."
            ) from error
    return packed


def _pack(value: Any) -> Any:
    """Return a value of a parameter as JSON, with tuples and dictionaries marked as such."""
    if isinstance(value, np.generic):
        value = value.item()
    finite = isinstance(value, float) and isfinite(value)
    if finite or value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (tuple, range)):
        return {"tuple": [_pack(item) for item in value]}
    if isinstance(value, (list, np.ndarray)):
        return [_pack(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _pack(item) for key, item in value.items()}}
    raise ValueError(f"{type(value).__name__} {short(value)} has no place in a model file")


def _unpack(value: Any) -> Any:
    """Return the value that `_pack` packed."""
    if isinstance(value, list):
        return [_unpack(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"tuple": list(items)} if len(value) == 1:
            return tuple(map(_unpack, items))
        case {"dict": dict(items)} if len(value) == 1:
            return {key: _unpack(item) for key, item in items.items()}
    raise ValueError(f"parameters hold {short(value)}, neither a tuple nor a dictionary")
