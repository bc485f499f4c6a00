"""The numbers of the result pages: printed data, comparisons, summary rows, targets."""

from __future__ import annotations

import pytest
from made_up_records import Folder, full_folder, smoke_folder

from benchmarks.harness.store import write_table
from benchmarks.pages.comparison import score_entry, score_tone, time_entry
from benchmarks.pages.coverage import not_run
from benchmarks.pages.growth import fit_exponent
from benchmarks.pages.names import METHODS, PRINTED, RANKED
from benchmarks.pages.numbers import TIMES, rounded
from benchmarks.pages.outcome import outcome
from benchmarks.pages.results import read_results
from benchmarks.pages.summary import (
    average,
    average_rank,
    not_reproduced,
    our_scores,
    printed_scores,
    summary_rows,
)
from benchmarks.pages.table import Tone
from benchmarks.pages.targets import Verdict, targets
from benchmarks.pages.usenc_paper import usenc_paper_section
from benchmarks.paper.printed import (
    Printed,
    data_sets,
    growth_rates,
    lsec_paper,
    lsec_paper_summary,
    octave_runs,
    usenc_paper,
)

# The printed summary values that do not follow from the printed cells.
WRONG_IN_PRINT = {
    ("acc", "average", "U-SENC"): (72.59, 73.59),
    ("acc", "rank", "LWGP"): (3.30, 3.40),
    ("acc", "rank", "U-SENC"): (2.30, 2.20),
    ("acc", "rank", "LSEC"): (1.90, 1.80),
    ("nmi", "rank", "LSEC"): (1.40, 1.30),
}
# What the U-SENC paper prints as averages over ten sets, and on USPS, whose rows are others there.
USENC_AVERAGES = {
    "nmi_max": {
        "KCC": (42.74, 49.24),
        "ECC": (42.64, 48.89),
        "PTGP": (45.11, 59.63),
        "SEC": (31.21, 39.00),
        "LWGP": (66.62, 57.55),
        "U-SENC": (74.57, 73.89),
    },
    "purity": {
        "KCC": (58.18, 53.46),
        "ECC": (57.80, 53.67),
        "PTGP": (62.32, 62.68),
        "SEC": (50.29, 45.38),
        "LWGP": (74.49, 59.73),
        "U-SENC": (81.68, 78.17),
    },
}


def test_every_printed_method_has_every_data_set():
    assert set(lsec_paper()) == {(data, method) for data in data_sets() for method in PRINTED}
    for (_, method), cell in lsec_paper().items():
        printed = [cell.acc is None, cell.nmi is None, cell.seconds is None]
        assert len(set(printed)) == 1
        assert not any(printed) or method == "EAC"


def test_the_reference_runs_and_growth_rates_are_read():
    assert len(octave_runs()) == 34
    assert {run.setting for run in octave_runs()} == {"released", "favorable"}
    assert list(dict.fromkeys(name for name, _ in growth_rates())) == ["N", "d", "p", "K", "m"]


@pytest.mark.parametrize("name", USENC_AVERAGES)
def test_the_averages_of_the_usenc_paper_follow_from_its_cells(name):
    for method, (average_printed, on_usps) in USENC_AVERAGES[name].items():
        cells = [cell for (_, other), cell in usenc_paper().items() if other == method]
        total = on_usps + sum(getattr(cell, name).mean for cell in cells)
        assert len(cells) == 9
        assert total / 10 == pytest.approx(average_printed, abs=0.0051)


def usenc_section(path, **change):
    """The section of a folder with the numbers of the U-SENC paper, four times as fast."""
    folder = Folder(path)
    for (data, method), cell in usenc_paper().items():
        numbers = {"nmi_max": cell.nmi_max.mean, "purity": cell.purity.mean}
        folder.cell("table", data, method, 0, seconds=cell.seconds / 4, **numbers | change)
    return usenc_paper_section(read_results(folder.close()))


def test_the_usenc_paper_is_level_with_itself(tmp_path):
    nmi, purity, time = usenc_section(tmp_path).parts
    for table in (nmi, purity):
        assert "Of 57 scores, 57 are within" in table.caption
        assert [row[0].text for row in table.rows][:2] == ["PenDigits", "Letters"]
        within = dict(zip(table.columns, (entry.text for entry in table.foot[0]), strict=True))
        assert (within["U-SENC"], within["EAC"]) == ("9 of 9", "3 of 3")
    row = dict(zip(time.columns, time.rows[0], strict=True))
    assert (row["U-SENC"].reference, row["U-SENC"].change) == ("19.1", f"4.0{TIMES}")


def test_the_usenc_paper_is_compared_by_its_own_scores(tmp_path):
    nmi, purity, _ = usenc_section(tmp_path, acc=1.0, nmi=1.0, purity=1.0).parts
    assert "57 are within" in nmi.caption
    assert "0 are within the printed standard deviation, 0 above and 57 below" in purity.caption


def test_smaller_runs_are_not_compared_with_the_usenc_paper(tmp_path):
    nmi, _, _ = usenc_section(tmp_path, n_rows=500).parts
    assert "scores" not in nmi.caption
    assert {entry.change for row in nmi.rows for entry in row} == {""}


@pytest.mark.parametrize(("name", "row", "method"), lsec_paper_summary())
def test_the_rule_gives_the_printed_summary_rows(name, row, method):
    value = (average if row == "average" else average_rank)(printed_scores(name), method)
    printed = lsec_paper_summary()[name, row, method]
    if (name, row, method) in WRONG_IN_PRINT:
        assert (printed, rounded(value)) == WRONG_IN_PRINT[name, row, method]
    else:
        assert rounded(value) == printed


def test_printed_ranks_cannot_all_be_right():
    """Seven places without ties sum to 28; the printed ranks sum to 28.1."""
    for name in ("acc", "nmi"):
        scores = printed_scores(name)
        assert sum(average_rank(scores, method) for method in RANKED) == pytest.approx(28)
        printed = [lsec_paper_summary()[name, "rank", method] for method in RANKED]
        assert sum(printed) == pytest.approx(28.1)


def test_the_wrong_summary_values_are_named():
    found = {(name, row, method): (a, b) for name, row, method, a, b in not_reproduced()}
    assert found == WRONG_IN_PRINT


def test_an_average_needs_all_sets_and_a_missing_score_is_last():
    scores = {"a": {"EAC": 90.0, "KCC": 80.0}, "b": {"EAC": None, "KCC": 70.0}}
    assert average(scores, "EAC") is None
    assert average(scores, "KCC") == 75.0
    assert average_rank(scores, "EAC", ("EAC", "KCC")) == 1.5


@pytest.mark.parametrize(
    ("mean", "printed", "tone"),
    [
        (82.0, Printed(80.0, 1.0), Tone.BETTER),
        (78.0, Printed(80.0, 1.0), Tone.WORSE),
        (80.9, Printed(80.0, 1.0), Tone.LEVEL),
        (79.1, Printed(80.0, 1.0), Tone.LEVEL),
        (79.996, Printed(80.0, 0.0), Tone.LEVEL),  # equal as papers round
        (79.98, Printed(80.0, 0.0), Tone.WORSE),
        (49.78, Printed(44.68, 5.10), Tone.LEVEL),  # one deviation, but for floating point
        (49.79, Printed(44.68, 5.10), Tone.BETTER),
        (99.5, Printed(99.72, 2.31, doubtful=True), Tone.WORSE),
        (50.0, Printed(9.43, 0.31, misprint=True), Tone.PLAIN),
    ],
)
def test_scores_within_the_printed_deviation_are_level(mean, printed, tone):
    assert score_tone(mean, printed) is tone


def runs(tmp_path, **more):
    folder = Folder(tmp_path)
    folder.cell("table", "tb", "LSEC", 0, **more)
    return outcome(read_results(folder.close()), "tb", "LSEC")


def test_a_time_says_how_many_times_faster(tmp_path):
    entry = time_entry(runs(tmp_path, seconds=6.25), 62.5)
    assert (entry.text, entry.reference, entry.change) == ("6.25", "62.5", f"10{TIMES}")
    assert entry.tone is Tone.BETTER
    assert time_entry(runs(tmp_path, seconds=63.0), 62.5).tone is Tone.WORSE


@pytest.mark.parametrize(
    "change", [{"n_rows": 20_000}, {"n_rows": None}, {"parameters": {"n_base": 4}}]
)
def test_smaller_runs_are_not_compared(tmp_path, change):
    entry = score_entry(runs(tmp_path, acc=10.0, **change), "acc", lsec_paper()["tb", "LSEC"].acc)
    assert entry.tone is Tone.PLAIN
    assert entry.change == ""
    assert "not compared" in entry.hint


def test_a_run_without_a_result_says_why(tmp_path):
    lost = runs(tmp_path, status="refused", reason="too many rows", acc=None)
    entry = score_entry(lost, "acc", lsec_paper()["tb", "LSEC"].acc)
    assert (entry.text, entry.tone) == ("refused", Tone.MISSING)
    assert "too many rows" in entry.hint
    assert entry.reference == "99.72 ±2.31"


def exact_folder(path, change=None, methods=METHODS):
    """The printed numbers themselves, 40 times as fast; `change` alters single cells."""
    folder = Folder(path)
    for (data, method), cell in lsec_paper().items():
        if cell.acc and method in methods:
            numbers = {"acc": cell.acc.mean, "nmi": cell.nmi.mean, "seconds": cell.seconds / 40}
            folder.cell("table", data, method, 0, **numbers | (change or {}).get(data, {}))
    return read_results(folder.close())


def test_summary_rows_of_the_printed_numbers_are_the_printed_ones(tmp_path):
    results = exact_folder(tmp_path)
    scores = our_scores(results, "nmi", PRINTED)
    assert average(scores, "LSEC") == average(printed_scores("nmi"), "LSEC")
    averages, ranks = summary_rows(results, "nmi", list(PRINTED), 0)
    columns = ("", *PRINTED)
    assert averages[columns.index("LSEC")].text == "77.21"
    assert averages[columns.index("LSEC")].tone is Tone.LEVEL
    # EAC lacks runs on seven sets here, so that only three sets have all ranks.
    assert ranks[0].spread == "over 3 sets"


@pytest.mark.parametrize(("below", "tone"), [(2.0, Tone.LEVEL), (30.0, Tone.WORSE)])
def test_an_average_is_judged_by_the_deviations_of_all_sets(tmp_path, below, tone):
    printed = lsec_paper()
    band = sum(cell.acc.sd**2 for (_, name), cell in printed.items() if name == "LWGP") ** 0.5
    assert 2.0 < band < 30.0
    low = {"pendigits": {"acc": printed["pendigits", "LWGP"].acc.mean - below}}
    results = exact_folder(tmp_path, low, methods=["LWGP"])
    (averages,) = summary_rows(results, "acc", ["LWGP"], 0)
    assert averages[1].tone is tone


def verdicts(results):
    return [target.verdict for target in targets(results)]


def test_printed_scores_at_40_times_the_speed_meet_all_targets(tmp_path):
    results = exact_folder(tmp_path)
    assert verdicts(results)[:2] == [Verdict.MET, Verdict.MET]
    assert verdicts(results)[3] is Verdict.MET
    assert verdicts(results)[2] is Verdict.OPEN  # LSEC+ was not run
    assert verdicts(results)[4] is Verdict.MET


def test_two_settings_that_share_the_targets_are_not_one_that_meets_all(tmp_path):
    low = {"acc": 1.0}
    exact_folder(tmp_path, {"pendigits": low, "usps": low})
    slow = Folder(tmp_path)
    for data in data_sets():
        printed = lsec_paper()[data, "LSEC"]
        numbers = {"acc": printed.acc.mean, "nmi": printed.nmi.mean}
        numbers["seconds"] = printed.seconds / 20
        slow.cell("table", data, "LSEC+", 0, **numbers | low)
        slow.cell("table", data, "LSEC++", 0, parameters={"n_landmarks": 2000}, **numbers)
    found = targets(read_results(slow.close()))
    assert [found[i].verdict for i in (0, 1, 3)] == [Verdict.MET] * 3
    assert found[4].verdict is Verdict.MISSED
    assert "LSEC++ (missed): scores met, averages and ranks met, speed missed" in found[4].details


def test_two_sets_below_print_miss_the_first_target(tmp_path):
    low = {"acc": 1.0}
    assert verdicts(exact_folder(tmp_path / "1", {"tb": low}))[0] is Verdict.MET
    results = exact_folder(tmp_path / "2", {"tb": low, "sf": low})
    assert outcome(results, "tb", "LSEC+").cells == []
    # The other settings of LSEC were not run and could still meet it.
    assert verdicts(results)[0] is Verdict.OPEN
    others = Folder(tmp_path / "2")
    for data in data_sets():
        others.cell("table", data, "LSEC+", 0, **low)
        others.cell("table", data, "LSEC++", 0, **low)
    assert verdicts(read_results(others.close()))[0] is Verdict.MISSED


@pytest.mark.parametrize(
    ("method", "landmarks", "judged"),
    [("LSEC+", 1000, True), ("LSEC+", 2000, False), ("LSEC++", 2000, True), ("LSEC++", 500, False)],
)
def test_only_the_landmarks_of_a_method_are_judged(tmp_path, method, landmarks, judged):
    folder = Folder(tmp_path)
    folder.cell("table", "tb", method, 0, parameters={"n_landmarks": landmarks})
    assert outcome(read_results(folder.close()), "tb", method).as_printed == judged


def test_one_slow_run_misses_the_time_target(tmp_path):
    assert verdicts(exact_folder(tmp_path, {"cc": {"seconds": 1e6}}))[2] is Verdict.MISSED


def test_a_refused_run_misses_the_time_target(tmp_path):
    folder = Folder(tmp_path)
    folder.lost("table", "mnist", "PTGP", 0, "refused", "no memory")
    found = targets(read_results(folder.close()))[2]
    assert found.verdict is Verdict.MISSED
    assert "not all seeds have a result: PTGP on MNIST" in found.details[0]


@pytest.mark.parametrize("n_ok", [0, 1])
def test_a_set_that_was_tried_in_vain_misses_targets(tmp_path, n_ok):
    exact_folder(tmp_path)
    folder = Folder(tmp_path)
    folder.records["table"].remove(["table-fl-LSEC--0"])
    for seed in range(n_ok):
        folder.cell("table", "fl", "LSEC", seed, acc=99.0, nmi=99.0, seconds=1.0)
    folder.lost("table", "fl", "LSEC", n_ok, "timeout", "more than 7200 s")
    reached, above, faster, much_faster, _ = targets(read_results(folder.close()))
    assert reached.details[0].startswith("LSEC (met): 9 reached; below: FL-20M (not all seeds")
    assert above.details[0] == "LSEC (missed): not all seeds have a result: FL-20M"
    assert faster.details[0].endswith("not all seeds have a result: LSEC on FL-20M; 20 not run")
    assert "LSEC (missed)" in much_faster.details[0]
    assert much_faster.details[0].endswith("FL-20M not all seeds have a result")


def test_small_runs_judge_no_target(tmp_path):
    assert verdicts(read_results(smoke_folder(tmp_path))) == [Verdict.OPEN] * 5


def test_planned_cells_without_a_record_are_counted(tmp_path):
    results = read_results(full_folder(tmp_path, seeds=1, picture_points=500))
    assert dict(not_run(results)) == {("table", "fl", "PTGP", 0): 1}


def test_an_exponent_is_the_slope_of_the_logarithms():
    assert fit_exponent([(10, 3), (100, 3), (1000, 3)]) == 0
    assert fit_exponent([(2, 4), (4, 16), (8, 64)]) == pytest.approx(2)
    assert fit_exponent([(2, 4), (2, 5)]) is None


def test_machines_are_numbered(tmp_path):
    folder = Folder(tmp_path)
    folder.cell("table", "tb", "LSEC", 0)
    folder.cell("table", "tb", "LSEC", 1, machine={"cpu": "Other"})
    results = read_results(folder.close())
    assert [cell.setting for cell in results.cells] == [1, 2]
    assert "machine 1; machine 2" in score_entry(outcome(results, "tb", "LSEC"), "acc", None).hint


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"study": "table"}, "lacks data, method, seed"),
        ({"study": "table", "data": "tb", "method": "LSEC", "seed": 0}, "The status of bad must"),
    ],
)
def test_records_of_something_else_are_named(tmp_path, record, message):
    write_table(tmp_path / "table.csv.gz", {"bad": record})
    with pytest.raises(ValueError, match=message):
        read_results(tmp_path)


def test_a_folder_without_records_is_refused(tmp_path):
    with pytest.raises(ValueError, match="has no records of runs"):
        read_results(tmp_path)


def test_records_that_are_not_planned_are_left_out(tmp_path):
    folder = Folder(tmp_path)
    for seed in (0, 1):
        folder.cell("table", "tb", "LSEC", seed)
    del folder.planned["table-tb-LSEC--1"]
    assert [cell.seed for cell in read_results(folder.close()).cells] == [0]
