"""The command line of the benchmarks."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import click

from benchmarks.attack.areas import AREAS, LONG, SHORT, USUAL
from benchmarks.harness.data import DATA, PAPER_SETS
from benchmarks.harness.store import Records
from benchmarks.pages.write import write_pages
from benchmarks.paper import GROUPS
from benchmarks.paper import STUDIES as PAPER_STUDIES
from benchmarks.paper.cell import Cell
from benchmarks.paper.plan import plan_cells, read_studies, study_file
from benchmarks.paper.runner import Progress, Runner
from benchmarks.paper.store import Store
from benchmarks.studies import STUDIES
from benchmarks.studies import attack as campaign
from benchmarks.studies.gpu_page import write_gpu
from benchmarks.studies.how_fast_page import write_how_fast
from benchmarks.studies.how_good_page import write_how_good
from benchmarks.studies.results_page import (
    RESULTS_FILE,
    RESULTS_FOLDER,
    render_small,
    write_results,
)
from benchmarks.studies.study import OtherMachine, Plan, Session, Study

POSITIVE = click.IntRange(min=1)
LONGEST_LIMIT = 1_000_000
FOLDER = click.Path(path_type=Path, file_okay=False)


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn the errors that bad options and bad files raise into one line and exit code 2."""
    try:
        yield
    except (ValueError, OSError) as error:
        failure = click.ClickException(" ".join(str(error).split()))
        failure.exit_code = 2
        raise failure from error


def write_pages_of_studies() -> None:
    """Write every page that shows stored records."""
    write_results(STUDIES.values())
    write_how_good()
    write_how_fast()
    write_gpu()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Time, memory and quality of lsec: studies of ours, and the experiments of the LSEC paper."""


@main.command()
@click.argument("names", nargs=-1, metavar="[STUDY...]", type=click.Choice([*STUDIES, "all"]))
@click.option("--small", is_flag=True, help="Small sizes; print the tables, write nothing.")
@click.option("--seeds", type=POSITIVE, help="Seeds per data set (0, 1, ...).")
@click.option("--repeats", type=POSITIVE, help="Repeats of each timing.")
@click.option("--data", multiple=True, type=click.Choice(list(DATA)), help="Only these data sets.")
@click.option("--fresh", is_flag=True, help="Measure cells again that are already done.")
@click.option("--render", is_flag=True, help="Only write the pages again from stored records.")
@click.pass_context
def run(
    context: click.Context,
    names: tuple[str, ...],
    small: bool,
    seeds: int | None,
    repeats: int | None,
    data: tuple[str, ...],
    fresh: bool,
    render: bool,
) -> None:
    """Measure STUDY... (or all), and write RESULTS.md, docs/how_good.md, how_fast.md and gpu.md.

    Studies: speed, growth, predict, memory, mnist, small_data, startup, peers, embeddings,
    consensus, distributed, quality, resolution, number_of_clusters, baselines, ablations,
    functions, blobs, pools, families, shapes, outofcore, pictures, gpu, attack, categories. Those
    from quality on keep finished cells between runs (see --fresh), and those from quality to
    functions take --data; the others start over every time.

    Without a study, --small runs every study in a small version. Real data sets are
    found by lsec.datasets: in the folder named by LSEC_DATA, or downloaded.
    """
    if render:
        write_pages_of_studies()
        return
    if not names and not small:
        click.echo(context.get_help())
        return
    chosen = list(STUDIES) if "all" in names or not names else list(dict.fromkeys(names))
    plan = Plan(small, seeds, repeats, data)
    failed = [name for name in chosen if not succeeds(STUDIES[name], plan, fresh)]
    if failed:
        click.echo(f"Failed: {', '.join(failed)}", err=True)
        sys.exit(1)


def succeeds(study: Study, plan: Plan, fresh: bool) -> bool:
    """Run a study; a crash is shown and does not stop the studies that follow."""
    click.echo(f"{study.name}: {study.title}", err=True)
    try:
        if plan.small:
            click.echo(render_small(study, study.measure(plan)))
        else:
            study.measure(plan, RESULTS_FOLDER, fresh)
            write_pages_of_studies()
            click.echo(f"{study.name}: see {RESULTS_FILE.name}", err=True)
    except OtherMachine as error:
        click.echo(str(error), err=True)
        return False
    except Exception:
        click.echo(traceback.format_exc(), err=True)
        return False
    return True


@dataclass(frozen=True)
class Part:
    """The part of a plan that the options of `paper` ask for; all of it by default."""

    only: tuple[str, ...]
    study: tuple[str, ...]
    method: tuple[str, ...]
    seeds: int | None

    def has(self, cell: Cell) -> bool:
        """Whether the options ask for a cell."""
        return (
            (not self.only or cell.data.key in self.only)
            and (not self.study or cell.study in self.study)
            and (not self.method or cell.method.name in self.method)
            and (self.seeds is None or cell.seed < self.seeds)
        )


@main.command()
@click.option(
    "--group",
    type=click.Choice(GROUPS),
    default="smoke",
    show_default=True,
    help="The studies: a quick check, the five real data sets, or everything.",
)
@click.option("--out", type=FOLDER, help="The folder for the results; lsec-bench-GROUP by default.")
@click.option("--only", multiple=True, type=click.Choice(PAPER_SETS), help="Only these data sets.")
@click.option(
    "--study", multiple=True, type=click.Choice(PAPER_STUDIES), help="Only these studies."
)
@click.option(
    "--method", multiple=True, metavar="NAME", help="Only these methods, such as LSEC or U-SENC."
)
@click.option("--seeds", type=POSITIVE, help="At most this many seeds (0, 1, ...).")
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True, max=LONGEST_LIMIT),
    help="Seconds a process may take; by default the limit of the study.",
)
@click.option(
    "--again",
    multiple=True,
    type=click.Choice(["refused", "failed", "timeout"]),
    help="Repeat the runs with this outcome, for example after a lack of memory.",
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
    (pip install '.[bench]'), are noted and tried again the next time. Needs Linux or macOS.
    """
    if os.name != "posix":
        raise click.ClickException("The benchmarks need Linux or macOS to end processes.")
    folder = out or Path(f"lsec-bench-{group}")
    with one_line_errors():
        planned = plan_cells(read_studies(study_file(group)), group)
        _check_methods(method, planned, group)
        part = Part(only, study, method, seeds)
        asked = [cell for cell in planned if part.has(cell)]
        others = [cell for cell in planned if not part.has(cell)]
        if not asked:
            raise ValueError(f"The group {group} has nothing that fits all of these options.")
        if limit is not None:
            asked = [replace(cell, limit_seconds=limit) for cell in asked]
        store = Store(folder)
        with store.held():
            store.write_plan(group, planned)
            _run(Runner(store, asked, _show, others, again), f"results in {folder}")
        if report:
            html, markdown = write_pages(folder)
            click.echo(f"Report: {html}, {markdown}", err=True)


def _run(runner: Runner, where: str) -> None:
    try:  # from the first line on: a reader of it may stop the command at once
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
    """The time for the cells whose like was run before, and the number of others."""
    left = progress.seconds_left
    words = f"{left:.0f} s left" if left < 120 else f"{left / 60:.0f} min left"
    return f"{words} and {progress.n_unknown} unknown" if progress.n_unknown else words


@main.command()
@click.argument("areas", nargs=-1, metavar="[AREA...]", type=click.Choice(list(AREAS)))
@click.option("--short", "form", flag_value=SHORT, help="A sample of a minute.")
@click.option("--usual", "form", flag_value=USUAL, default=True, help="Minutes; the default.")
@click.option("--long", "form", flag_value=LONG, help="Hours; portions are kept, see below.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--fresh", is_flag=True, help="With --long: drop the portions that are kept of them.")
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), help="New cases, so long.")
@click.option("--case", type=click.IntRange(min=0), help="Run this case of one AREA alone.")
def attack(
    areas: tuple[str, ...],
    form: str,
    seed: int,
    fresh: bool,
    minutes: float | None,
    case: int | None,
) -> None:
    """Attack lsec with hostile files, extreme rows, faults and load, in AREA... or everywhere.

    Prints how the cases ended; the exit code is 1 if one broke a promise. The long form writes
    portions of cases to the records of the study "attack", goes on where it was stopped, and
    renders RESULTS.md. With --minutes, cases beyond those of the long form are run in portions
    until the time is over.

    Areas: models, rows, files, faults, load, soak, numbers, fuzz. Needs Linux.
    """
    if sys.platform != "linux":
        raise click.ClickException("The attack needs Linux to bound the memory of processes.")
    if case is not None:
        if len(areas) != 1:
            raise click.UsageError("--case needs one AREA.")
        tally = campaign.repeat(areas[0], seed, case)
        click.echo("\n".join(tally.broken) or "No promise was broken.")
        sys.exit(1 if tally.broken else 0)
    if form == LONG and minutes is not None:
        raise click.UsageError("--minutes runs other cases than --long. Choose one of them.")
    study = STUDIES["attack"]
    kept = Records(study.name, RESULTS_FOLDER if form == LONG else None)
    if fresh:
        kept.remove([key for key in kept if not areas or key.split("/")[0] in areas])
    try:
        with Session(Plan(), kept) as session:
            if minutes is None:
                campaign.attack(session, form, areas, seed)
            else:
                campaign.attack_for(session, 60 * minutes, areas, seed)
    except KeyboardInterrupt:
        click.echo("Stopped. The same command with --long goes on from here.", err=True)
        sys.exit(130)
    finally:
        kept.compact()
        if form == LONG:
            write_results(STUDIES.values())
    click.echo(render_small(study, kept))
    sys.exit(1 if campaign.n_broken(kept) else 0)


@main.command()
@click.argument(
    "folder", type=FOLDER, default=RESULTS_FOLDER / "paper", metavar="[FOLDER]", required=False
)
@click.option("-o", "--out", type=FOLDER, help="The folder for the pages; FOLDER by default.")
def report(folder: Path, out: Path | None) -> None:
    """Write report.html and report.md again from a FOLDER of `python -m benchmarks paper`.

    By default the pages are those of the records in this repository.
    """
    with one_line_errors():
        for page in write_pages(folder, out):
            click.echo(page)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
