"""Kinds of parameters that several commands take."""

from __future__ import annotations

import json
from typing import Any

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


columns_option = click.option("--columns", help="Columns of Parquet files to use, such as x,y.")


def split_names(text: str | None) -> list[str] | None:
    """Names between commas; None for all.

    >>> split_names("x, y"), split_names(None)
    (['x', 'y'], None)
    """
    return None if text is None else [name.strip() for name in text.split(",")]


def show(facts: dict[str, Any], as_json: bool) -> None:
    """Print facts on standard output: as a table for people, or as one line of JSON."""
    if as_json:
        click.echo(json.dumps(facts, default=str))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, value in facts.items():
        if isinstance(value, dict):
            for key, part in value.items():
                table.add_row(f"  {key}", _text(part, " s" if name == "stages" else ""))
        else:
            table.add_row(name, _text(value, " s" if name.startswith("whole") else ""))
    Console().print(table)


def _text(value: Any, unit: str) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 and not unit else f"{value:.2f}{unit}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
