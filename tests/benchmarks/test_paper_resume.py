"""Folders of results that are gone on with: what is run again, and what is not."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from paper_cells import count_tasks, make, run_cells, stored

from benchmarks.__main__ import main
from benchmarks.harness.store import Records
from benchmarks.harness.tasks import DRAWN_ROWS, keep_picture
from benchmarks.paper import supplies
from benchmarks.paper.methods import METHODS
from benchmarks.paper.peers import PEERS, peer_versions
from benchmarks.paper.runner import Known, Runner
from benchmarks.paper.store import InUse, OtherGroup, Store
from lsec.datasets import make_two_bananas
from lsec.metrics import clustering_accuracy

ROOT = Path(__file__).resolve().parents[2]


def paper(folder, *options):
    return CliRunner().invoke(main, ["paper", "--out", str(folder), *options])


def refusing(seed, method="eac", **options):
    """A consensus function whose memory limit does for some seeds only."""
    odd = replace(METHODS["EAC"], name="odd", target=method, options=options)
    return make(odd, seed=seed)


def test_a_run_that_another_part_of_the_plan_has_is_not_done_again(tmp_path, monkeypatch):
    table, members = make("LWGP"), make("LWGP", study="members").with_varied("m", 20)
    (first,) = run_cells(tmp_path, [table])
    started = count_tasks(monkeypatch)
    (same,) = run_cells(tmp_path, [members], others=[table])
    assert started == []
    assert (same["study"], same["varied"]) == ("members", {"name": "m", "value": 20})
    assert {name: same[name] for name in ("seconds", "acc", "date")} == {
        name: first[name] for name in ("seconds", "acc", "date")
    }


def test_an_ensemble_that_is_made_again_counts_as_it_did(tmp_path, monkeypatch):
    (first,) = run_cells(tmp_path, [make("LWGP")])
    started = count_tasks(monkeypatch)
    (second,) = run_cells(tmp_path, [make("KCC")])
    assert "generate" in started
    assert second["generation_seconds"] == first["generation_seconds"]
    assert second["n_micro_clusters"] == first["n_micro_clusters"]


def test_generation_that_was_timed_elsewhere_is_timed_again(tmp_path):
    (first,) = run_cells(tmp_path, [make("LWGP")])
    ensembles = Records("ensembles", tmp_path)
    ((key, kept),) = ensembles.items()
    ensembles.add(key, kept | {"machine": {"cpu": "Other"}, "seconds": 1e6})
    (second,) = run_cells(tmp_path, [make("KCC")])
    assert 0 < second["generation_seconds"] < second["seconds"] < 1e6
    (again,) = stored(tmp_path, "ensembles")
    assert again["machine"] == second["machine"] == first["machine"]


def test_more_time_counts_instead_of_less():
    known, cell = Known(), make("KCC")
    for seed, limit in ((1, 60), (0, 600), (2, 60)):
        record = {"status": "timeout", "limit_seconds": limit}
        known.learn(replace(cell, seed=seed), record)
    assert known.hopeless[cell.setting]["limit_seconds"] == 600
    known.learn(cell, {"status": "ok", "limit_seconds": 6000, "process_seconds": 5000.0})
    assert known.runs[cell.run]["status"] == "ok"


def test_a_data_set_that_never_comes_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(supplies, "STAGING_SECONDS", 0.01)
    (record,) = run_cells(tmp_path, [make("KMeans")])
    assert (record["status"], record["reason"]) == ("absent", "took more than 0.01 s")


def test_a_picture_is_made_although_the_run_is_known(tmp_path):
    members = make("LSEC+", study="members").with_varied("m", 20)
    run_cells(tmp_path, [members])
    picture = tmp_path / "pictures" / "tb.npz"
    assert not picture.exists()
    run_cells(tmp_path, [make("LSEC+")], others=[members])
    with np.load(picture) as drawn:
        assert len(drawn["X"]) == 1000
        assert len(np.unique(drawn["labels"])) == 2
        assert clustering_accuracy(drawn["y"], drawn["labels"]) > 0.95


def test_what_one_seed_was_refused_for_is_tried_with_others(tmp_path):
    sizes = [record["n_micro_clusters"] for record in run_cells(tmp_path, eac_of_seeds())]
    assert sizes[0] != sizes[1]
    limit = 4 * min(sizes) * max(sizes)  # between the two matrices
    found = run_cells(tmp_path, [refusing(seed, memory_limit=limit) for seed in (0, 1)])
    statuses = ["ok" if size == min(sizes) else "refused" for size in sizes]
    assert [record["status"] for record in found] == statuses


def eac_of_seeds():
    return [make("EAC", seed=seed) for seed in (0, 1)]


def test_single_outcomes_are_run_again_when_asked_for(tmp_path, monkeypatch):
    cells = [refusing(0, memory_limit=1), make("KCC", limit_seconds=0.001), make("LWGP")]
    statuses = [record["status"] for record in run_cells(tmp_path, cells)]
    assert statuses == ["refused", "timeout", "ok"]
    started = count_tasks(monkeypatch)
    run_cells(tmp_path, cells)
    assert started == []
    run_cells(tmp_path, cells, again=["refused"])
    assert started == ["stage", "generate", "join"]
    started.clear()
    run_cells(tmp_path, cells, again=["timeout"])
    assert "generate" in started


def test_a_data_set_that_could_not_be_read_is_tried_again(tmp_path, monkeypatch):
    data = tmp_path / "data"
    data.mkdir()
    (data / "mnist.npz").write_bytes(b"no zip file")
    monkeypatch.setenv("LSEC_DATA", str(data))
    cell = make("KMeans", data="mnist")
    (record,) = run_cells(tmp_path / "out", [cell])
    assert record["status"] == "absent"
    assert "mnist.npz" in record["reason"]
    assert Store(tmp_path / "out").read(cell) is None


def test_a_folder_holds_one_group(tmp_path):
    store, cell = Store(tmp_path), make("KMeans")
    store.write_plan("tiny", [cell])
    with pytest.raises(OtherGroup, match="tiny"):
        store.write_plan("full", [cell])
    store.write(cell, {"status": "ok", "group": "tiny"})
    (tmp_path / "plan.csv.gz").unlink()  # the records tell as well
    with pytest.raises(OtherGroup, match="tiny"):
        store.write_plan("full", [cell])


def test_one_run_at_a_time_writes_to_a_folder(tmp_path):
    store = Store(tmp_path)
    with store.held():
        with pytest.raises(InUse, match="Another run writes to"), Store(tmp_path).held():
            pass
        other = paper(tmp_path, "--study", "peers")
        assert other.exit_code == 2
        assert "Another run writes to" in other.output
    with store.held():
        pass


def test_a_run_that_is_killed_lets_go_of_the_folder(tmp_path):
    script = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from benchmarks.paper.store import Store
with Store(Path({str(tmp_path)!r})).held():
    os._exit(0)
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    with Store(tmp_path).held():
        pass


def test_a_damaged_plan_is_written_anew(tmp_path):
    (tmp_path / "plan.csv.gz").write_bytes(b"[{")
    Store(tmp_path).write_plan("tiny", [make("KMeans")])
    assert len(stored(tmp_path, "plan")) == 1


def test_pictures_have_the_labels_of_their_rows(tmp_path):
    X, y = make_two_bananas(DRAWN_ROWS + 5000, random_state=0)
    keep_picture(tmp_path / "tb.npz", X, y, labels=1 - y)
    with np.load(tmp_path / "tb.npz") as drawn:
        assert drawn["X"].shape == (DRAWN_ROWS, 2)
        np.testing.assert_array_equal(drawn["labels"], 1 - drawn["y"])
        place = {tuple(row): i for i, row in enumerate(X.astype(np.float32))}
        shown = [place[tuple(row)] for row in drawn["X"]]
        np.testing.assert_array_equal(y[shown], drawn["y"])


def test_options_that_fit_nothing_are_refused(tmp_path):
    for options in (["--only", "mnist"], ["--study", "table", "--method", "KMeans"]):
        done = paper(tmp_path / "out", *options)
        assert done.exit_code == 2
        assert "The group smoke has nothing that fits all of these options" in done.output
    assert not (tmp_path / "out").exists()
    assert paper(tmp_path, "--limit", "inf").exit_code == 2


@pytest.mark.parametrize("n_seeds", [1, 3])
def test_only_so_many_seeds_are_run_as_asked_for(tmp_path, monkeypatch, n_seeds):
    ran = []
    monkeypatch.setattr(Runner, "_run", lambda self, cell: ran.append(cell.seed) or {"status": ""})
    monkeypatch.setattr("benchmarks.__main__._show", lambda progress: None)
    part = ["--group", "small", "--study", "table", "--only", "usps", "--method", "LSEC"]
    done = paper(tmp_path, *part, "--seeds", str(n_seeds), "--no-report")
    assert done.exit_code == 0, done.output
    assert ran == list(range(n_seeds))


def test_seeds_and_limit_and_no_report_are_heard(tmp_path):
    part = ["--study", "peers", "--only", "pendigits", "--method", "KMeans"]
    done = paper(tmp_path, *part, "--seeds", "1", "--limit", "0.05", "--no-report")
    assert done.exit_code == 0, done.output
    records = stored(tmp_path, "peers")
    assert [(r["seed"], r["status"], r["limit_seconds"]) for r in records] == [(0, "timeout", 0.05)]
    assert not (tmp_path / "report.md").exists()


def test_a_library_under_another_name_is_no_obstacle(monkeypatch):
    monkeypatch.setitem(PEERS, "KMeans", replace(PEERS["KMeans"], package="scikit-learn-other"))
    assert peer_versions()["scikit-learn-other"] == "unknown"


def test_records_name_the_state_of_the_code(tmp_path):
    (record,) = run_cells(tmp_path, [make("KMeans")])
    assert len(record["versions"]["lsec source"]) == 8
