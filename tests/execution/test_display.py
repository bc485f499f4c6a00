"""What a user sees of a run: the times of `timings_`, the time left, bars in a notebook."""

import sys
import time
import types
import warnings
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from lsec import LSEC
from lsec.execution import display as displays
from lsec.execution.display import NotebookDisplay, TerminalDisplay
from lsec.execution.threads import Progress, working


def shown_by(display):
    """The bars as text."""
    text = StringIO()
    Console(file=text, width=120, force_jupyter=False).print(display._bars)
    return text.getvalue()


def test_the_last_line_has_the_times_of_the_stages(capsys):
    X = np.random.default_rng(0).normal(size=(4000, 2))
    model = LSEC(2, n_landmarks=100, n_base=5, random_state=0, verbose=1).fit(X)
    (line,) = capsys.readouterr().err.splitlines()
    expected = [f"{stage} {seconds:.1f} s" for stage, seconds in model.timings_.items()]
    assert sorted(line.split(", ")) == sorted(expected)


def test_stages_that_share_a_sweep_do_not_claim_each_other_s_time():
    display = TerminalDisplay(Console(file=StringIO()))
    progress = Progress(display)
    progress.announce("neighbors", 2)
    progress.announce("Gram", 2)
    for _ in range(2):
        with progress.step("neighbors"):
            pass
        with progress.step("Gram"):
            time.sleep(0.1)
    lines = shown_by(display).splitlines()
    assert "0.0 s" in lines[0]
    assert f"{progress.seconds['Gram']:.1f} s" in lines[1]


@pytest.mark.parametrize(("done", "left"), [(1, "30.0 s left"), (3, "10.0 s left")])
def test_the_time_left_is_in_proportion_to_the_steps_done(done, left):
    display = TerminalDisplay(Console(file=StringIO()))
    display.start("eigenvectors", 4, 0)
    assert "left" not in shown_by(display)
    for step in range(1, done + 1):
        display.advance("eigenvectors", 10.0 * step)
    assert left in shown_by(display)
    display.advance("eigenvectors", 40.0)
    if done == 3:
        assert "left" not in shown_by(display)


class Cell:
    """The output of a cell of a notebook, as IPython keeps it."""

    def __init__(self):
        self.texts = []

    def update(self, bundle, *, raw):
        assert raw
        self.texts.append(bundle["text/plain"])


@pytest.fixture
def notebook(monkeypatch):
    """A notebook without ipywidgets."""
    cell = Cell()
    module = types.ModuleType("IPython.display")
    module.display = lambda bundle, *, raw, display_id: cell
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    return cell


def test_a_notebook_shows_bars_without_widgets_or_warnings(notebook, monkeypatch, capsys):
    monkeypatch.setattr(displays, "NOTEBOOK_SECONDS", 0)
    with warnings.catch_warnings(action="error"), working(1, 1) as (_, progress):
        assert isinstance(progress._display, NotebookDisplay)
        with progress.stage("landmarks", 2):
            progress.advance("landmarks")
    assert [text.split("%")[0].split()[0] for text in notebook.texts] == ["landmarks"] * 3
    assert "1/2" in notebook.texts[0]
    assert "2/2" in notebook.texts[-1]
    assert capsys.readouterr() == ("", "")


def test_a_notebook_is_not_updated_more_often_than_can_be_read(notebook):
    with working(1, 1) as (_, progress), progress.stage("landmarks", 100):
        for _ in range(99):
            progress.advance("landmarks")
    assert len(notebook.texts) < 10
