"""Checks of single parameters; each error names the parameter, its value and the remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from numbers import Integral, Real
from reprlib import Repr
from typing import Any

import numpy as np

from lsec.typing import Float64, Int64

AUTO = "auto"
MOST_LANDMARKS = 16_384  # entries of the Gram matrices are numbered with 32 bits
MOST_COUNTED_ROWS = 2.0**33  # whose terms add up to entries of the Gram matrices in 64 bits
MOST_NEIGHBORS = 100  # a row adds K (K + 1) / 2 terms to a Gram matrix
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
LONGEST_MESSAGE = 300
LONGEST_VALUE = 60

_values = Repr()
_values.maxstring = _values.maxother = _values.maxlong = LONGEST_VALUE
quoted = _values.repr  # a value in a message; a long one without its middle


@contextmanager
def short_errors() -> Iterator[None]:
    """Take the middle out of errors of other libraries that quote all rows."""
    try:
        yield
    except ValueError as error:
        message = " ".join(str(error).split())
        if len(message) <= LONGEST_MESSAGE:
            raise
        kept = LONGEST_MESSAGE // 2 - 3
        raise ValueError(f"{message[:kept]} ... {message[-kept:]}") from None


def integer(
    name: str, value: Any, low: int, high: int | None = None, words: tuple[str | None, ...] = ()
) -> Any:
    """Return an integer in [low, high], or one of some words."""
    if (value is None or isinstance(value, str)) and value in words:
        return value
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if whole and low <= value <= (np.inf if high is None else high):
        return int(value)
    bounds = f"at least {low}" if high is None else f"between {low} and {high}"
    others = "".join(f" or {word!r}" for word in words)
    raise ValueError(f"{name} must be an integer {bounds}{others}; got {quoted(value)}.")


def positive(name: str, value: Any) -> float:
    """Return a finite number above zero."""
    valid = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    if not valid or not 0 < value < np.inf:
        raise ValueError(f"{name} must be a positive number; got {quoted(value)}.")
    return float(value)


def choice(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return one of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        listed = ", ".join(repr(word) for word in allowed)
        raise ValueError(f"{name} must be one of {listed}; got {quoted(value)}.")
    return value


def device(value: Any) -> str:
    """Return "cpu", "auto", "cuda", or "cuda:" and a number."""
    if not isinstance(value, str) or not re.fullmatch(r"cpu|auto|cuda(:\d{1,3})?", value):
        raise ValueError(
            f"device must be 'cpu', 'cuda', 'auto', or a GPU by its number such as 'cuda:1'; "
            f"got {quoted(value)}."
        )
    return value


def options(value: Any) -> dict[str, Any]:
    """Return the options of a consensus function; None stands for none."""
    if value is not None and not isinstance(value, dict):
        raise ValueError(
            f"consensus_options must be None or a dictionary, such as {{'linkage': 'single'}}; "
            f"got {quoted(value)}."
        )
    return {} if value is None else value


def noise(value: Any) -> tuple[str, float] | None:
    """Return "share" (of the rows) or "confidence" (at least) and a number, or None."""
    if value is None:
        return None
    kind, amount = "share", value
    if isinstance(value, (tuple, list)) and len(value) == 2 and value[0] == "confidence":
        kind, amount = value
    real = isinstance(amount, Real) and not isinstance(amount, (bool, np.bool_))
    if not real or not 0 <= amount < 1:
        raise ValueError(
            f"noise must be None, a share of the rows below 1 such as 0.05, or a minimum "
            f"confidence below 1 such as ('confidence', 0.5); got {quoted(value)}."
        )
    return kind, float(amount)


def boolean(name: str, value: Any) -> bool:
    """Return a truth value."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False; got {quoted(value)}.")
    return bool(value)


def ascending(name: str, value: Any, *, most: int) -> tuple[int, ...]:
    """Return one integer, or a strictly ascending sequence of at most `most`, as a tuple."""
    values = tuple(value) if isinstance(value, Iterable) else (value,)
    if not 1 <= len(values) <= most:
        raise ValueError(f"{name} must name 1 to {most} numbers of neighbors; got {quoted(value)}.")
    numbers = tuple(integer(f"every value of {name}", v, 1, MOST_NEIGHBORS) for v in values)
    if any(a >= b for a, b in pairwise(numbers)):
        raise ValueError(
            f"{name} must ascend, such as (2, 3, 4, 5, 6) or a single (5,); got {quoted(value)}."
        )
    return numbers


def bounds(name: str, value: Any) -> tuple[int, int] | None:
    """Return a pair of integers with 2 <= low <= high, or None for "auto"."""
    if isinstance(value, str) and value == AUTO:
        return None
    pair = tuple(value) if isinstance(value, Iterable) else ()
    if len(pair) != 2:
        raise ValueError(
            f"{name} must be 'auto' or a pair (low, high), such as (20, 60); got {quoted(value)}."
        )
    low = integer(f"the lower bound of {name}", pair[0], 2)
    return low, integer(f"the upper bound of {name}", pair[1], low)


def jobs(value: Any) -> int | None:
    """Return None (all cores), a number of threads, or a negative number counted from all cores."""
    if value is None:
        return None
    if not isinstance(value, Integral) or isinstance(value, bool) or value == 0:
        raise ValueError(
            f"n_jobs must be None (all cores), a positive number of threads, or negative "
            f"(-1: all cores, -2: all but one); got {quoted(value)}."
        )
    return int(value)


def memory_size(size: int | float | str) -> int:
    """Bytes of a `memory_limit`: a number or a string such as "512MiB"."""
    value = -1.0
    if isinstance(size, str):
        match = re.fullmatch(r"\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*([A-Za-z]*)\s*", size)
        if match:
            value = float(match[1]) * UNITS.get(match[2].upper(), -1)
    elif isinstance(size, (int, float)) and not isinstance(size, bool):
        value = float(size)
    if not 0 < value < float("inf"):
        raise ValueError(
            f"memory_limit must be a positive number of bytes or a string such as '512MiB' "
            f"or '2GiB'; got {quoted(size)}."
        )
    return int(value)


def verbosity(value: Any) -> int:
    """Return a level of verbosity, an integer of at least 0."""
    return int(value) if isinstance(value, bool) else integer("verbose", value, 0)


def seed(random_state: Any) -> np.random.SeedSequence:
    """Return the root of all random choices, from scikit-learn's `random_state`."""
    from sklearn.utils import check_random_state

    try:
        generator = check_random_state(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"random_state must be None, an integer from 0 to 2**32 - 1, or a "
            f"numpy.random.RandomState; got {quoted(random_state)}."
        ) from error
    words = generator.randint(0, 2**32, size=4, dtype=np.uint64)
    return np.random.SeedSequence([int(word) for word in words])


def whole_weights(value: Any, n_rows: int) -> Int64:
    """Return one whole number per row, int64 (n,), none negative and not all zero."""
    weights = sample_weight(value, n_rows)
    wrong = np.flatnonzero(weights != np.floor(weights))
    if wrong.size:
        raise ValueError(
            f"sample_weight must be whole numbers, the copies that a row stands for; got "
            f"{weights[wrong[0]]} for row {wrong[0]}. Multiply them by a number and round."
        )
    if weights.sum() >= MOST_COUNTED_ROWS:
        raise ValueError(
            f"sample_weight must add up to less than 2**33 rows; got {weights.sum():.3g}. Divide "
            f"the weights by a number and round."
        )
    return weights.astype(np.int64)


def sample_weight(value: Any, n_rows: int) -> Float64:
    """Return one weight per row, float64 (n,), none negative and not all zero."""
    try:
        weights = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must be numbers, one for every row: {error}.") from None
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have the shape ({n_rows},), a number for every row; "
            f"got {weights.shape}."
        )
    wrong = np.flatnonzero(~((weights >= 0) & (weights < np.inf)))
    if wrong.size:
        raise ValueError(
            f"sample_weight must be finite and not negative; got {weights[wrong[0]]} "
            f"for row {wrong[0]}."
        )
    if not weights.any():
        raise ValueError("sample_weight must not be zero for all rows; give some a weight above 0.")
    return weights
