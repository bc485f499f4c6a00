"""Section: the authors' code under GNU Octave, beside ours."""

from __future__ import annotations

from statistics import mean

from benchmarks.pages.numbers import NONE, TIMES, Spread, Write, ratio, score, seconds, spread
from benchmarks.pages.outcome import outcome
from benchmarks.pages.results import Results
from benchmarks.pages.table import Entry, Section, Table, Tone
from benchmarks.paper.printed import OctaveRun, data_sets, octave_runs

OCTAVE_METHODS = ("LSEC", "U-SENC")
SETTINGS = {"released": "as released", "favorable": "favorable"}
OTHER_TITLES = {"tb100k": "TB-100k"}
TEXT = (
    "The MATLAB code that the authors of LSEC and of U-SENC released, run under GNU Octave 7.3 on "
    "2 cores with 20 members; no MATLAB times. On small sets the times as released mostly measure "
    "Octave's eigen solver. The favorable environment leaves the method alone: it solves the "
    "same eigenproblems by a divide-and-conquer SVD and keeps large blocks of memory. Times are "
    "those of runs on a quiet machine where there are any. TB is a reconstruction, not the "
    "authors' file; these are few runs."
)


def octave_section(results: Results) -> Section:
    """Set the reference runs beside our runs of the same method."""
    found = dict.fromkeys((run.data, run.method) for run in octave_runs())
    groups = [(*pair, setting) for pair in found for setting in SETTINGS]
    rows = [_row(results, *group) for group in groups if runs_of(*group)]
    columns = ("data", "method", "environment", "ACC", "NMI", "seconds", "CPU s", "peak MiB")
    table = Table(
        "The authors' code under GNU Octave",
        (*columns, "ours, seconds", "times faster"),
        rows,
        caption=f"{TIMES} is the number of runs. Ours: mean over all seeds of the same method.",
        words=(0, 1, 2),
    )
    return Section("octave", "The authors' code", TEXT, [table])


def runs_of(data: str, method: str, setting: str = "released") -> list[OctaveRun]:
    """Return the reference runs of a method."""
    return [
        run
        for run in octave_runs()
        if (run.data, run.method, run.setting) == (data, method, setting)
    ]


def wall(runs: list[OctaveRun]) -> Spread | None:
    """Summarize the times of the runs on a quiet machine, or of all if none was quiet."""
    quiet = [run.seconds for run in runs if run.load == "quiet"]
    return spread(quiet or [run.seconds for run in runs])


def octave_score(data: str, method: str, name: str) -> Entry:
    """Return the score of the released code."""
    found = spread([getattr(run, name) for run in runs_of(data, method)])
    return _entry(found, score) if found else Entry("")


def octave_time(data: str, method: str) -> Entry:
    """Return the time of the released code, and below it the one in favorable environment."""
    found, quick = wall(runs_of(data, method)), wall(runs_of(data, method, "favorable"))
    if not found:
        return Entry("")
    return _entry(found, seconds, seconds(quick.mean) if quick else "")


def _entry(found: Spread, write: Write, reference: str = "") -> Entry:
    hint = f"{found.n} runs: {', '.join(map(write, found.values))}"
    return Entry(write(found.mean), found.mean, found.deviation(write), reference, hint=hint)


def _row(results: Results, data: str, method: str, setting: str) -> tuple[Entry, ...]:
    runs = runs_of(data, method, setting)
    acc, nmi = spread([run.acc for run in runs]), spread([run.nmi for run in runs])
    time = wall(runs)
    assert acc and nmi and time, "a group has runs"
    cpu = mean(run.cpu_seconds for run in runs)
    known = data_sets().get(data)
    order = float(list(data_sets()).index(data)) if known else float(len(data_sets()))
    return (
        Entry(known.title if known else OTHER_TITLES[data], order),
        Entry(method),
        Entry(SETTINGS[setting]),
        _entry(acc, score),
        _entry(nmi, score),
        _entry(time, seconds),
        Entry(seconds(cpu), cpu),
        Entry(f"{runs[0].largest_peak_mib:,.0f}", runs[0].largest_peak_mib),
        *_ours(results, data, method, time.mean),
    )


def _ours(results: Results, data: str, method: str, reference: float) -> tuple[Entry, Entry]:
    runs = outcome(results, data, method)
    ours = runs.spread("seconds")
    if ours is None or not runs.as_printed:
        return Entry(NONE, tone=Tone.MISSING), Entry(NONE, tone=Tone.MISSING)
    times = reference / ours.mean
    tone = Tone.BETTER if times > 1 else Tone.WORSE
    return _entry(ours, seconds), Entry(ratio(times), times, tone=tone)
