"""Arguments that name the rows of a command: files, and their columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lsec.cli.streams import STANDARD, save_input

if TYPE_CHECKING:
    from lsec.output.label_files import LabelTable
    from lsec.sources import Source
    from lsec.sources.row_names import RowNames

columns_option = click.option(
    "--columns", metavar="NAME,...", help="Columns to use, where they have names; default: all."
)
drop_option = click.option("--drop", metavar="NAME,...", help="Columns to leave out.")
id_option = click.option(
    "--id", "identifiers", metavar="NAME,...", help="Columns to carry into the output, unused."
)


@dataclass(frozen=True)
class GivenRows:
    """Files of rows, and the columns to use, as they were given."""

    names: tuple[str, ...]
    columns: str | None
    drop: str | None
    identifiers: str | None

    def open(self, *outputs: Path | None, fitted_on: Sequence[str] | None = None) -> Source:
        """Open the rows of one file, or of several that follow each other.

        By default the columns that a model was `fitted_on` are used. `outputs` are other files.
        """
        import lsec
        from lsec.output.overwriting import refuse_overwriting
        from lsec.sources.opening import open_columns

        names = [save_input() if name == STANDARD else name for name in self.names]
        files = names[0] if len(names) == 1 else names
        columns = split_columns(self.columns, "--columns")
        drop = split_columns(self.drop, "--drop")
        if columns is None and drop is None and fitted_on is not None:
            source = open_columns(files, fitted_on)
        else:
            unused = split_columns(self.identifiers, "--id") if columns is None else None
            source = lsec.open_rows(
                files, columns=columns, drop=list(dict.fromkeys([*(drop or ()), *(unused or ())]))
            )
        for output in filter(None, outputs):
            refuse_overwriting(output, source.inputs)
        return source

    def extra(self, confidence: bool) -> str | None:
        """The option that asks for more in the output than labels, if any."""
        return "--id" if self.identifiers else "--confidence" if confidence else None

    def table(self, path: Path, source: Source, confidence: bool = False) -> LabelTable:
        """The file for the labels of these rows, with the columns that were asked for."""
        from lsec.output.label_files import LabelTable

        return LabelTable(path, row_names(source.files, self.identifiers), confidence)


def rows_arguments(command: Callable[..., None]) -> Callable[..., None]:
    """Arguments of a command for its rows, which it takes as one: `GivenRows`."""

    @wraps(command)
    def with_rows(
        rows: tuple[str, ...],
        columns: str | None,
        drop: str | None,
        identifiers: str | None,
        **others: Any,
    ) -> None:
        command(GivenRows(rows, columns, drop, identifiers), **others)

    for option in (id_option, drop_option, columns_option):
        with_rows = option(with_rows)
    return click.argument("rows", nargs=-1, required=True)(with_rows)


def row_names(files: Sequence[str], identifiers: str | None) -> RowNames | None:
    """Columns to carry from files into the output, if any."""
    from lsec.sources.row_names import RowNames

    names = split_columns(identifiers, "--id")
    if names is None:
        return None
    for name in names:
        if name in ("label", "confidence") or names.count(name) > 1:
            raise ValueError(f"The output would have two columns {name!r}. Rename that of --id.")
    return RowNames(files, names)


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
