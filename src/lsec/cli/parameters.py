"""Kinds of parameters that several commands take."""

from __future__ import annotations

import click


class RowCount(click.ParamType):
    """A number of rows, also in the form 1e6."""

    name = "number"

    def convert(
        self, value: str | int, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return a positive integer, or fail with what was wrong."""
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if not (number >= 1 and number.is_integer()):
            self.fail(f"{value!r} is not a number of rows, such as 50000 or 1e6.", param, ctx)
        return int(number)


seed_option = click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of all random choices.",
)
