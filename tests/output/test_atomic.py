"""Files appear under their name only when they are complete."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

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


def test_threads_that_write_to_the_same_path_do_not_mix(path):
    def write(letter):
        with open_atomically(path) as file:
            for _ in range(50):
                file.write(100 * letter)
                file.flush()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, [bytes([letter]) for letter in range(8)] * 5))
    content = path.read_bytes()
    assert len(content) == 5000
    assert len(set(content)) == 1
    assert os.listdir(path.parent) == [path.name]


def test_a_folder_that_disappears_is_named(tmp_path):
    path = tmp_path / "deep" / "file.txt"
    path.parent.mkdir()
    problem = f"{path.parent} is gone"
    with pytest.raises(FileNotFoundError, match=problem), open_atomically(path) as file:
        file.write(b"newer")
        shutil.rmtree(path.parent)
    assert not path.parent.exists()
