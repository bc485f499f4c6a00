"""Studies of ours: verdicts, resuming, rendering. Nothing is timed here."""

import subprocess
import sys
from dataclasses import replace

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as command
from benchmarks.attack.supervise import Tally
from benchmarks.harness.data import DATA
from benchmarks.harness.import_task import import_time
from benchmarks.harness.machine import ROOT
from benchmarks.harness.process import Measurement, TaskFailed, measure
from benchmarks.harness.store import Records
from benchmarks.pages.numbers import number
from benchmarks.pages.table import Verdict
from benchmarks.paper.peers import PEERS
from benchmarks.paper.printed import Printed, lsec_paper, pools
from benchmarks.studies import (
    STUDIES,
    attack,
    baselines,
    blobs,
    peers,
    quality,
    results_page,
    study,
)
from benchmarks.studies import distributed as distributed_study
from benchmarks.studies import pictures as pictures_study
from benchmarks.studies.figures import NOT_YET, at_least, at_most, runs_of, table
from benchmarks.studies.study import NotLoaded, OtherMachine, Plan, Session, Study

MACHINE = {"machine": {"cpu": "abacus", "cores": "2"}, "versions": {"python": "3"}}
WITHOUT_TARGETS = ("ablations", "families", "functions", "shapes")
CLASSES = {data.source: data.n_clusters for data in DATA.values()}


class FakeMeasure:
    """Stands in for `measure`: every lap takes a second, unless a method is named slow."""

    def __init__(self, slow=(), score=100.0, missing=()):
        self.slow, self.score, self.missing = slow, score, missing
        self.fits = []
        self.sources = {}  # of every folder

    def __call__(self, task, environment=None, **asked):
        if task.__name__ == "stage":
            lost = asked["source"] in self.missing
            self.sources[asked["folder"]] = asked["source"]
            return Measurement({}, 0, 0, {"not_run": "it is lost"} if lost else {})
        name = asked.get("estimator", "")
        seconds = 50.0 if name in self.slow else 5.0 if name == "KMeans" else 1.0
        laps = {"run": seconds, "first": 1, "second": 1, "fit": 1, "predict": 0.1}
        laps |= {"layers": 1.0, "micro-clusters": 1, "join": 0.1, "confidence": 1}
        eigh = dict.fromkeys(asked.get("eigh_threads", ()), 0.1)
        places = distributed_study.THREADS, distributed_study.CLUSTER, distributed_study.LAZY
        laps |= dict.fromkeys(pictures_study.SCORES, 1.0)
        every = {**laps, **eigh, **dict.fromkeys(places, 1.0), "LSEC": 1.0, "KMeans": 1.0}
        scores = dict.fromkeys(("acc", "ari", "nmi", "nmi_max", "purity"), self.score)
        methods = asked.get("methods", ())
        clustered = (*methods, "LSEC", "KMeans")
        source = self.sources.get(asked.get("folder"))
        printed = pools().get(asked.get("name"), {})
        self.fits.append((name, asked.get("parameters", {}).get("random_state")))
        return Measurement(
            {lap: [{"seconds": s, "cpu_seconds": 2 * s}] for lap, s in every.items()},
            before_bytes=2**27,
            peak_bytes=2**29,
            result={
                "n_rows": 1000,
                "n_new_rows": 1000,
                "input_bytes": 2**20,
                "labels": "abc",
                "pictures": {"map": {"seconds": 1.0, "growth_bytes": 2**20}},
                "n_layers": 50,
                "page_bytes": 2**20,
                "first_picture": 1.0,
                "all_points": 2.0,
                "hashes": dict.fromkeys(places, "abc"),
                "stages": {place: {"landmarks": 0.5} for place in places},
                "timings": {"landmarks": 0.5, "eigenvectors": 0.5},
                "n_landmarks": 200,
                "n_directions": 64,
                "recall": 1.0,
                "file_bytes": 2**20,
                "numba": False,
                "scores": dict.fromkeys(clustered, scores),
                "n_clusters_found": CLASSES.get(source),
                "joined": {method: {"seconds": 1.0, "chosen": 3, **scores} for method in methods},
                "n_micro_clusters": 500,
                "n_columns": 2,
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
        for module in (study, *(sys.modules[one.run.__module__] for one in STUDIES.values())):
            if hasattr(module, "measure"):
                monkeypatch.setattr(module, "measure", fake)
        monkeypatch.setattr(attack, "run_cases", lambda *asked: Tally({"worked": len(asked[2])}))
        monkeypatch.setattr(study, "stamp", lambda: {"date": "2025-01-01", "commit": "c0ffee"})
        monkeypatch.setattr(study, "machine", lambda: MACHINE)
        everywhere = {name: replace(peer, module="sys") for name, peer in PEERS.items()}
        monkeypatch.setattr(peers, "PEERS", everywhere)
        return fake

    return install


IN_THIS_PROCESS = ("gpu",)  # what it measures is no task of a process of its own


def measured(name, plan=None):
    """The results of a study that ran with a fake `measure`."""
    return STUDIES[name].measure(plan or Plan())


def verdicts(name, cells):
    return [verdict for _, verdict in results_page.verdicts(STUDIES[name].tables(cells))]


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
    misprint = lsec_paper()["sf", "DnC-SC"].acc
    assert baselines.judge([50.0], misprint)[-1] is Verdict.NOT_JUDGED


@pytest.mark.parametrize("name", sorted(set(STUDIES) - {*WITHOUT_TARGETS, *IN_THIS_PROCESS}))
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


@pytest.mark.parametrize("name", sorted(set(STUDIES) - {"attack", *IN_THIS_PROCESS}))
def test_every_study_has_a_small_version(name, faked):
    full = faked()
    measured(name)
    small = faked()
    text = results_page.render_small(STUDIES[name], measured(name, Plan(small=True)))
    assert "| - |" in text or name in (*WITHOUT_TARGETS, "peers")  # whose targets are for MNIST
    assert NOT_YET not in text
    assert "missed" not in text
    assert 0 < len(small.fits) <= len(full.fits)


def test_a_library_that_is_not_installed_is_left_out(faked, monkeypatch):
    faked()
    monkeypatch.setattr(peers, "PEERS", {**PEERS, "evoc": replace(PEERS["evoc"], module="no_such")})
    text = results_page.render_small(STUDIES["peers"], measured("peers"))
    assert "| EVoC | not run: evoc is not installed" in text
    assert "| LSEC | 1.00 |" in text


def test_the_worst_seed_and_the_rounded_mean_are_judged():
    costs = dict.fromkeys(("nmi", "seconds", "cpu_seconds", "peak_bytes", "input_bytes"), 1)

    def of_mnist(*scores):
        return quality.row("mnist", [{"acc": acc, **costs} for acc in scores], {})[4]

    assert of_mnist(96.94, 94.0) is Verdict.MET  # mean 95.47, rounded 95.5
    assert of_mnist(96.8, 94.0) is Verdict.MISSED  # mean 95.4
    assert of_mnist(98.0, 98.0, 93.9) is Verdict.MISSED  # worst seed


def test_blobs_that_no_other_method_solves_are_not_judged():
    def last(lsec, k_means, mixture):
        found = {"LSEC": lsec, "KMeans": k_means, "GaussianMixture": mixture}
        scores = {name: {"ari": ari} for name, ari in found.items()}
        return blobs.row({"5 x 2/0": {"scores": scores}}, 5, 2)[-1]

    assert last(99.0, 50.0, 99.5) is Verdict.MET
    assert last(98.9, 99.0, 50.0) is Verdict.MISSED
    assert last(50.0, 98.9, 98.9) is Verdict.NOT_JUDGED


def test_methods_are_run_in_turns(faked):
    fake = faked()
    measured("speed", Plan(n_repeats=2))
    assert fake.fits == [("LSEC", 0), ("KMeans", 0), ("LSEC", 1), ("KMeans", 1)]


def test_a_data_set_that_cannot_be_loaded_is_noted_and_the_others_run(faked):
    faked(missing=["load_mnist"])
    cells = measured("quality")
    (shown,) = STUDIES["quality"].tables(cells)
    rows = {row[0].text: row for row in shown.rows}
    assert rows["MNIST"][1].text == "not run: it is lost"
    assert Verdict.MET in [entry.verdict for entry in rows["Letters"]]
    for name, records in (("quality", cells), ("mnist", measured("mnist"))):
        assert "not run: it is lost" in results_page.render([(STUDIES[name], records)])


def test_finished_cells_are_not_measured_again(tmp_path, faked):
    fake = faked()
    plan = Plan(n_seeds=2, only=("pendigits", "letters"))

    def go(seeds):
        asked = Plan(n_seeds=seeds, only=plan.only)
        STUDIES["quality"].measure(asked, tmp_path)

    go(2)
    assert len(fake.fits) == 4
    go(3)
    assert fake.fits[4:] == [("LSEC", 2), ("LSEC", 2)]
    assert len(runs_of(Records("quality", tmp_path), "letters")) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["quality.csv.gz"]


@pytest.mark.parametrize("resumable", [True, False])
def test_a_crash_keeps_what_may_be_kept(tmp_path, faked, resumable):
    faked()

    def run(session):
        session.cell("tb/0", lambda: {"acc": 1.0})
        session.cell("tb/1", crash)

    def crash():
        raise TaskFailed("out of memory")

    Records("odd", tmp_path).add("old/0", {"acc": 0.0, **MACHINE})
    odd = Study("odd", "t", "x", run, lambda cells: [], resumable)
    with pytest.raises(TaskFailed):
        odd.measure(Plan(), tmp_path)
    assert list(Records("odd", tmp_path)) == ["old/0", "tb/0"][: 1 + resumable]


def test_results_of_another_machine_are_not_continued(tmp_path, faked):
    faked()
    here = MACHINE["machine"]
    Records("quality", tmp_path).add("tb/0", {**MACHINE, "machine": {**here, "cores": "64"}})
    Records("quality", tmp_path).add("sf/0", MACHINE)
    with pytest.raises(OtherMachine, match=r"\(cores differ.*--fresh"):
        STUDIES["quality"].measure(Plan(), tmp_path)
    with pytest.raises(OtherMachine):
        STUDIES["quality"].measure(Plan(only=("sf",)), tmp_path, fresh=True)
    assert list(Records("quality", tmp_path)) == ["sf/0", "tb/0"]


@pytest.mark.parametrize(
    ("only", "fresh", "kept"),
    [(("tb",), True, ["sf/0"]), ((), True, []), ((), False, ["sf/0", "tb/0"])],
)
def test_fresh_drops_only_the_data_sets_asked_for(tmp_path, faked, only, fresh, kept):
    faked()
    for key in ("tb/0", "sf/0"):
        Records("odd", tmp_path).add(key, {"acc": 1.0, **MACHINE})
    odd = Study("odd", "t", "x", lambda session: None, lambda cells: [], resumable=True)
    assert list(odd.measure(Plan(only=only), tmp_path, fresh)) == kept


def test_running_one_study_again_replaces_only_its_section(tmp_path, faked):
    faked()
    page = tmp_path / "RESULTS.md"
    for name in ("growth", "speed"):
        STUDIES[name].measure(Plan(), tmp_path)
    results_page.write_results(STUDIES.values(), tmp_path, page)
    before = page.read_text()
    assert "| speed | 1 | 0 | - |" in before

    faked(slow=["LSEC"])
    STUDIES["speed"].measure(Plan(), tmp_path)
    results_page.write_results(STUDIES.values(), tmp_path, page)
    after = page.read_text()
    assert "| speed | 0 | 1 | LSEC / KMeans, time of fit |" in after
    assert after.split("## growth")[1] == before.split("## growth")[1]
    assert "2025-01-01 at commit c0ffee" in after
    assert "| cpu | abacus |" in after


def test_two_machines_are_told_apart(faked, monkeypatch):
    faked()
    one = measured("speed")
    monkeypatch.setattr(study, "machine", lambda: {**MACHINE, "machine": {"cpu": "other"}})
    other = measured("growth")
    text = results_page.render([(STUDIES["speed"], one), (STUDIES["growth"], other)])
    assert "c0ffee on machine 2." in text
    assert "### Machine 2" in text


def test_the_help_tells_which_studies_keep_finished_cells():
    words = " ".join(CliRunner().invoke(command.main, ["run", "--help"]).output.split())
    listed = words.split("Studies: ")[1].split(".")[0].split(", ")
    assert sorted(listed) == sorted(STUDIES)
    first = listed.index("quality")
    assert [name for name in listed if STUDIES[name].resumable] == listed[first:]


def test_a_study_that_crashes_gives_an_exit_code_and_the_next_one_runs(monkeypatch):
    def crash(_):
        raise TaskFailed("boom")

    def tables(_):
        return [table("T", ("a",), [("ran",)])]

    broken = Study("broken", "t", "x", crash, tables)
    sound = Study("sound", "t", "x", lambda _: None, tables)
    monkeypatch.setattr(command, "STUDIES", {"broken": broken, "sound": sound})
    outcome = CliRunner().invoke(command.main, ["run", "--small"])
    assert outcome.exit_code == 1
    assert "boom" in outcome.output
    assert "ran" in outcome.output


def test_a_process_that_times_an_import_has_loaded_nothing():
    done = measure(import_time, module="wave", name="open")
    assert done.result == {"numba": False}
    assert 0 < done.before_bytes <= done.peak_bytes < 80e6
    assert done.record()["seconds"] > 0
    with pytest.raises(TaskFailed, match="ModuleNotFoundError"):
        measure(import_time, module="no_such_module", name=None)


def test_tasks_load_numba_only_when_they_begin():
    line = "import benchmarks.harness.study_tasks, sys; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", line], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_not_loaded_is_forgotten_once_the_data_set_is_there(faked):
    faked()
    cells = Records("quality")
    with Session(Plan(), cells) as running:
        with running.attempt("tb"):
            raise NotLoaded("gone")
        assert "tb/not run" in cells
        with running.attempt("tb"):
            pass
        assert "tb/not run" not in cells


def test_the_page_is_that_of_the_stored_records(tmp_path):
    results_page.write_results(STUDIES.values(), path=tmp_path / "RESULTS.md")
    assert (tmp_path / "RESULTS.md").read_text() == results_page.RESULTS_FILE.read_text()


def test_numbers_are_short_and_plain():
    assert [number(x) for x in (0, 0.01234, 1.5, 12.34, 1234.5)] == [
        "0", "0.0123", "1.50", "12.3", "1,234",
    ]  # fmt: skip
