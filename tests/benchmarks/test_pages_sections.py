"""The numbers of every section: each stands where it belongs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from made_up_records import Folder

from benchmarks.pages import members
from benchmarks.pages.ablations import LIGHT, REUSE, ablation_section
from benchmarks.pages.charts import BOTTOM, TOP, Point, Series, line_chart
from benchmarks.pages.coverage import gaps_section, overview
from benchmarks.pages.growth import growth_section
from benchmarks.pages.markdown import markdown_table
from benchmarks.pages.members import members_section, style_of
from benchmarks.pages.names import METHODS, RANKED
from benchmarks.pages.numbers import NONE, TIMES
from benchmarks.pages.outcome import outcome
from benchmarks.pages.peers import peers_section
from benchmarks.pages.results import read_results
from benchmarks.pages.scores import score_table, time_table
from benchmarks.pages.summary import summary_rows
from benchmarks.pages.svg import MARKS
from benchmarks.pages.table import Entry, Figure, Table, Tone
from benchmarks.pages.targets import targets
from benchmarks.paper.printed import growth_rates


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def rows_of(section):
    """The texts of all rows of the tables of a section."""
    tables = [part for part in section.parts if isinstance(part, Table)]
    return [[entry.text for entry in row] for table in tables for row in table.rows]


@pytest.mark.parametrize(
    ("ablation", "name", "ours", "other"),
    [(REUSE, "reuse_neighbors", True, False), (LIGHT, "discretization", "light", "kmeans")],
)
def test_an_ablation_sets_ours_before_the_other(folder, ablation, name, ours, other):
    numbers = {ours: (80.0, 70.0, 2.0), other: (60.0, 50.0, 5.0)}
    for value, (acc, nmi, seconds) in numbers.items():
        varied = {"name": name, "value": value}
        folder.cell(
            ablation.study, "tb", "LSEC", 0, varied=varied, acc=acc, nmi=nmi, seconds=seconds
        )
    section = ablation_section(read_results(folder.close()), ablation)
    row = ["TB-1M", "LSEC", "80.00", "60.00", "70.00", "50.00", "2.00", "5.00", f"2.5{TIMES}"]
    assert rows_of(section) == [row]
    (figure,) = [part for part in section.parts if isinstance(part, Figure)]
    bars = "".join(figure.panels)
    assert [float(text) for text in re.findall(r"(\d+\.\d+), 1 seed", bars)] == [
        80.0, 60.0, 70.0, 50.0, 2.0, 5.0,
    ]  # fmt: skip


def test_points_of_a_member_chart_lie_where_their_scores_are(folder):
    for m, acc in ((5, 60.0), (10, 80.0), (20, 70.0)):
        folder.cell("members", "tb", "EAC", 0, varied={"name": "m", "value": m}, acc=acc)
    section = members_section(read_results(folder.close()))
    (figure,) = [part for part in section.parts if isinstance(part, Figure)]
    point = r"translate\(([\d.]+),([\d.]+)\)\"><title>EAC, m = (\d+): "
    found = re.findall(point, figure.panels[0])
    assert [m for _, _, m in found] == ["5", "10", "20"]
    across, down = ([float(place[axis]) for place in found] for axis in (0, 1))
    assert across == sorted(across)
    assert down[1] < down[2] < down[0]
    assert down[0] - down[2] == pytest.approx(down[2] - down[1], abs=0.2)
    assert rows_of(section)[0] == ["TB-1M", "EAC", "60.00", "80.00", "70.00"]


def test_every_method_has_a_color_and_a_mark_of_its_own():
    style = (Path(members.__file__).parent / "style.css").read_text()
    light, dark = style.split("prefers-color-scheme: dark")
    seen = set()
    for method in METHODS:
        name = style_of(method)
        assert f".{name} {{ --c: var(--{name}); }}" in style
        colors = [re.search(rf"--{name}: (#\w+);", part).group(1) for part in (light, dark)]
        seen.add((*colors, MARKS[int(name[1:])]))
    assert len(seen) == len(METHODS) <= len(MARKS)


def test_growth_is_judged_by_the_power_that_a_method_may_have(folder):
    for method, power in (("LSEC", 1.0), ("U-SENC", 1.2)):
        for m in (5, 10, 20):
            varied = {"name": "m", "value": m}
            folder.cell("growth", "sf", method, 0, varied=varied, seconds=3.0 * m**power)
    section = growth_section(read_results(folder.close()))
    (table,) = [part for part in section.parts if isinstance(part, Table)]
    judged = {row[3].text: (row[4].text, row[4].tone) for row in table.rows}
    assert judged == {"LSEC": ("1.00", Tone.LEVEL), "U-SENC": ("1.20", Tone.WORSE)}
    terms = {row[3].text: row[6].text for row in table.rows}
    assert terms == {name: growth_rates()["m", name].term for name in terms}
    assert "shared" in terms["LSEC"]
    assert "shared" not in terms["U-SENC"]


def test_a_curve_names_the_size_that_it_was_run_with(folder):
    for value, title in ((1_000_000, "FL-1M"), (2_000_000, "FL-2M")):
        varied = {"name": "N", "value": value}
        folder.cell("growth", "fl", "LSEC", 0, varied=varied, data_title=title)
    folder.cell("growth", "fl", "LSEC", 0, varied={"name": "m", "value": 5}, data_title="FL-500k")
    assert [row[2] for row in rows_of(growth_section(read_results(folder.close())))] == [
        "FL", "FL-500k",
    ]  # fmt: skip


def test_peers_stand_beside_ours(folder):
    numbers = {"acc": 40.0, "nmi": 30.0, "ari": 20.0, "seconds": 3.0, "cpu_seconds": 6.0}
    folder.cell("peers", "tb", "KMeans", 0, **numbers, peak_bytes=2**30, n_clusters_found=2)
    ours = {name: value + 1 for name, value in numbers.items()}
    folder.cell("table", "tb", "LSEC", 0, **ours, peak_bytes=2**29)
    folder.lost("peers", "tb", "HDBSCAN", 0, "timeout", "took more than 600 s")
    assert rows_of(peers_section(read_results(folder.close()))) == [
        ["LSEC", "4.00", "7.00", "512", "41.00", "31.00", "21.00", NONE],
        ["HDBSCAN", *["timeout"] * 7],
        ["KMeans", "3.00", "6.00", "1,024", "40.00", "30.00", "20.00", "2"],
    ]


def test_runs_without_a_result_are_listed_with_their_reasons(folder):
    for seed in range(3):
        folder.lost("table", "mnist", "EAC", seed, "refused", f"{7 + seed // 2} GiB are too much")
        folder.lost("table", "mnist", "LWEA", seed, "refused", "too large")
    folder.plan("table", "fl", "PTGP", 0)
    too_much = "GiB are too much"
    assert rows_of(gaps_section(read_results(folder.close()))) == [
        ["refused", "table", "MNIST", "EAC", "", "3", f"7 {too_much} (one of 2 such reasons)"],
        ["refused", "table", "MNIST", "LWEA", "", "3", "too large"],
        ["table", "FL-20M", "1", "PTGP"],
    ]


def test_nothing_is_said_of_a_plan_that_is_not_there(folder):
    folder.cell("table", "tb", "LSEC", 0)
    with_plan = overview(read_results(folder.close())).counts
    assert (with_plan["planned"], with_plan["not run"]) == (1, 0)
    (folder.path / "plan.csv.gz").unlink()
    results = read_results(folder.path)
    assert overview(results).counts.keys() == with_plan.keys() - {"planned", "not run"}
    assert "not known" in gaps_section(results).empty


def test_signs_say_what_is_better():
    row = tuple(
        Entry(tone.value, reference="1", change="+1", tone=tone)
        for tone in (Tone.BETTER, Tone.WORSE, Tone.LEVEL)
    )
    line = markdown_table(Table("t", ("a", "b", "c"), [row])).splitlines()[-1]
    assert line == "| better (1 +1 ▲) | worse (1 +1 ▼) | level (1 +1) |"


def test_a_method_that_was_not_run_on_a_set_has_no_rank(folder):
    for data in ("tb", "sf"):
        for method in RANKED:
            folder.cell("table", data, method, 0)
    folder.cell("table", "tb", "LSEC+", 0)
    _, ranks = summary_rows(read_results(folder.close()), "acc", ["LSEC", "LSEC+"], 0)
    assert re.fullmatch(r"\d\.\d\d", ranks[1].text)
    assert ranks[2].text == NONE


def test_a_target_that_was_missed_by_little_does_not_look_reached(folder):
    for data in ("tb", "sf", "cc", "cg", "fl"):
        folder.cell("table", data, "LSEC", 0, seconds=62.5 / 29.97 if data == "tb" else 0.1)
    text = targets(read_results(folder.close()))[3].details[0]
    assert text.startswith(f"LSEC (missed): TB-1M 29.9{TIMES}, ")


def test_a_score_says_its_seeds_and_machine(folder):
    for seed, acc in enumerate((99.0, 98.0)):
        folder.cell("table", "tb", "LSEC", seed, acc=acc)
    table = score_table(read_results(folder.close()), "acc")
    (entry,) = [entry for row in table.rows for entry in row if entry.text == "98.50"]
    assert entry.hint.startswith("2 seeds: 99.00, 98.00; machine 1")
    assert entry.spread == f"±0.71 {TIMES}2"


def test_the_best_of_a_row_is_marked(folder):
    for method, acc, seconds in (("LSEC", 99.0, 2.0), ("KCC", 98.0, 1.0)):
        folder.cell("table", "tb", method, 0, acc=acc, seconds=seconds)
    results = read_results(folder.close())
    for table, best in ((score_table(results, "acc"), "99.00"), (time_table(results), "1.00")):
        assert [entry.text for entry in table.rows[0] if entry.best] == [best]


def test_reasons_that_differ_in_numbers_are_said_once(folder):
    for seed in range(3):
        folder.lost("table", "tb", "EAC", seed, "refused", f"{seed} GiB are too much")
    (said,) = outcome(read_results(folder.close()), "tb", "EAC").notes()[1:]
    assert said == "3 refused: 0 GiB are too much (one of 3 such reasons)"


def test_what_is_planned_has_its_own_size(folder):
    folder.plan("table", "tb", "LSEC", 0)
    next(iter(folder.planned.values()))["data_title"] = "TB-10k"
    assert rows_of(gaps_section(read_results(folder.close()))) == [["table", "TB-10k", "1", "LSEC"]]


def test_deviations_fit_into_a_chart():
    points = [Point(1, 50.0, 40.0, ""), Point(2, 60.0, 1.0, "")]
    for log in (False, True):
        chart = line_chart("t", [Series(points, "k0")], "x", log_y=log)
        bars = re.findall(
            r'<line x1="[\d.]+" y1="([\d.]+)" x2="[\d.]+" y2="([\d.]+)"[^>]*deviation', chart
        )
        ends = [float(end) for bar in bars for end in bar]
        assert len(ends) == 4
        assert TOP < min(ends) < max(ends) < BOTTOM
