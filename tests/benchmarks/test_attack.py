"""The campaign notices every way in which a case can end, and survives it."""

import sys
import warnings

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import __main__ as command
from benchmarks.attack import fuzz
from benchmarks.attack.case import Broken, accepted, check_labels
from benchmarks.attack.supervise import Limits, Tally, run_cases
from benchmarks.studies import attack

GIB = 2**30
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of processes")


def test_every_ending_is_counted_and_the_next_case_runs(tmp_path):
    toy = "tests.benchmarks.toy_area"
    tally = run_cases(toy, 3, range(8), Limits(2.0, 4 * GIB), tmp_path)
    assert tally.endings == {
        "refused": 2, "died": 1, "hung": 1, "foreign error": 2, "wrong": 1, "worked": 1,
    }  # fmt: skip
    drawn = np.random.default_rng([3, 5]).integers(10**9)
    for case, what in [(1, "SIGSEGV"), (2, "more than 2 s"), (3, "ValueError: invalid literal")]:
        assert any(text.startswith(f"case {case} ") and what in text for text in tally.broken)
    assert any("MemoryError" in text for text in tally.broken)
    assert f"case 5 wrong: case {drawn} is five" in tally.broken


def test_an_area_that_cannot_begin_is_an_error(tmp_path):
    with pytest.raises(RuntimeError, match="cannot be prepared"):
        run_cases("tests.benchmarks.no_area", 0, range(2), Limits(5.0, 4 * GIB), tmp_path)


def refuse(message):
    raise ValueError(message)


def test_refusals_are_short_and_name_the_file():
    assert accepted(lambda: 7, ValueError) == 7
    assert accepted(lambda: refuse("a.npy is empty."), ValueError, names="a.npy") is None
    for message in ["", "x" * 400, "something is wrong"]:
        with pytest.raises(Broken):
            accepted(lambda message=message: refuse(message), ValueError, names="a.npy")
    with pytest.raises(RuntimeWarning):
        accepted(lambda: np.float64(1e308) * 10, ValueError)
    with pytest.raises(KeyError):
        accepted(lambda: {}["k"], ValueError)


@pytest.mark.parametrize(
    "labels", [[0, 1, 3], [0, -1, 1], [0, 1], np.array([0, 1, 2]), np.zeros((3, 1), np.int32)]
)
def test_labels_that_break_the_law(labels):
    found = labels if isinstance(labels, np.ndarray) else np.array(labels, np.int32)
    with pytest.raises(Broken):
        check_labels(found, 3, 3)


def test_noise_is_a_label_where_it_was_asked_for():
    check_labels(np.array([0, -1, 2], np.int32), 3, 3, noise=True)


def test_portions_are_resumed_and_broken_promises_are_told(tmp_path, monkeypatch):
    asked = []

    def fake(module, seed, cases, limits, folder):
        asked.append((module, cases))
        if module.endswith("soak"):
            return Tally({"worked": len(cases) - 1, "hung": 1}, ["case 3 hung: more than 60 s"])
        return Tally({"refused": len(cases)})

    monkeypatch.setattr(attack, "run_cases", fake)
    monkeypatch.setattr(command, "RESULTS_FOLDER", tmp_path)
    monkeypatch.setattr(command, "write_results", lambda studies: None)
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            done = CliRunner().invoke(command.main, ["attack", "--long", "soak", "faults"])
        assert done.exit_code == 1
        assert "| soak | case 3 hung: more than 60 s |" in done.output
    assert len(asked) == len(set(asked)) == 20
    done = CliRunner().invoke(command.main, ["attack", "--short", "faults"])
    assert done.exit_code == 0
    asked.clear()
    CliRunner().invoke(command.main, ["attack", "--long", "--fresh", "faults"])
    CliRunner().invoke(command.main, ["attack", "--long", "soak"])  # its portions were kept
    assert len(asked) == 10


def test_new_cases_are_run_until_the_time_is_over(monkeypatch):
    asked, clock = [], iter(range(100))

    def fake(module, seed, cases, limits, folder):
        asked.append((module.rpartition(".")[2], cases))
        return Tally({"worked": len(cases)})

    monkeypatch.setattr(attack, "run_cases", fake)
    monkeypatch.setattr(attack.time, "monotonic", lambda: next(clock))
    done = CliRunner().invoke(command.main, ["attack", "fuzz", "soak", "--minutes", "0.06"])
    assert done.exit_code == 0
    cases = [("fuzz", 1000, 1050), ("soak", 280, 308), ("fuzz", 1050, 1100)]
    assert asked == [(name, range(start, stop)) for name, start, stop in cases]
    assert CliRunner().invoke(command.main, ["attack", "--long", "--minutes", "1"]).exit_code == 2


def test_files_that_reach_new_lines_join_the_corpus(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz, "FILES_PER_CASE", 60)
    monkeypatch.setattr(fuzz, "MOST_KEPT", 9)
    fuzz.prepare(tmp_path)
    seeds = {name: len(corpus) for name, corpus in fuzz.CORPUS.items()}
    for case in range(3):
        assert fuzz.attack(case, np.random.default_rng(case), tmp_path) in ("worked", "refused")
    for name, corpus in fuzz.CORPUS.items():
        assert seeds[name] < len(corpus) <= 9
        assert len({path for path, _ in fuzz.SEEN[name]}) >= 3  # files of lsec
    read = fuzz.traced(lambda: fuzz.read_rows(tmp_path / "seed.npy"), lines := set())
    assert len(read) == 1 and not any("/cli/" in path for path, _ in lines)
    assert lines and sys.gettrace() is None


@pytest.mark.parametrize(("area", "cases"), [("soak", range(142, 143)), ("fuzz", range(100, 143))])
def test_a_case_is_repeated_after_those_that_it_depends_on(area, cases, monkeypatch):
    asked = []

    def fake(module, seed, cases, limits, folder):
        asked.append((module, seed, cases))
        return Tally({"wrong": 1}, ["case 142 wrong: other labels"])

    monkeypatch.setattr(attack, "run_cases", fake)
    asks = ["attack", area, "--case", "142", "--seed", "7"]
    done = CliRunner().invoke(command.main, asks)
    assert done.exit_code == 1
    assert done.output == "case 142 wrong: other labels\n"
    assert asked == [(f"benchmarks.attack.{area}", 7, cases)]
    assert CliRunner().invoke(command.main, ["attack", "--case", "142"]).exit_code == 2
