"""How a case ends, and checks that every area uses."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

WORKED, REFUSED = "worked", "refused"
DIED, HUNG, FOREIGN, WRONG = "died", "hung", "foreign error", "wrong"
LONGEST_MESSAGE = 350  # about 300, and the path of a file


class Broken(Exception):
    """A promise that a case found broken."""


def require(condition: Any, promise: str) -> None:
    """Raise `Broken` with the promise unless it was kept."""
    if not condition:
        raise Broken(promise)


@contextmanager
def no_numeric_warnings() -> Iterator[None]:
    """Turn warnings from inside NumPy into errors; those for users are not shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        yield


def accepted(function: Callable[[], Any], *errors: type[Exception], names: str = "") -> Any:
    """The result of a function, or None if it refused its input with one of the errors.

    The message must be short and must hold `names`, such as the name of a file.
    """
    try:
        with no_numeric_warnings():
            return function()
    except errors as error:
        message = str(error)
        require(message, f"a {type(error).__name__} says nothing")
        require(names in message, f"an error does not name {names}: {message[:200]}")
        too_long = f"a message of {len(message)} characters: {message[:200]}"
        require(len(message) <= LONGEST_MESSAGE, too_long)
        return None


def check_labels(labels: Any, n_rows: int, n_clusters: int, noise: bool = False) -> None:
    """Labels are int32, one per row, from 0 to k - 1; -1 only where noise was asked for."""
    require(isinstance(labels, np.ndarray), "labels are no array")
    require(labels.dtype == np.int32, f"labels have the type {labels.dtype}")
    require(labels.shape == (n_rows,), f"labels have the shape {labels.shape}")
    least = -1 if noise else 0
    inside = least <= labels.min() and labels.max() < n_clusters
    require(inside, f"labels from {labels.min()} to {labels.max()} of {n_clusters} clusters")
