"""The targets of the reproduction, judged from the cells."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.pages.names import METHODS, OURS, RANKED, printed_name
from benchmarks.pages.numbers import ratio, reached, rounded, score
from benchmarks.pages.outcome import outcome
from benchmarks.pages.results import Results
from benchmarks.pages.summary import (
    average,
    average_rank,
    others_printed,
    our_scores,
    printed_scores,
    with_ours,
)
from benchmarks.pages.table import Verdict
from benchmarks.paper.printed import data_sets, lsec_paper

SETS_TO_REACH = 9
TIMES_FASTER = 30
SCORES = {"acc": "ACC", "nmi": "NMI"}
WITHOUT = "not all seeds have a result"


@dataclass(frozen=True)
class Target:
    """A target, its verdict and what the verdict rests on."""

    title: str
    verdict: Verdict
    details: list[str]


def targets(results: Results) -> list[Target]:
    """Judge all targets."""
    total = len(data_sets())
    scores = {method: _scores_reached(results, method) for method in OURS}
    above = {method: _above_others(results, method) for method in OURS}
    speed = {method: _much_faster(results, method) for method in OURS}
    return [
        _best(
            f"LSEC at or above print in ACC and NMI on at least {SETS_TO_REACH} of {total} sets",
            scores,
        ),
        _best("LSEC above every other printed method in average score and rank", above),
        _all_faster(results),
        _best(
            f"LSEC at least {TIMES_FASTER} times faster than print on the five synthetic sets",
            speed,
        ),
        _best(
            "One setting of LSEC meets all of these",
            {method: _all_of([scores[method], above[method], speed[method]]) for method in OURS},
        ),
    ]


def _all_of(judged: list[tuple[Verdict, str]]) -> tuple[Verdict, str]:
    """Join the verdicts of one setting of LSEC."""
    verdicts = [verdict for verdict, _ in judged]
    order = (Verdict.MISSED, Verdict.OPEN, Verdict.MET)
    said = zip(("scores", "averages and ranks", "speed"), verdicts, strict=True)
    return min(verdicts, key=order.index), ", ".join(f"{name} {v.value}" for name, v in said)


def _best(title: str, judged: dict[str, tuple[Verdict, str]]) -> Target:
    """Join the verdicts of all settings of LSEC: one that meets the target is enough."""
    verdicts = [verdict for verdict, _ in judged.values()]
    order = (Verdict.MET, Verdict.OPEN, Verdict.MISSED)
    verdict = min(verdicts, key=order.index)
    details = [f"{method} ({own.value}): {text}" for method, (own, text) in judged.items()]
    return Target(title, verdict, details)


def _scores_reached(results: Results, method: str) -> tuple[Verdict, str]:
    reached, below, waiting = [], [], []
    for data, facts in data_sets().items():
        runs, printed = outcome(results, data, method), lsec_paper()[data, "LSEC"]
        if not runs.comparable:
            waiting.append(facts.title)
            continue
        ours = {name: runs.spread(name) for name in SCORES}
        short = [
            f"{SCORES[name]} {score(found.mean) if found else 'none'} < {score(paper.mean)}"
            for name, found in ours.items()
            if (paper := printed.score(name)) and not (found and rounded(found.mean) >= paper.mean)
        ]
        if not runs.complete:
            below.append(f"{facts.title} ({WITHOUT})")
        elif short:
            below.append(f"{facts.title} ({', '.join(short)})")
        else:
            reached.append(facts.title)
    text = _sentence(f"{len(reached)} reached", {"below": below, "not run": waiting})
    return _verdict(len(reached), len(waiting), SETS_TO_REACH), text


def _verdict(reached: int, waiting: int, needed: int) -> Verdict:
    if reached >= needed:
        return Verdict.MET
    return Verdict.OPEN if reached + waiting >= needed else Verdict.MISSED


def _above_others(results: Results, method: str) -> tuple[Verdict, str]:
    runs = {facts.title: outcome(results, data, method) for data, facts in data_sets().items()}
    run = [title for title, found in runs.items() if found.comparable]
    if len(run) < len(runs):
        return Verdict.OPEN, f"{len(run)} of {len(runs)} sets run"
    lost = [title for title, found in runs.items() if not found.complete]
    if lost:
        return Verdict.MISSED, f"{WITHOUT}: {', '.join(lost)}"
    verdicts, texts = [], []
    for name, title in SCORES.items():
        scores = our_scores(results, name, [method])
        ours = average(scores, method)
        if ours is None:
            return Verdict.MISSED, WITHOUT
        mixed = with_ours(printed_scores(name), scores, method)
        ranks = {other: average_rank(mixed, other) or 0.0 for other in RANKED}
        own = ranks.pop("LSEC")
        others = others_printed(name)
        second, closest = max(others, key=others.__getitem__), min(ranks, key=ranks.__getitem__)
        verdicts.append(ours > others[second] and own < ranks[closest])
        texts.append(
            f"{title} average {score(ours)} (next {second} {score(others[second])}), "
            f"rank {own:.2f} (next {closest} {ranks[closest]:.2f})"
        )
    return Verdict.MET if all(verdicts) else Verdict.MISSED, "; ".join(texts)


def _all_faster(results: Results) -> Target:
    faster, slower, failed, waiting = 0, [], [], 0
    for data, facts in data_sets().items():
        for method in METHODS:
            cell = lsec_paper().get((data, printed_name(method)))
            if cell is None or cell.seconds is None:
                continue
            runs = outcome(results, data, method)
            ours = runs.spread("seconds")
            if not runs.comparable:
                waiting += 1
            elif ours is None or not runs.complete:
                failed.append(f"{method} on {facts.title}")
            elif ours.mean < cell.seconds:
                faster += 1
            else:
                slower.append(f"{method} on {facts.title} ({ratio(cell.seconds / ours.mean)})")
    verdict = Verdict.MISSED if slower or failed else Verdict.OPEN if waiting else Verdict.MET
    text = _sentence(f"{faster} faster", {"slower": slower, WITHOUT: failed})
    return Target(
        "Every method faster than its printed time on every set",
        verdict,
        [text + (f"; {waiting} not run" if waiting else "")],
    )


def _much_faster(results: Results, method: str) -> tuple[Verdict, str]:
    said, verdicts = [], []
    for data, facts in data_sets().items():
        printed = lsec_paper()[data, "LSEC"].seconds
        if not facts.synthetic or printed is None:
            continue
        runs = outcome(results, data, method)
        ours = runs.spread("seconds")
        if not runs.comparable:
            verdicts.append(Verdict.OPEN)
            said.append(f"{facts.title} not run")
        elif ours is None or not runs.complete:
            verdicts.append(Verdict.MISSED)
            said.append(f"{facts.title} {WITHOUT}")
        else:
            times = printed / ours.mean
            verdicts.append(Verdict.MET if times >= TIMES_FASTER else Verdict.MISSED)
            said.append(f"{facts.title} {reached(times)}")
    order = (Verdict.MISSED, Verdict.OPEN, Verdict.MET)
    return min(verdicts, key=order.index), ", ".join(said)


def _sentence(start: str, lists: dict[str, list[str]]) -> str:
    """Name the members of the lists that are not empty."""
    rest = [f"{name}: {', '.join(items)}" for name, items in lists.items() if items]
    return "; ".join([start, *rest])
