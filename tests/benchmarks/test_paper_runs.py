"""The experiments of the paper: plans, sharing, resuming, and what is written down."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from paper_cells import count_tasks, make, run_cells, stored

from benchmarks.__main__ import main
from benchmarks.harness.data import DATA, PAPER_SETS
from benchmarks.harness.process import WARM
from benchmarks.harness.store import Records
from benchmarks.paper import GROUPS, STUDIES
from benchmarks.paper import runner as running
from benchmarks.paper.methods import METHODS
from benchmarks.paper.peers import PEERS
from benchmarks.paper.plan import BadStudy, plan_cells, read_studies, study_file
from lsec import EnsembleClustering, consensus
from lsec.datasets import make_two_bananas
from lsec.metrics import clustering_accuracy, normalized_mutual_information

ROOT = Path(__file__).resolve().parents[2]
PAPER_METHODS = ["DnC-SC", "EAC", "KCC", "PTGP", "SEC", "LWEA", "LWGP", "U-SENC", "LSEC", "LSEC+"]
ENSEMBLE_METHODS = PAPER_METHODS[1:]
TABLE_METHODS = [*PAPER_METHODS, "LSEC++"]
CONTRACT = {
    "group", "study", "data", "data_title", "method", "parameters", "varied", "seed", "status",
    "reason", "n_rows", "n_features", "n_classes", "machine", "versions", "date",
}  # fmt: skip
NUMBERS = {
    "acc", "nmi", "ari", "seconds", "generation_seconds", "cpu_seconds", "peak_bytes",
    "before_bytes",
}  # fmt: skip
TINY = """
seeds = 1
limit_seconds = 60
rows = { tb = 2000 }

[[study]]
name = "table"
data = ["tb"]
methods = ["KCC", "LWGP", "KMeans"]

[[study]]
name = "members"
data = ["tb"]
methods = ["LWGP"]
vary = "m"
values = [5, 20]
"""


@pytest.fixture
def tiny(tmp_path):
    """The file of a study of a few seconds: five cells, one of them the same run as another."""
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


def planned(group):
    return plan_cells(read_studies(study_file(group)), group)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")
def test_peers_get_fresh_processes_and_our_methods_copies(monkeypatch, tmp_path):
    warm = {}
    measure = running.measure

    def noted(task, **options):
        warm[task.__name__] = options["warm"]
        return measure(task, **options)

    monkeypatch.setattr(running, "measure", noted)
    run_cells(tmp_path, [make("KMeans"), make("DnC-SC")])
    assert warm == {"peer": None, "fit": WARM}


def test_a_consensus_function_with_other_options_joins_the_same_ensemble(monkeypatch, tmp_path):
    started = count_tasks(monkeypatch)
    kcc, ecc = run_cells(tmp_path, [make("KCC"), make("ECC")])
    assert [name for name in started if name != "stage"] == ["generate", "join", "join"]
    assert ecc["parameters"] == {**kcc["parameters"], "utility": "entropy"}
    assert (ecc["status"], ecc["n_micro_clusters"]) == ("ok", kcc["n_micro_clusters"])
    assert ecc["nmi"] != kcc["nmi"]
    X, y = make_two_bananas(1000, random_state=0)
    members = EnsembleClustering(1, generator="kmeans", random_state=0, **METHODS["ECC"].parameters)
    labels = consensus(members.fit(X).micro_clusters_, 2, "kcc", utility="entropy", random_state=0)
    assert ecc["nmi"] == 100 * normalized_mutual_information(y, labels)


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_is_a_plan_of_distinct_cells(group):
    cells = planned(group)
    assert len({cell.key for cell in cells}) == len(cells)
    assert [cell.seed for cell in cells] == sorted(cell.seed for cell in cells)
    assert {cell.study for cell in cells} == set(STUDIES)


def test_the_full_group_is_the_whole_paper():
    cells = planned("full")
    table = {(c.data.title, c.method.name, c.seed) for c in cells if c.study == "table"}
    titles = [DATA[key].title for key in PAPER_SETS]
    methods = [*TABLE_METHODS, "ECC"]
    assert table == {(t, m, s) for t in titles for m in methods for s in range(20)}
    members = {(c.data.key, c.method.name) for c in cells if c.study == "members"}
    four = ("mnist", "covertype", "tb", "sf")
    assert members == {(key, name) for key in four for name in ENSEMBLE_METHODS}
    assert {c.varied["value"] for c in cells if c.study == "members"} == {5, 10, 20, 30, 40, 50}
    grown = {c.varied["name"] for c in cells if c.study == "growth"}
    assert grown == {"N", "d", "p", "K", "m"}
    assert {c.method.name for c in cells if c.study == "peers"} == set(PEERS)


def test_the_small_group_has_the_five_real_sets_with_five_seeds():
    table = {
        (cell.data.key, cell.method.name, cell.seed)
        for cell in planned("small")
        if cell.study == "table"
    }
    five = ("pendigits", "usps", "letters", "mnist", "covertype")
    assert table == {
        (key, name, seed) for key in five for name in TABLE_METHODS for seed in range(5)
    }


def test_the_default_value_of_what_is_varied_is_the_same_run():
    plain = make("LSEC")
    assert plain.with_varied("m", 20).run == plain.run
    assert plain.with_varied("reuse_neighbors", True).run == plain.run
    assert plain.with_varied("discretization", "light").run == plain.run
    assert plain.with_varied("m", 10).run != plain.run
    assert plain.with_varied("N", 2000).run != plain.run
    assert make("LSEC+").run != plain.run


def test_a_study_that_names_what_does_not_exist_is_refused(tiny):
    for wrong in ('methods = ["KC"]', 'data = ["iris"]', 'vary = "q"', "speed = 3"):
        name = wrong.split(" ")[0]
        lines = [line for line in TINY.splitlines() if not line.startswith(f"{name} ")]
        tiny.write_text("\n".join([*lines, wrong]))
        with pytest.raises(BadStudy):
            read_studies(tiny)


def test_one_generation_serves_all_consensus_functions(tmp_path, tiny, monkeypatch):
    started = count_tasks(monkeypatch)
    out = tmp_path / "out"
    cells = plan_cells(read_studies(tiny), "tiny")
    records = run_cells(out, cells)
    assert {r["status"] for r in records} == {"ok"}
    assert sorted(started) == [
        "generate", "generate",  # m = 5 and 20
        "join", "join", "join",  # m = 20 of the members is in the table, too
        "peer", "stage",
    ]  # fmt: skip
    assert len(stored(out, "ensembles")) == 2
    assert list((out / "work").iterdir()) == []
    for record in records:
        assert record.keys() >= CONTRACT | NUMBERS
        made = record["method"] != "KMeans"
        assert (0 < record["generation_seconds"] < record["seconds"]) == made
        assert 0 < record["before_bytes"] <= record["peak_bytes"]
    kcc, lwgp = records[:2]
    assert kcc["generation_seconds"] == lwgp["generation_seconds"]

    started.clear()
    assert run_cells(out, cells) == records
    assert started == []


def test_a_killed_run_goes_on_where_it_was(tmp_path, tiny, monkeypatch):
    out = tmp_path / "out"
    script = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from benchmarks.paper.plan import plan_cells, read_studies
from benchmarks.paper.runner import Runner
from benchmarks.paper.store import Store
cells = plan_cells(read_studies(Path({str(tiny)!r})), "tiny")
Runner(Store(Path({str(out)!r})), cells, print).run()
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.DEVNULL)
    while len(stored(out, "table")) < 2 and process.poll() is None:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = stored(out, "table")
    n_made = len(stored(out, "ensembles"))
    assert len(before) >= 2
    started = count_tasks(monkeypatch)
    cells = plan_cells(read_studies(tiny), "tiny")
    records = run_cells(out, cells)
    assert {r["status"] for r in records} == {"ok"}
    assert all(record in records for record in before)
    assert "stage" not in started
    assert started.count("generate") == 2 - n_made


def test_what_cannot_be_run_is_recorded(tmp_path, monkeypatch):
    monkeypatch.delenv("LSEC_DATA", raising=False)
    monkeypatch.setenv("LSEC_CACHE", str(tmp_path))
    monkeypatch.setitem(PEERS, "evoc", replace(PEERS["evoc"], module="not_there"))
    odd = replace(METHODS["DnC-SC"], name="odd", parameters={"kernel": "odd"})
    unknown = replace(METHODS["DnC-SC"], name="unknown", target="Unknown")
    cells = [
        make(odd),
        make(unknown),
        make("KCC", limit_seconds=0.001),
        make("KMeans", limit_seconds=0.05),
        make("evoc"),
        make("LSEC", data="usps_balanced"),
    ]
    records = run_cells(tmp_path / "out", cells)
    assert [r["status"] for r in records] == [
        "refused", "failed", "timeout", "timeout", "absent", "absent",
    ]  # fmt: skip
    assert [word in r["reason"] for word, r in zip(
        ("kernel", "Unknown", "generation of members: took", "0.05 s", ".[bench]", "not found"),
        records, strict=True,
    )] == [True] * 6  # fmt: skip
    for record in records:
        assert record.keys() >= CONTRACT
        assert record.get("acc") is None


def test_missing_things_and_longer_limits_are_tried_again(tmp_path, monkeypatch):
    there = PEERS["KMeans"]
    monkeypatch.setitem(PEERS, "KMeans", replace(there, module="not_there"))
    short = make("MiniBatchKMeans", limit_seconds=0.05)
    assert [r["status"] for r in run_cells(tmp_path, [make("KMeans"), short])] == [
        "absent", "timeout",
    ]  # fmt: skip
    monkeypatch.setitem(PEERS, "KMeans", there)
    assert run_cells(tmp_path, [make("KMeans"), short])[1]["status"] == "timeout"
    longer = replace(short, limit_seconds=60)
    assert {r["status"] for r in run_cells(tmp_path, [make("KMeans"), longer])} == {"ok"}


def test_a_method_that_took_too_long_is_not_run_with_other_seeds(tmp_path, monkeypatch):
    started = count_tasks(monkeypatch)
    cells = [make("KMeans", seed=seed, limit_seconds=0.05) for seed in range(3)]
    records = run_cells(tmp_path, cells)
    assert [r["status"] for r in records] == ["timeout"] * 3
    assert "with seed 0; not run" in records[2]["reason"]
    assert started == ["stage", "peer"]


@pytest.mark.parametrize("name", list(PEERS))
def test_peers_find_round_clusters(name):
    peer = PEERS[name]
    if peer.missing:
        pytest.skip(peer.missing)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 1200)
    corners = 20 * np.eye(4, 8)
    X = (corners[y] + rng.normal(size=(1200, 8))).astype(np.float32)
    labels = np.asarray(peer.cluster(X, 4, 0, peer.settings(X, 4)))
    assert clustering_accuracy(y, labels) > (0.6 if name == "Leiden" else 0.95)


def test_the_command_can_be_stopped_and_takes_a_part_of_the_plan(tmp_path):
    command = [sys.executable, "-m", "benchmarks", "paper"]
    ask = [*command, "--only", "pendigits", "--study", "peers", "--out", str(tmp_path)]
    process = subprocess.Popen(ask, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert "3 cells, 3 to run" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    assert "The same command goes on from here." in process.communicate()[1]
    assert process.returncode == 130
    other = CliRunner().invoke(main, ["paper", "--group", "full", "--out", str(tmp_path)])
    assert other.exit_code == 2
    assert "holds results of the group smoke" in other.output


def test_the_command_takes_single_methods(tmp_path):
    ask = ["paper", "--study", "peers", "--out", str(tmp_path), "--method"]
    done = CliRunner().invoke(main, [*ask, "KMeans"])
    assert done.exit_code == 0, done.output
    assert "1 cells, 1 to run" in done.output
    records = stored(tmp_path, "peers")
    assert [(record["method"], record["status"]) for record in records] == [("KMeans", "ok")]
    wrong = CliRunner().invoke(main, [*ask, "K-Means"])
    assert wrong.exit_code == 2
    assert "'K-Means' is not a method of the group smoke" in wrong.output
    assert "MiniBatchKMeans" in wrong.output


def test_smoke(tmp_path):
    """The whole smoke group, by the command that people run."""
    ask = ["paper", "--group", "smoke", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, ask)
    assert done.exit_code == 0, done.output
    cells = [cell for study in STUDIES for cell in stored(tmp_path, study)]
    assert {key for study in STUDIES for key in Records(study, tmp_path)} == set(
        Records("plan", tmp_path)
    )
    assert list(tmp_path.glob("*.jsonl")) == []
    found = {(c["data"], c["method"]): c for c in cells if c["study"] == "table"}
    assert {c["status"] for c in found.values()} == {"ok"}
    assert found["pendigits", "LSEC"]["acc"] > 80
    assert found["pendigits", "LSEC+"]["acc"] > 80
    assert found["pendigits", "U-SENC"]["acc"] > 80
    assert found["pendigits", "LWGP"]["acc"] > found["pendigits", "SEC"]["acc"] > 25
    assert found["pendigits", "ECC"]["nmi"] > 50
    assert found["tb", "LSEC"]["acc"] > 99
    assert found["sf", "LSEC+"]["nmi"] > 85
    assert {c["status"] for c in cells} <= {"ok", "absent"}
    for key in ("tb", "sf", "cc", "cg", "fl"):
        with np.load(tmp_path / "pictures" / f"{key}.npz") as picture:
            n_rows = found[key, "LSEC+"]["n_rows"]
            assert picture["X"].shape == (n_rows, 2)
            assert len(picture["labels"]) == len(picture["y"]) == n_rows
            drawn = 100 * clustering_accuracy(picture["y"], picture["labels"])
            assert drawn == pytest.approx(found[key, "LSEC+"]["acc"])
    assert (tmp_path / "report.html").is_file()
    page = (tmp_path / "report.md").read_text()
    title = found["tb", "LSEC+"]["data_title"]
    assert f"{title} (paper: TB-1M)" in page
    assert "**not yet run**: LSEC at or above print" in page
