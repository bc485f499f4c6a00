"""Kinds of values in a model file: how each is written, and what it must be when read.

A field packs a value into JSON, with arrays put aside and referred to by number, and unpacks
it again. Unpacking trusts nothing: types, shapes and ranges are checked, and a `ValueError`
names the place in the document and what is wrong there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from reprlib import repr as short
from typing import Any, Protocol

import numpy as np

ANY = "any"  # an axis of any length


@dataclass(frozen=True)
class Place:
    """Where in the document a value stands.

    Attributes
    ----------
    name : str
        As it appears in messages, such as "fitted.ensemble.frame".
    arrays : dict
        Arrays of the file by number; an array is taken out when it is used.
    sizes : dict
        Lengths of the named axes, each known from the first array that has it.
    """

    name: str
    arrays: dict[int, np.ndarray]
    sizes: dict[str, int]

    def under(self, name: str) -> Place:
        """A value inside this one."""
        return replace(self, name=f"{self.name}{name}")

    def scope(self) -> Place:
        """The same place, where new axes may be named without telling anyone outside."""
        return replace(self, sizes=dict(self.sizes))

    def require(self, condition: bool | np.bool_, problem: str) -> None:
        """Raise a ValueError that tells the problem unless the condition holds."""
        if not condition:
            raise ValueError(f"{self.name} {problem}")


class Field(Protocol):
    """A kind of value."""

    def pack(self, value: Any, arrays: list[np.ndarray]) -> Any:
        """The value as JSON; its arrays are appended to `arrays`."""

    def unpack(self, data: Any, place: Place) -> Any:
        """The value that was packed."""


@dataclass(frozen=True)
class Array:
    """An array of finite numbers.

    Attributes
    ----------
    dtypes : str
        Names of the types it may have.
    shape : tuple of str
        Names of its axes, none of them empty. Axes with the same name are equally long.
    low, high : float
        Bounds on its values.
    below : str, optional
        An axis into which the values are positions.
    """

    dtypes: str
    shape: tuple[str, ...]
    low: float = -np.inf
    high: float = np.inf
    below: str | None = None

    def pack(self, value: np.ndarray, arrays: list[np.ndarray]) -> dict[str, int]:
        """A reference to the array."""
        arrays.append(np.ascontiguousarray(value))
        return {"array": len(arrays) - 1}

    def unpack(self, data: Any, place: Place) -> np.ndarray:
        """The array, checked."""
        number = data.get("array", -1) if isinstance(data, dict) and len(data) == 1 else -1
        place.require(type(number) is int and number >= 0, f"should be an array; got {short(data)}")
        place.require(number in place.arrays, f"needs array {number}, missing or used already")
        array = place.arrays.pop(number)
        allowed = self.dtypes.split()
        place.require(
            array.dtype.name in allowed, f"should be {' or '.join(allowed)}; got {array.dtype.name}"
        )
        self._check_shape(array.shape, place)
        self._check_values(array, place)
        return np.ascontiguousarray(array)

    def _check_shape(self, shape: tuple[int, ...], place: Place) -> None:
        fits = len(shape) == len(self.shape) and all(shape)
        for axis, size in zip(self.shape, shape, strict=False):
            known = size if axis == ANY else place.sizes.setdefault(axis, size)
            fits = fits and size == known
        expected = ", ".join(str(place.sizes.get(axis, axis)) for axis in self.shape)
        place.require(fits, f"should have the shape ({expected}); got {shape}")

    def _check_values(self, array: np.ndarray, place: Place) -> None:
        if array.dtype.kind == "f":
            place.require(np.isfinite(array).all(), "holds NaN or infinity")
        high = self.high if self.below is None else place.sizes[self.below] - 1
        least, most = array.min(), array.max()
        place.require(
            self.low <= least and most <= high,
            f"should lie between {self.low} and {high}; got {least} to {most}",
        )


@dataclass(frozen=True)
class Whole:
    """A whole number in [low, high]; `high` may be the name of an axis."""

    low: int
    high: int | str

    def pack(self, value: Any, arrays: list[np.ndarray]) -> int:
        """A number."""
        return int(value)

    def unpack(self, data: Any, place: Place) -> int:
        """The number, checked."""
        high = place.sizes[self.high] if isinstance(self.high, str) else self.high
        place.require(
            type(data) is int and self.low <= data <= high,
            f"should be a whole number between {self.low} and {high}; got {short(data)}",
        )
        return data


@dataclass(frozen=True)
class Real:
    """A finite number, not negative."""

    def pack(self, value: Any, arrays: list[np.ndarray]) -> float:
        """A number."""
        return float(value)

    def unpack(self, data: Any, place: Place) -> float:
        """The number, checked."""
        valid = type(data) is float and isfinite(data) and data >= 0
        place.require(valid, f"should be a number, not negative; got {short(data)}")
        return data


@dataclass(frozen=True)
class Choice:
    """One of some words or truth values."""

    allowed: tuple[str | bool, ...]

    def pack(self, value: Any, arrays: list[np.ndarray]) -> str | bool:
        """The word."""
        return value

    def unpack(self, data: Any, place: Place) -> str | bool:
        """The word, checked."""
        valid = isinstance(data, (str, bool)) and data in self.allowed
        place.require(valid, f"should be one of {self.allowed}; got {short(data)}")
        return data


FLAG = Choice((False, True))


@dataclass(frozen=True)
class Maybe:
    """A value or None."""

    of: Field

    def pack(self, value: Any, arrays: list[np.ndarray]) -> Any:
        """None as it is."""
        return None if value is None else self.of.pack(value, arrays)

    def unpack(self, data: Any, place: Place) -> Any:
        """None or the value, checked."""
        return None if data is None else self.of.unpack(data, place)


@dataclass(frozen=True)
class ListOf:
    """One or more values of a kind."""

    of: Field

    def pack(self, value: list[Any], arrays: list[np.ndarray]) -> list[Any]:
        """A list."""
        return [self.of.pack(item, arrays) for item in value]

    def unpack(self, data: Any, place: Place) -> list[Any]:
        """The list, every value checked."""
        place.require(isinstance(data, list) and len(data) > 0, "should be a list, not empty")
        return [self.of.unpack(item, place.under(f"[{i}]")) for i, item in enumerate(data)]
