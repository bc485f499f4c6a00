"""Parameters of an estimator as JSON, tuples and dictionaries marked as such."""

from __future__ import annotations

from math import isfinite
from numbers import Integral, Real
from reprlib import repr as short
from typing import Any

import numpy as np


def pack_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters as JSON values; a random state that is no number becomes None."""
    packed = {}
    for name, value in parameters.items():
        if name == "random_state" and not isinstance(value, Integral):
            value = None
        try:
            packed[name] = _pack(value)
        except ValueError as error:
            raise ValueError(
                f"{name}={short(value)} cannot be saved: {error}. Set it to numbers, strings, "
                f"tuples, lists or dictionaries of these, or None."
            ) from error
    return packed


def _pack(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and isfinite(value):
        return float(value)
    if isinstance(value, (tuple, range)):
        return {"tuple": [_pack(item) for item in value]}
    if isinstance(value, (list, np.ndarray)):
        return [_pack(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _pack(item) for key, item in value.items()}}
    raise ValueError(f"{type(value).__name__} {short(value)} has no place in a model file")


def unpack_parameters(packed: Any) -> dict[str, Any]:
    """The parameters that were packed."""
    if not isinstance(packed, dict):
        raise ValueError(f"parameters should be an object; got {short(packed)}")
    return {name: _unpack(value) for name, value in packed.items()}


def _unpack(value: Any) -> Any:
    if isinstance(value, list):
        return [_unpack(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind, content = next(iter(value.items()), (None, None))
    if len(value) == 1 and kind == "tuple" and isinstance(content, list):
        return tuple(_unpack(item) for item in content)
    if len(value) == 1 and kind == "dict" and isinstance(content, dict):
        return {key: _unpack(item) for key, item in content.items()}
    raise ValueError(f"parameters hold {short(value)}, neither a tuple nor a dictionary")
