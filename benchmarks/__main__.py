"""The command line of the benchmarks."""

from __future__ import annotations

import sys
import traceback

import click

from benchmarks import store
from benchmarks.machine import describe_machine
from benchmarks.report import RESULTS_FILE, render_small, write_report
from benchmarks.session import Plan, Session, Study
from benchmarks.studies import STUDIES
from lsec.bench.data import DATA

POSITIVE = click.IntRange(min=1)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="STUDY...", type=click.Choice([*STUDIES, "all"]))
@click.option("--small", is_flag=True, help="Small sizes; print the tables, write nothing.")
@click.option("--seeds", type=POSITIVE, help="Seeds per data set (0, 1, ...).")
@click.option("--repeats", type=POSITIVE, help="Repeats of each timing.")
@click.option("--data", multiple=True, type=click.Choice(list(DATA)), help="Only these data sets.")
@click.option("--fresh", is_flag=True, help="Measure cells again that are already done.")
@click.option("--render", is_flag=True, help="Only write RESULTS.md again from stored results.")
@click.pass_context
def main(context, names, small, seeds, repeats, data, fresh, render) -> None:
    """Measure STUDY... (or all) and write RESULTS.md.

    Studies: speed, growth, predict, memory, mnist, small_data, startup, consensus, quality,
    distributed, baselines, ablations, functions, pools, families, outofcore. The last six and
    quality keep finished cells between runs (see --fresh) and take --data (but the last
    three); the others start over every time.

    Without a study, --small runs every study in a small version. Real data sets are
    found by lsec.datasets: in the folder named by LSEC_DATA, or downloaded.
    """
    if render:
        write_report(STUDIES.values())
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
            click.echo(render_small(study, run_small(study, plan)))
        else:
            run_full(study, plan, fresh)
            write_report(STUDIES.values())
            click.echo(f"{study.name}: see {RESULTS_FILE.name}", err=True)
    except store.OtherMachine as error:
        click.echo(str(error), err=True)
        return False
    except Exception:
        click.echo(traceback.format_exc(), err=True)
        return False
    return True


def run_small(study: Study, plan: Plan) -> store.Results:
    """Results that are kept in memory only."""
    results = store.Results(study.name, describe_machine())
    with Session(plan, results, save=lambda _: None) as session:
        study.run(session)
    return results


def run_full(study: Study, plan: Plan, fresh: bool) -> None:
    """Measure a study and store it: cell by cell if it can be resumed, else when it is complete."""
    machine = describe_machine()
    if study.resumable:
        results = begin(study.name, machine, plan, fresh)
        with Session(plan, results, save=store.write) as session:
            study.run(session)
        return
    results = store.Results(study.name, machine)
    with Session(plan, results, save=lambda _: None) as session:
        study.run(session)
    store.write(results)


def begin(name: str, machine: dict[str, str], plan: Plan, fresh: bool) -> store.Results:
    """Results to add to; `fresh` drops those of the data sets asked for."""
    if fresh and not plan.only:
        return store.Results(name, machine)
    results = store.resume(name, machine)
    if fresh:
        for key in [key for key in results.cells if key.split("/")[0] in plan.only]:
            del results.cells[key]
    return results


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
