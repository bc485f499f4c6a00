"""Arguments that name the rows of a command: files, and their columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from lsec.sources import Source

columns_option = click.option(
    "--columns", metavar="NAME,...", help="Columns to use, where they have names; default: all."
)
drop_option = click.option("--drop", metavar="NAME,...", help="Columns to leave out.")


@dataclass(frozen=True)
class GivenRows:
    """Files of rows, and the columns to use, as they were given."""

    names: tuple[str, ...]
    columns: str | None
    drop: str | None

    def open(self, *outputs: Path | None, fitted_on: Sequence[str] | None = None) -> Source:
        """Open the rows of one file, or of several that follow each other.

        By default the columns that a model was `fitted_on` are used. `outputs` are other files.
        """
        import lsec
        from lsec.output.overwriting import refuse_overwriting
        from lsec.sources.opening import open_columns

        files = self.names[0] if len(self.names) == 1 else list(self.names)
        columns = split_columns(self.columns, "--columns")
        drop = split_columns(self.drop, "--drop")
        if columns is None and drop is None and fitted_on is not None:
            source = open_columns(files, fitted_on)
        else:
            source = lsec.open_rows(files, columns=columns, drop=drop or ())
        for output in filter(None, outputs):
            refuse_overwriting(output, source.files)
        return source


def rows_arguments(command: Callable[..., None]) -> Callable[..., None]:
    """Arguments of a command for its rows, which it takes as one: `GivenRows`."""

    @wraps(command)
    def with_rows(
        rows: tuple[str, ...], columns: str | None, drop: str | None, **others: Any
    ) -> None:
        command(GivenRows(rows, columns, drop), **others)

    for option in (drop_option, columns_option):
        with_rows = option(with_rows)
    return click.argument("rows", nargs=-1, required=True)(with_rows)


def split_columns(text: str | None, option: str) -> list[str] | None:
    """Split names at commas, except those between quotes; None stands for no choice.

    >>> split_columns('x, "y, z"', "--columns"), split_columns(None, "--columns")
    (['x', 'y, z'], None)
    """
    from lsec.sources.csv_layout import split_fields

    if text is None:
        return None
    names = [name for name in split_fields(text) if name]
    if not names:
        raise ValueError(f"{option} must name at least one column, such as first,second.")
    return names
