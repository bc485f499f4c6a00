"""Seconds of stages, and steps passed on to a display."""

import time

import pytest

from lsec.execution.threads import Progress, Workers, working

MOMENT = 0.02


class Recorder:
    """A display that remembers its calls."""

    def __init__(self):
        self.started, self.steps, self.seconds, self.stopped = {}, {}, {}, False

    def start(self, stage, n_steps, n_rows):
        steps, rows = self.started.get(stage, (0, 0))
        self.started[stage] = steps + n_steps, rows + n_rows

    def advance(self, stage, seconds):
        self.steps[stage] = self.steps.get(stage, 0) + 1
        self.seconds[stage] = seconds

    def stop(self, seconds):
        self.stopped = True


def test_a_stage_is_announced_timed_and_ended():
    display = Recorder()
    progress = Progress(display)
    with progress.stage("landmarks", 3):
        assert display.started == {"landmarks": (3, 0)}
        progress.advance("landmarks")
        progress.advance("landmarks")
        time.sleep(MOMENT)
    assert display.steps == {"landmarks": 3}
    assert display.seconds == progress.seconds
    assert progress.seconds["landmarks"] >= MOMENT


def test_stages_that_are_announced_again_add_up():
    display = Recorder()
    progress = Progress(display)
    for _ in range(2):
        progress.announce("centers", 4, 100)
        with progress.timed("centers"):
            time.sleep(MOMENT)
    assert display.started == {"centers": (8, 200)}
    assert progress.seconds["centers"] >= 2 * MOMENT
    assert not display.steps


@pytest.mark.parametrize("n_threads", [1, 4])
def test_steps_on_several_threads_take_a_share_of_their_time(n_threads):
    display = Recorder()
    progress = Progress(display, n_threads)
    progress.announce("labels", 8)

    def work(_):
        with progress.step("labels"):
            time.sleep(MOMENT)

    begin = time.perf_counter()
    with Workers(n_threads) as workers:
        workers.map(work, range(8))
    passed = time.perf_counter() - begin
    assert display.steps == {"labels": 8}
    assert display.seconds == progress.seconds
    assert 8 * MOMENT / n_threads <= progress.seconds["labels"] <= passed + MOMENT


def test_fewer_steps_than_threads_share_the_time_among_themselves():
    progress = Progress(n_threads=16)
    progress.announce("consensus", 1)
    with progress.step("consensus"):
        time.sleep(MOMENT)
    assert progress.seconds["consensus"] >= MOMENT


def test_the_display_is_stopped_after_an_error(monkeypatch):
    display = Recorder()
    monkeypatch.setattr("lsec.execution.display.open_display", lambda: display)
    with pytest.raises(KeyboardInterrupt), working(1, 1):
        raise KeyboardInterrupt
    assert display.stopped


def test_nothing_is_displayed_unless_asked(monkeypatch):
    monkeypatch.setattr("lsec.execution.display.open_display", lambda: pytest.fail("displayed"))
    with working(1, 0) as (_, progress), progress.stage("labels"):
        pass
    assert set(progress.seconds) == {"labels"}
