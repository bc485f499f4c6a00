"""The benchmarks' bookkeeping: verdicts, resuming, rendering. Nothing is timed here."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import __main__ as command
from benchmarks import measure as measuring
from benchmarks import report, session, store
from benchmarks.measure import Measurement, TaskFailed
from benchmarks.published import LSEC_PAPER, POOLS, Printed
from benchmarks.session import NotLoaded, Plan, Session, Study
from benchmarks.studies import STUDIES, baselines, predict, small_data, startup
from benchmarks.studies import consensus as consensus_study
from benchmarks.studies import distributed as distributed_study
from benchmarks.studies import families as families_study
from benchmarks.studies import functions as functions_study
from benchmarks.studies import outofcore as outofcore_study
from benchmarks.studies import pools as pools_study
from benchmarks.tables import NOT_YET, Table, Verdict, at_least, at_most, number, runs_of

MACHINE = {"cpu": "abacus", "cores": "2"}
WITHOUT_TARGETS = ("ablations", "families", "functions")


class FakeMeasure:
    """Stands in for `measure`: every lap takes a second, unless a method is named slow."""

    def __init__(self, slow=(), score=100.0, missing=()):
        self.slow, self.score, self.missing = slow, score, missing
        self.fits = []

    def __call__(self, task, environment=None, **asked):
        if task == "stage":
            lost = asked["source"] in self.missing
            return Measurement({}, 0, 0, {"not_run": "it is lost"} if lost else {})
        name = asked.get("estimator", "")
        seconds = 50.0 if name in self.slow else 1.0
        laps = {"import": 1, "first": 1, "second": 1, "fit": seconds, "predict": 0.1}
        laps |= {"micro-clusters": 1, "join": 0.1, "confidence": 1, "all": 1}
        eigh = dict.fromkeys(asked.get("eigh_threads", ()), 0.1)
        places = distributed_study.THREADS, distributed_study.CLUSTER, distributed_study.LAZY
        every = {**laps, **eigh, **dict.fromkeys(places, 1.0), "LSEC": 1.0, "KMeans": 1.0}
        scores = dict.fromkeys(("acc", "nmi", "nmi_max", "purity"), self.score)
        methods = asked.get("methods", ())
        printed = POOLS.get(asked.get("name"), {})
        self.fits.append((name, asked.get("parameters", {}).get("random_state")))
        return Measurement(
            {lap: [{"seconds": s, "cpu_seconds": 2 * s}] for lap, s in every.items()},
            rss_before=2**27,
            peak_rss=2**29,
            result={
                "n_rows": 1000,
                "n_new_rows": 1000,
                "input_bytes": 2**20,
                "labels": "abc",
                "hashes": dict.fromkeys(places, "abc"),
                "stages": {place: {"landmarks": 0.5} for place in places},
                "timings": {"landmarks": 0.5},
                "numba": False,
                "scores": {"LSEC": scores, "KMeans": scores},
                "joined": {method: {"seconds": 1.0, "chosen": 3, **scores} for method in methods},
                "n_micro_clusters": 500,
                "n_clusters": 3,
                "confidence": 0.9,
                **scores,
                **({"nmi_max": {m: [printed.get(m, 0.5)] for m in methods}} if printed else {}),
            },
        )


@pytest.fixture
def faked(monkeypatch):
    """Replaces `measure` everywhere: faked(slow=..., score=...)."""

    def install(**how):
        fake = FakeMeasure(**how)
        studies = (consensus_study, families_study, functions_study, outofcore_study, pools_study)
        for module in (session, predict, small_data, startup, distributed_study, *studies):
            monkeypatch.setattr(module, "measure", fake)
        monkeypatch.setattr(session, "stamp", lambda: {"date": "2025-01-01", "commit": "c0ffee"})
        return fake

    return install


def measured(name, plan=None):
    """The results of a study that ran with a fake `measure`."""
    results = store.Results(name, MACHINE)
    with Session(plan or Plan(), results, save=lambda _: None) as running:
        STUDIES[name].run(running)
    return results


def verdicts(name, results):
    tables = STUDIES[name].tables(results.cells)
    return [verdict for table in tables for _, verdict in table.verdicts()]


def test_a_target_is_met_up_to_and_including_itself():
    assert at_most(2.0, 2.0) is Verdict.MET
    assert at_most(2.0000001, 2.0) is Verdict.MISSED
    assert at_least(84.5, 84.5) is Verdict.MET
    assert at_least(84.4999, 84.5) is Verdict.MISSED


def test_baselines_are_judged_by_two_printed_deviations():
    printed = Printed(82.27, 1.33)  # floor 79.61
    assert baselines.judge([79.61], printed)[-2:] == ("79.61", Verdict.MET)
    assert baselines.judge([79.60], printed)[-1] is Verdict.MISSED
    assert baselines.judge([99.976], Printed(99.98, 0.0))[-1] is Verdict.MET  # as papers round
    misprint = LSEC_PAPER["DnCSC"]["sf"].acc
    assert baselines.judge([50.0], misprint)[-1] is Verdict.NOT_JUDGED


@pytest.mark.parametrize("name", [name for name in STUDIES if name not in WITHOUT_TARGETS])
def test_good_numbers_meet_every_target(name, faked):
    faked()
    found = verdicts(name, measured(name))
    assert Verdict.MET in found
    assert Verdict.MISSED not in found


@pytest.mark.parametrize("name", ["quality", "baselines"])
def test_bad_scores_miss_every_target(name, faked):
    faked(score=1.0)
    assert set(verdicts(name, measured(name))) - {Verdict.NOT_JUDGED} == {Verdict.MISSED}


@pytest.mark.parametrize("name", ["speed", "mnist"])
def test_slow_fits_miss_the_ratio(name, faked):
    faked(slow=["LSEC"])
    assert set(verdicts(name, measured(name))) == {Verdict.MISSED}


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_has_a_small_version(name, faked):
    full = faked()
    measured(name)
    small = faked()
    text = report.render_small(STUDIES[name], measured(name, Plan(small=True)))
    assert "| - |" in text or name in WITHOUT_TARGETS
    assert NOT_YET not in text
    assert "missed" not in text
    assert 0 < len(small.fits) <= len(full.fits)


def test_methods_are_run_in_turns(faked):
    fake = faked()
    measured("speed", Plan(n_repeats=2))
    assert fake.fits == [("LSEC", 0), ("KMeans", 0), ("LSEC", 1), ("KMeans", 1)]


def test_a_data_set_that_cannot_be_loaded_is_noted_and_the_others_run(faked):
    faked(missing=["load_mnist"])
    results = measured("quality")
    (table,) = STUDIES["quality"].tables(results.cells)
    rows = {row[0]: row for row in table.rows}
    assert rows["MNIST"][1] == "not run: it is lost"
    assert Verdict.MET in rows["Letters"]
    assert "not run: it is lost" in report.render([(STUDIES["quality"], results)])
    assert "not run: it is lost" in STUDIES["mnist"].tables(measured("mnist").cells)[0].markdown()


def test_finished_cells_are_not_measured_again(tmp_path, faked):
    fake = faked()
    plan = Plan(n_seeds=2, only=("pendigits", "letters"))

    def go(seeds):
        results = store.resume("quality", MACHINE, tmp_path)
        asked = Plan(n_seeds=seeds, only=plan.only)
        with Session(asked, results, save=lambda r: store.write(r, tmp_path)) as running:
            STUDIES["quality"].run(running)

    go(2)
    assert len(fake.fits) == 4
    go(3)
    assert fake.fits[4:] == [("LSEC", 2), ("LSEC", 2)]
    assert len(runs_of(store.read("quality", tmp_path).cells, "letters")) == 3


def test_a_crash_keeps_what_was_measured_before_it(tmp_path, faked):
    faked()
    results = store.Results("quality", MACHINE)

    def crash():
        raise TaskFailed("out of memory")

    with (
        pytest.raises(TaskFailed),
        Session(Plan(), results, lambda r: store.write(r, tmp_path)) as running,
    ):
        running.cell("tb/0", lambda: {"acc": 1.0})
        running.cell("tb/1", crash)
    assert list(store.read("quality", tmp_path).cells) == ["tb/0"]


def test_results_of_another_machine_are_not_continued(tmp_path):
    store.write(store.Results("quality", MACHINE), tmp_path)
    with pytest.raises(store.OtherMachine, match=r"cores differ.*--fresh"):
        store.resume("quality", {**MACHINE, "cores": "64"}, tmp_path)


def test_fresh_drops_only_the_data_sets_asked_for(tmp_path, monkeypatch):
    cells = {"tb/0": {"acc": 1.0}, "sf/0": {"acc": 2.0}}
    monkeypatch.setattr(
        command.store, "resume", lambda *_: store.Results("q", MACHINE, dict(cells))
    )
    assert command.begin("q", MACHINE, Plan(only=("tb",)), fresh=True).cells == {
        "sf/0": {"acc": 2.0}
    }
    assert command.begin("q", MACHINE, Plan(), fresh=True).cells == {}
    assert command.begin("q", MACHINE, Plan(), fresh=False).cells == cells


def test_running_one_study_again_replaces_only_its_section(tmp_path, faked):
    faked()
    page = tmp_path / "RESULTS.md"
    store.write(measured("growth"), tmp_path)
    store.write(measured("speed"), tmp_path)
    report.write_report(STUDIES.values(), tmp_path, page)
    before = page.read_text()
    assert "| speed | 1 | 0 | - |" in before

    faked(slow=["LSEC"])
    store.write(measured("speed"), tmp_path)
    report.write_report(STUDIES.values(), tmp_path, page)
    after = page.read_text()
    assert "| speed | 0 | 1 | LSEC / KMeans, time of fit |" in after
    assert after.split("## growth")[1] == before.split("## growth")[1]
    assert "2025-01-01 at commit c0ffee" in after
    assert "| cpu | abacus |" in after


def test_two_machines_are_told_apart(faked):
    faked()
    one, other = measured("speed"), measured("growth")
    other.machine = {**MACHINE, "cores": "4"}
    text = report.render([(STUDIES["speed"], one), (STUDIES["growth"], other)])
    assert "c0ffee on machine 2." in text
    assert "**Machine 2**" in text


def test_a_study_that_crashes_gives_an_exit_code_and_the_next_one_runs(monkeypatch):
    def crash(_):
        raise TaskFailed("boom")

    def tables(_):
        return [Table("T", ("a",), [("ran",)])]

    broken = Study("broken", "t", "x", crash, tables)
    sound = Study("sound", "t", "x", lambda _: None, tables)
    monkeypatch.setattr(command, "STUDIES", {"broken": broken, "sound": sound})
    outcome = CliRunner().invoke(command.main, ["--small"])
    assert outcome.exit_code == 1
    assert "boom" in outcome.output
    assert "ran" in outcome.output


def test_a_task_runs_in_a_process_of_its_own():
    done = measuring.measure("import_time", module="wave", name="open")
    assert "wave" not in sys.modules
    assert done.result == {"numba": False}
    assert 0 < done.rss_before <= done.peak_rss
    assert done.run("import")["seconds"] > 0
    with pytest.raises(TaskFailed, match="ModuleNotFoundError"):
        measuring.measure("import_time", module="no_such_module", name=None)


def test_not_loaded_is_forgotten_once_the_data_set_is_there(faked):
    faked()
    results = store.Results("quality", MACHINE)
    with Session(Plan(), results, save=lambda _: None) as running:
        with running.attempt("tb"):
            raise NotLoaded("gone")
        assert "tb/not run" in results.cells
        with running.attempt("tb"):
            pass
        assert "tb/not run" not in results.cells


def test_numbers_are_short_and_plain():
    assert [number(x) for x in (0, 0.01234, 1.5, 12.34, 1234.5)] == [
        "0", "0.0123", "1.50", "12.3", "1234",
    ]  # fmt: skip
