"""Docstrings whose shared entries are written once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from textwrap import indent
from typing import Any, TypeVar

Documented = TypeVar("Documented", bound=Callable[..., Any])


def documented(entries: str = "", **sections: str) -> Callable[[Documented], Documented]:
    """Decorator that inserts shared entries into the docstring of a function or a class.

    A line such as ``{n_jobs, verbose}`` stands for the entries of these names. Those of the
    fields of a dataclass also say what the default is. Entries are written as in numpydoc sections,
    not indented: parameters, attributes, or labeled references. Whole sections have a name, and may
    contain such lines themselves.
    """
    parts = re.split(r"\n(?=\S)", entries.strip())
    by_name = {re.split(r"\W+", part.removeprefix(".. ["), maxsplit=1)[0]: part for part in parts}
    by_name |= sections

    def insert(target: Documented) -> Documented:
        defaults = {}
        if isinstance(target, type) and is_dataclass(target):
            defaults = {field.name: field.default for field in fields(target)}

        def entry(name: str) -> str:
            if name not in defaults:
                return by_name[name]
            default = defaults[name]
            shown = f'"{default}"' if isinstance(default, str) else repr(default)
            header, *description = by_name[name].split("\n")
            return "\n".join([f"{header}, default={shown}", *description])

        def fill(line: re.Match[str]) -> str:
            return indent("\n".join(filled(entry(name)) for name in line[2].split(", ")), line[1])

        def filled(text: str) -> str:
            return re.sub(r"^( *)\{(\w+(?:, \w+)*)\}$", fill, text, flags=re.M)

        if target.__doc__ is not None:  # None under python -OO
            target.__doc__ = filled(target.__doc__)
        return target

    return insert
