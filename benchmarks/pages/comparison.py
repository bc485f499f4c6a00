"""Entries that set our numbers beside the printed ones."""

from __future__ import annotations

from typing import TypeGuard

from benchmarks.pages.numbers import NONE, Spread, Write, ratio, rounded, score, seconds, signed
from benchmarks.pages.outcome import Outcome
from benchmarks.pages.table import Entry, Tone, missing
from benchmarks.paper.printed import Printed

NOT_COMPARED = "other size or parameters than in the paper: not compared"
SAME = 0.005  # what rounding to two decimals hides


def score_tone(mean: float, printed: Printed) -> Tone:
    """Compare a mean with print; within the printed standard deviation it is level."""
    if printed.misprint:
        return Tone.PLAIN
    change = rounded(rounded(mean) - printed.mean)
    if abs(change) <= max(SAME, 0.0 if printed.doubtful else printed.sd):
        return Tone.LEVEL
    return Tone.BETTER if change > 0 else Tone.WORSE


def score_entry(outcome: Outcome, name: str, printed: Printed | None, note: str = "") -> Entry:
    """Set a score of ours beside the printed one."""
    reference = f"{printed.mean:.2f} ±{printed.sd:.2f}" if printed else NONE
    ours = outcome.spread(name)
    if ours is None:
        return _without(outcome, reference)
    change, tone, note = "", Tone.PLAIN, note and f"print: {note}"
    if not outcome.as_printed:
        note = NOT_COMPARED
    elif printed:
        tone = score_tone(ours.mean, printed)
        change = "misprint" if printed.misprint else signed(rounded(ours.mean) - printed.mean)
    spread, hint = described(ours, outcome, score, note)
    return Entry(score(ours.mean), ours.mean, spread, reference, change, tone, hint)


def time_entry(outcome: Outcome, printed: float | None) -> Entry:
    """Set a time of ours beside the printed one; the change is how many times faster."""
    reference = seconds(printed) if printed else NONE
    ours = outcome.spread("seconds")
    if ours is None:
        return _without(outcome, reference)
    generation = outcome.spread("generation_seconds")
    note = f"{seconds(generation.mean)} s to make the members" if _some(generation) else ""
    change, tone = "", Tone.PLAIN
    if not outcome.as_printed:
        note = NOT_COMPARED
    elif printed:
        tone = Tone.BETTER if ours.mean < printed else Tone.WORSE
        change = ratio(printed / ours.mean)
    spread, hint = described(ours, outcome, seconds, note)
    return Entry(seconds(ours.mean), ours.mean, spread, reference, change, tone, hint)


def number_entry(outcome: Outcome, name: str, write: Write = score) -> Entry:
    """Say a number of ours that has no printed counterpart."""
    ours = outcome.spread(name)
    if ours is None:
        return _without(outcome, "")
    spread, hint = described(ours, outcome, write)
    return Entry(write(ours.mean), ours.mean, spread, hint=hint)


def described(ours: Spread, outcome: Outcome, write: Write, note: str = "") -> tuple[str, str]:
    """Return the spread with the seed count, and all that is known about a number."""
    seeds = f"{ours.seeds()}: {', '.join(map(write, ours.values))}"
    hint = "; ".join([seeds, *outcome.notes(), *([note] if note else [])])
    return ours.deviation(write), hint


def _some(found: Spread | None) -> TypeGuard[Spread]:
    return found is not None and found.mean > 0


def _without(outcome: Outcome, reference: str) -> Entry:
    entry = missing(outcome.status(), "; ".join(outcome.notes()))
    return Entry(entry.text, reference=reference, tone=entry.tone, hint=entry.hint)
