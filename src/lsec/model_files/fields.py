"""Kinds of values in a model file: how each is written, and how it is checked when read.

A field packs a value as JSON, with its arrays in a list apart to which the JSON refers by
number, and unpacks it again. Unpacking trusts nothing: types, shapes and ranges are checked,
and a `ValueError` names the place in the document and the problem.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from reprlib import repr as short
from typing import Any

import numpy as np

from lsec.typing import AnyArray

ANY = "any"  # an axis of any length


@dataclass(frozen=True)
class Place:
    """The place of a value in the document."""

    name: str  # for messages, such as "fitted._ensemble.frame"
    arrays: dict[int, AnyArray]  # of the file, by number; an array is removed when it is used
    sizes: dict[str, int]  # of the named axes; the first array with an axis sets its length

    def under(self, name: str) -> Place:
        """Return the place of a value inside this one."""
        return replace(self, name=f"{self.name}{name}")

    def require(self, condition: bool | np.bool_, problem: str) -> None:
        """Raise a ValueError with the problem unless the condition holds."""
        if not condition:
            raise ValueError(f"{self.name} {problem}")


class Field(ABC):
    """A kind of value."""

    def pack(self, value: Any, arrays: list[AnyArray]) -> Any:
        """Return the value as JSON, and append its arrays to `arrays`."""
        return value.item() if isinstance(value, np.generic) else value

    @abstractmethod
    def unpack(self, data: Any, place: Place) -> Any:
        """Return the value that was packed; raise a ValueError if it is not valid."""


@dataclass(frozen=True)
class Array(Field):
    """An array of finite numbers, not empty, with values in [low, high]."""

    dtypes: str  # names of the allowed types
    shape: tuple[str, ...]  # names of the axes; axes of the same name have the same length
    low: float = -np.inf
    high: float = np.inf
    below: str | None = None  # name of an axis; the values are positions along it

    def pack(self, value: AnyArray, arrays: list[AnyArray]) -> dict[str, int]:
        """Return a reference to the array."""
        arrays.append(np.ascontiguousarray(value))
        return {"array": len(arrays) - 1}

    def unpack(self, data: Any, place: Place) -> AnyArray:
        """Return the array, checked."""
        number = data.get("array", -1) if isinstance(data, dict) and len(data) == 1 else -1
        place.require(type(number) is int and number >= 0, f"should be an array; got {short(data)}")
        place.require(number in place.arrays, f"needs array {number}, missing or used already")
        array = place.arrays.pop(number)
        allowed = self.dtypes.split()
        kind = array.dtype.name
        place.require(kind in allowed, f"should be {' or '.join(allowed)}; got {kind}")
        self._check_shape(array.shape, place)
        place.require(np.isfinite(array).all(), "holds NaN or infinity")
        high = self.high if self.below is None else place.sizes[self.below] - 1
        least, most = array.min(), array.max()
        problem = f"should lie between {self.low} and {high}; got {least} to {most}"
        place.require(self.low <= least and most <= high, problem)
        return np.ascontiguousarray(array)

    def _check_shape(self, shape: tuple[int, ...], place: Place) -> None:
        fits = len(shape) == len(self.shape) and all(shape)
        for axis, size in zip(self.shape, shape, strict=False):
            known = size if axis == ANY else place.sizes.setdefault(axis, size)
            fits = fits and size == known
        expected = ", ".join(str(place.sizes.get(axis, axis)) for axis in self.shape)
        place.require(fits, f"should have the shape ({expected}); got {shape}")


@dataclass(frozen=True)
class Whole(Field):
    """An integer in [low, high], where `high` may be the name of an axis."""

    low: int
    high: int | str

    def unpack(self, data: Any, place: Place) -> int:
        """Return the number, checked."""
        high = place.sizes[self.high] if isinstance(self.high, str) else self.high
        problem = f"should be a whole number between {self.low} and {high}; got {short(data)}"
        place.require(type(data) is int and self.low <= data <= high, problem)
        return int(data)


@dataclass(frozen=True)
class Real(Field):
    """A finite number of at least zero."""

    def unpack(self, data: Any, place: Place) -> float:
        """Return the number, checked."""
        valid = type(data) is float and isfinite(data) and data >= 0
        place.require(valid, f"should be a number, not negative; got {short(data)}")
        return float(data)


@dataclass(frozen=True)
class Choice(Field):
    """A choice from words or truth values."""

    allowed: tuple[str | bool, ...]

    def unpack(self, data: Any, place: Place) -> Any:
        """Return the word, checked."""
        valid = isinstance(data, (str, bool)) and data in self.allowed
        place.require(valid, f"should be one of {self.allowed}; got {short(data)}")
        return data


FLAG = Choice((False, True))


@dataclass(frozen=True)
class Maybe(Field):
    """A value or None."""

    of: Field

    def pack(self, value: Any, arrays: list[AnyArray]) -> Any:
        """Return None, or the packed value."""
        return None if value is None else self.of.pack(value, arrays)

    def unpack(self, data: Any, place: Place) -> Any:
        """Return None, or the value, checked."""
        return None if data is None else self.of.unpack(data, place)


@dataclass(frozen=True)
class ListOf(Field):
    """One or more values of a kind."""

    of: Field

    def pack(self, value: list[Any], arrays: list[AnyArray]) -> list[Any]:
        """Return a list of packed values."""
        return [self.of.pack(item, arrays) for item in value]

    def unpack(self, data: Any, place: Place) -> list[Any]:
        """Return the list, every value checked."""
        place.require(isinstance(data, list) and len(data) > 0, "should be a list, not empty")
        return [self.of.unpack(item, place.under(f"[{i}]")) for i, item in enumerate(data)]


@dataclass(frozen=True)
class Names(Field):
    """Different strings in ascending order."""

    def unpack(self, data: Any, place: Place) -> list[str]:
        """Return the list, checked."""
        valid = isinstance(data, list) and all(isinstance(name, str) for name in data)
        place.require(valid and len(data) > 0, "should be a list of strings, not empty")
        place.require(data == sorted(set(data)), "should be different strings in ascending order")
        return list(data)


@dataclass(frozen=True)
class Record(Field):
    """A dataclass, written as ``{"type": name, "fields": {...}}``.

    ``build(place, **fields)`` checks fields against each other and returns the instance, with
    attributes that are not written; by default the fields are the arguments of the dataclass.
    ``values(instance)`` returns the fields; by default they are the attributes of the instance.
    """

    kind: type
    fields: Mapping[str, Field]  # in the order of reading
    build: Callable[..., Any] | None = None
    values: Callable[[Any], dict[str, Any]] = vars
    exports: tuple[str, ...] = ()  # axes whose lengths are known outside the record, too

    def pack(self, value: Any, arrays: list[AnyArray]) -> dict[str, Any]:
        """Return the type and the fields."""
        values = self.values(value)
        packed = {name: kind.pack(values[name], arrays) for name, kind in self.fields.items()}
        return {"type": self.kind.__name__, "fields": packed}

    def unpack(self, data: Any, place: Place) -> Any:
        """Return an instance, every field checked."""
        fields = open_object(data, ("type", "fields"), place)
        name = self.kind.__name__
        place.require(fields["type"] == name, f"should be {name}; got {short(fields['type'])}")
        inside = replace(place, sizes=dict(place.sizes))  # its own axes are unknown outside
        values = unpack_all(self.fields, fields["fields"], inside)
        built = self.kind(**values) if self.build is None else self.build(inside, **values)
        place.sizes.update({axis: inside.sizes[axis] for axis in self.exports})
        return built


@dataclass(frozen=True)
class OneOf(Field):
    """An instance of one of several dataclasses."""

    records: tuple[Record, ...]

    def pack(self, value: Any, arrays: list[AnyArray]) -> dict[str, Any]:
        """Return the type and the fields."""
        record = next(r for r in self.records if r.kind is type(value))
        return record.pack(value, arrays)

    def unpack(self, data: Any, place: Place) -> Any:
        """Return an instance, every field checked."""
        name = data.get("type") if isinstance(data, dict) else None
        matching = (r for r in self.records if r.kind.__name__ == name)
        return next(matching, self.records[0]).unpack(data, place)


def open_object(data: Any, keys: tuple[str, ...], place: Place) -> dict[str, Any]:
    """Return a JSON object that has these keys and no others."""
    place.require(isinstance(data, dict), f"should be an object; got {short(data)}")
    for key in keys:
        place.require(key in data, f"lacks {key!r}")
    for key in data:
        place.require(key in keys, f"has an unexpected entry {short(key)}")
    return dict(data)


def unpack_all(fields: Mapping[str, Field], data: Any, place: Place) -> dict[str, Any]:
    """Return the values of all fields, unpacked in their order."""
    data = open_object(data, tuple(fields), place)
    return {name: kind.unpack(data[name], place.under(f".{name}")) for name, kind in fields.items()}
