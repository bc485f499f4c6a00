"""`lsec bench`: rerun the experiments of the paper."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lsec.bench import GROUPS, STUDIES
from lsec.bench.data import PAPER_SETS
from lsec.cli.common import UserError, one_line_errors

if TYPE_CHECKING:
    from lsec.bench.cell import Cell
    from lsec.bench.runner import Progress, Runner

LONGEST_LIMIT = 1_000_000


@click.group()
def bench() -> None:
    """Measure time, memory and quality."""


@bench.command()
@click.option(
    "--group",
    type=click.Choice(GROUPS),
    default="smoke",
    show_default=True,
    help="Which studies: a quick check, the five real data sets, or everything.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder for the results; lsec-bench-GROUP by default.",
)
@click.option("--only", multiple=True, type=click.Choice(PAPER_SETS), help="Only these data sets.")
@click.option("--study", multiple=True, type=click.Choice(STUDIES), help="Only these studies.")
@click.option(
    "--method", multiple=True, metavar="NAME", help="Only these methods, such as LSEC or U-SENC."
)
@click.option("--seeds", type=click.IntRange(min=1), help="At most so many seeds (0, 1, ...).")
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True, max=LONGEST_LIMIT),
    help="Seconds a process may take; by default what the study says.",
)
@click.option(
    "--again",
    multiple=True,
    type=click.Choice(["refused", "failed", "timeout"]),
    help="Run again what came out so, for example after a lack of memory.",
)
@click.option("--report/--no-report", default=True, help="Write report.html and report.md.")
def paper(
    group: str,
    out: Path | None,
    only: tuple[str, ...],
    study: tuple[str, ...],
    method: tuple[str, ...],
    seeds: int | None,
    limit: float | None,
    again: tuple[str, ...],
    report: bool,
) -> None:
    """Rerun the experiments of the LSEC paper.

    Each run has its own process and is written to the folder as soon as it is done. Stop the
    command at any time: the same command goes on where it was. Data sets that are neither in
    the folder that LSEC_DATA names nor can be downloaded, and packages that are not installed
    (pip install 'lsec[bench]'), are noted and tried again the next time. Needs Linux or macOS.
    """
    from lsec.bench.plan import plan_cells, read_studies, study_file
    from lsec.bench.runner import Runner
    from lsec.bench.store import Store

    if os.name != "posix":
        raise UserError("lsec bench runs on Linux and macOS: it ends processes as these do.")
    folder = out or Path(f"lsec-bench-{group}")
    with one_line_errors():
        planned = plan_cells(read_studies(study_file(group)), group)
        _check_methods(method, planned, group)
        asked: list[Cell] = []
        others: list[Cell] = []
        for cell in planned:
            is_asked = _is_asked(cell, only, study, method, seeds)
            (asked if is_asked else others).append(cell)
        if not asked:
            raise UserError(f"The group {group} has nothing that fits all of these options.")
        if limit is not None:
            asked = [replace(cell, limit_seconds=limit) for cell in asked]
        store = Store(folder)
        with store.held():
            store.write_plan(group, planned)
            _run(Runner(store, asked, _show, others, again), f"results in {folder}")
        if report:
            _write_report(folder)


def _run(runner: Runner, where: str) -> None:
    try:  # from the first line on: who reads it may stop the command at once
        click.echo(f"{runner.n_cells} cells, {runner.n_pending} to run; {where}", err=True)
        runner.run()
    except KeyboardInterrupt:
        click.echo("Stopped. The same command goes on from here.", err=True)
        sys.exit(130)


def _check_methods(names: tuple[str, ...], planned: list[Cell], group: str) -> None:
    """Refuse methods that a group does not have."""
    known = dict.fromkeys(cell.method.name for cell in planned)
    for name in names:
        if name not in known:
            raise click.BadParameter(
                f"{name!r} is not a method of the group {group}, which has: {', '.join(known)}.",
                param_hint="--method",
            )


def _is_asked(
    cell: Cell,
    only: tuple[str, ...],
    study: tuple[str, ...],
    method: tuple[str, ...],
    seeds: int | None,
) -> bool:
    """Whether the options ask for a cell."""
    return (
        (not only or cell.data.key in only)
        and (not study or cell.study in study)
        and (not method or cell.method.name in method)
        and (seeds is None or cell.seed < seeds)
    )


def _show(progress: Progress) -> None:
    """One line for a cell that is done."""
    record = progress.record
    result = f"{record['status']}: {record['reason']}"
    if record["status"] == "ok":
        result = f"{record['seconds']:.2f} s, ACC {record['acc']:.2f}, NMI {record['nmi']:.2f}"
    click.echo(
        f"[{progress.n_done}/{progress.n_all}, {_time_left(progress)}] "
        f"{progress.cell.title}: {result}",
        err=True,
    )


def _time_left(progress: Progress) -> str:
    """The time for the cells whose like was run before, and how many others there are."""
    left = progress.seconds_left
    words = f"{left:.0f} s left" if left < 120 else f"{left / 60:.0f} min left"
    return f"{words} and {progress.n_unknown} unknown" if progress.n_unknown else words


def _write_report(folder: Path) -> None:
    from lsec.report.pages import write_pages

    write_pages(folder)
    click.echo(f"Report: {folder / 'report.html'}, {folder / 'report.md'}", err=True)
