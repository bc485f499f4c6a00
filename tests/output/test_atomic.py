"""Files appear under their name only when they are complete."""

import os
import subprocess
import sys

import pytest

from lsec.output.atomic import open_atomically


@pytest.fixture
def path(tmp_path):
    """An older file, alone in its folder."""
    path = tmp_path / "file[1].txt"
    path.write_bytes(b"older")
    return path


def test_a_file_is_replaced_when_it_is_complete(path):
    with open_atomically(path) as file:
        file.write(b"newer")
        file.flush()
        assert path.read_bytes() == b"older"
    assert path.read_bytes() == b"newer"
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_older_file(path, error):
    with pytest.raises(error), open_atomically(path) as file:
        file.write(b"newer")
        raise error
    assert path.read_bytes() == b"older"
    assert os.listdir(path.parent) == [path.name]


def test_leftovers_of_killed_processes_are_removed(path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left, in_use = (path.with_name(f".{path.name}.{pid}.tmp") for pid in (dead.pid, os.getppid()))
    left.touch()
    in_use.touch()
    with open_atomically(path):
        assert not left.exists()
    assert in_use.exists()
