"""Options, checks and messages that several commands share."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

Command = TypeVar("Command", bound=Callable[..., Any])


class UserError(click.ClickException):
    """A mistake of the user: one line on standard error, exit code 2, no traceback."""

    exit_code = 2


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn the errors of bad input and bad files into a `UserError`."""
    try:
        yield
    except BrokenPipeError:  # nobody reads the output, which is no mistake
        raise
    except MemoryError as error:
        raise UserError(f"Not enough memory: {describe(error) or 'none is left'}") from error
    except (ValueError, OSError, ImportError) as error:
        raise UserError(describe(error)) from error


def describe(error: Exception) -> str:
    r"""Return the message of an error on one line.

    >>> describe(ValueError("no rows.\nPass some."))
    'no rows. Pass some.'
    >>> describe(FileNotFoundError(2, "No such file or directory", "rows.npy"))
    'rows.npy: No such file or directory'
    """
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


def row_count(text: str) -> int:
    """Return a number of rows, also in the form 1e6."""
    with suppress(ValueError):
        number = float(text)
        if number >= 1 and number.is_integer():
            return int(number)
    raise click.BadParameter(f"{text!r} is not a number of rows, such as 50000 or 1e6.")


FILE = click.Path(path_type=Path)


def output_option(help: str, **settings: Any) -> Callable[[Command], Command]:
    """Option that names the file to write."""
    return click.option("-o", "--output", type=FILE, help=help, **settings)


def method_option(methods: Iterable[str], default: str, help: str) -> Callable[[Command], Command]:
    """Option that names one of several methods."""
    kind = click.Choice(list(methods))
    return click.option("--method", type=kind, default=default, show_default=True, help=help)


natural = click.IntRange(min=0)
seed_option = click.option(
    "--seed", type=natural, default=0, show_default=True, help="Seed of all random choices."
)
labels_option = output_option(
    "The .npy, .csv or .parquet file for the labels; - is standard output, as CSV.", required=True
)
confidence_option = click.option(
    "--confidence",
    is_flag=True,
    help="Add a column: the agreement of the base clusterings with each label, 0 to 1.",
)
jobs_option = click.option("--jobs", type=int, help="Threads; all cores by default.")
device_option = click.option("--device", help="cpu, cuda, auto, or a GPU such as cuda:1.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Show no progress, and no summary but --json."
)


def parse_value(text: str) -> bool | int | float | str:
    """Return the truth value or number that a text stands for, or the text itself.

    >>> parse_value("true"), parse_value("10"), parse_value("0.2"), parse_value("2GiB")
    (True, 10, 0.2, '2GiB')
    """
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def check_output(
    path: Path, allowed: tuple[str, ...], others: tuple[Path, ...] = (), more: str | None = None
) -> None:
    """Refuse a file that could not be written at the end, before the work begins.

    The file must have one of the `allowed` endings, and not overwrite `others` of the command;
    `more` is an option that adds columns to the labels.
    """
    from lsec.output.overwriting import refuse_overwriting

    if path.suffix.lower() not in allowed:
        raise ValueError(f"{path} must end in {' or '.join(allowed)}; got {path.suffix!r}.")
    if more is not None and path.suffix.lower() == ".npy":
        raise ValueError(f"{path} would hold labels alone. For {more} choose .csv or .parquet.")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist. Make it first.")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path} cannot be written: it is a folder, or in one that is read-only.")
    refuse_overwriting(path, others)


def check_labels(path: Path, more: str | None, others: tuple[Path, ...] = ()) -> None:
    """Refuse a file for labels, as `check_output`."""
    from lsec.output.label_files import LABEL_FORMATS

    check_output(path, LABEL_FORMATS, others, more)


def console(stderr: bool = False) -> Console:
    """Console of a stream; a closed pipe is a `BrokenPipeError`, as for `print`."""
    from rich.console import Console

    class Stream(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Stream(stderr=stderr)


def show(facts: dict[str, Any], as_json: bool = False, *, err: bool = False) -> None:
    """Print facts on standard output, or standard error, as a table or as one line of JSON."""
    if as_json:
        click.echo(json.dumps(facts, default=str), err=err)
        return
    from rich import box
    from rich.table import Column, Table

    table = Table("", Column(justify="right"), box=box.SIMPLE, show_header=False)
    for name, value in facts.items():
        if isinstance(value, dict):
            for key, part in value.items():
                table.add_row(f"  {key}", _text(part, " s" if name == "stages" else ""))
        else:
            table.add_row(name, _text(value, " s" if name.startswith("whole") else ""))
    console(stderr=err).print(table)


def _text(value: Any, unit: str) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 and not unit else f"{value:.2f}{unit}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
