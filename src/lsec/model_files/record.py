"""Instances of dataclasses in a model file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any

import numpy as np

from lsec.model_files.fields import Field, Place


@dataclass(frozen=True)
class Record:
    """A dataclass, written as ``{"type": name, "fields": {...}}``.

    Attributes
    ----------
    kind : type
    fields : dict
        What is written, in the order in which it is read.
    build : callable (place, **fields) -> instance
        Checks what concerns several fields, and rebuilds what follows from them.
    values : callable (instance) -> dict, optional
        What is written for an instance, where that is not what its attributes hold.
    exports : tuple of str
        Axes that the values beside this one know, too.
    """

    kind: type
    fields: Mapping[str, Field]
    build: Callable[..., Any]
    values: Callable[[Any], dict[str, Any]] = vars
    exports: tuple[str, ...] = ()

    def pack(self, value: Any, arrays: list[np.ndarray]) -> dict[str, Any]:
        """The type and the fields."""
        values = self.values(value)
        packed = {name: kind.pack(values[name], arrays) for name, kind in self.fields.items()}
        return {"type": self.kind.__name__, "fields": packed}

    def unpack(self, data: Any, place: Place) -> Any:
        """An instance, every field checked."""
        fields = open_object(data, ("type", "fields"), place)
        name = self.kind.__name__
        place.require(fields["type"] == name, f"should be {name}; got {short(fields['type'])}")
        inside = place.scope()
        values = unpack_all(self.fields, fields["fields"], inside)
        place.sizes.update({axis: inside.sizes[axis] for axis in self.exports})
        return self.build(inside, **values)


@dataclass(frozen=True)
class OneOf:
    """An instance of one of some dataclasses."""

    records: tuple[Record, ...]

    def pack(self, value: Any, arrays: list[np.ndarray]) -> dict[str, Any]:
        """The type and the fields."""
        record = next(r for r in self.records if r.kind is type(value))
        return record.pack(value, arrays)

    def unpack(self, data: Any, place: Place) -> Any:
        """An instance, every field checked."""
        kind = data.get("type") if isinstance(data, dict) else None
        matching = [r for r in self.records if r.kind.__name__ == kind]
        return (matching or self.records)[0].unpack(data, place)


def open_object(data: Any, keys: tuple[str, ...], place: Place) -> dict[str, Any]:
    """A JSON object that has these keys and no others."""
    place.require(isinstance(data, dict), f"should be an object; got {short(data)}")
    for key in keys:
        place.require(key in data, f"lacks {key!r}")
    for key in data:
        place.require(key in keys, f"has an unexpected entry {short(key)}")
    return data


def unpack_all(fields: Mapping[str, Field], data: Any, place: Place) -> dict[str, Any]:
    """Values of all fields, in their order."""
    data = open_object(data, tuple(fields), place)
    return {name: kind.unpack(data[name], place.under(f".{name}")) for name, kind in fields.items()}
