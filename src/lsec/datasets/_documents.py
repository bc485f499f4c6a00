"""Docstrings of functions that share parameters and results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def document(**shared: str) -> Callable[[Function], Function]:
    """Insert texts that several functions share into their docstrings, for names in braces."""

    def insert(function: Function) -> Function:
        if function.__doc__ is not None:  # None under python -OO
            for name, text in shared.items():
                function.__doc__ = function.__doc__.replace(f"{{{name}}}", text)
        return function

    return insert
