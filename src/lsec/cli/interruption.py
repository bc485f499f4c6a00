"""What is kept of a fit that is interrupted, beside the file its labels go to."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click


class Interrupted(click.ClickException):
    """The user stopped the work."""

    exit_code = 130  # what shells report after Ctrl-C


@contextmanager
def stages_kept(output: Path, resume: bool) -> Iterator[Path]:
    """A folder for the finished stages of a fit.

    It stays when the process is killed or the user stops it, for `--resume`; it goes when all
    went well, and with an error that would come again.

    Parameters
    ----------
    output : Path
        Where the labels go; the folder lies beside it.
    resume : bool
        Whether to go on from what is there.
    """
    folder = output.with_name(f"{output.name}.resume")
    if not resume and folder.exists():
        click.echo(f"Starting anew: {folder}, of an interrupted fit, is removed.", err=True)
        shutil.rmtree(folder)
    try:
        yield folder
    except KeyboardInterrupt:
        advice = "There is nothing to go on from yet."
        if folder.exists():
            advice = f"Finished stages are in {folder}: go on with --resume, or remove it."
        raise Interrupted(f"Interrupted. {advice}") from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
