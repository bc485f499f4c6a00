"""A cap of memory: what libraries take is refused with the numbers, or taken before the work."""

import subprocess
import sys

import pytest

from lsec import address_space
from lsec.execution import memory, thread_memory
from lsec.execution.threads import thread_count

capped = pytest.mark.skipif(sys.platform != "linux", reason="caps of address space")

CAP = """
import mmap, resource, threading
def in_use():
    return int(open("/proc/self/statm").read().split()[0]) * mmap.PAGESIZE
def cap(mib):
    limit = in_use() + mib * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
"""
PRODUCTS = """
import numpy as np
from lsec.execution.threads import Workers
A, both = np.ones((400, 400)), threading.Barrier(2)
out = [np.empty((400, 400)) for _ in range(4)]
def multiply(i):
    both.wait()
    np.matmul(A, A, out=out[i])
"""
ALL_TAKEN = """
cap(500)
with Workers(2) as workers:
    workers.map(lambda i: both.wait(), range(2))  # the threads have started
    taken = []
    for size in (2**24, 2**20):
        try:
            while True:
                taken.append(mmap.mmap(-1, size))
        except OSError:
            pass
    for _ in range(20):
        workers.map(multiply, range(2))
    del taken
assert all((one == 400).all() for one in out[:2])
"""
REFUSED = """
cap(100)
try:
    with Workers(2) as workers:
        workers.map(multiply, range(2))
except MemoryError as error:
    print(error)
"""
START = """
def start_lsec(arguments):
    sys.argv, sys.stderr = arguments, sys.stdout
    try:
        start()
    except SystemExit as end:
        print(end.code)
"""


def run(*code):
    """What a new process prints; it has to end well."""
    done = subprocess.run(
        [sys.executable, "-c", "".join(code)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@capped
def test_threads_multiply_when_all_memory_is_taken():
    run(CAP, PRODUCTS, ALL_TAKEN)


@capped
def test_threads_without_room_are_refused_with_the_numbers():
    message = run(CAP, PRODUCTS, REFUSED)
    for part in ("buffers of 2 threads", "MiB of address space", "ulimit -v", "smaller n_jobs"):
        assert part in message


@capped
def test_libraries_without_room_are_refused_with_the_numbers():
    attempt = "try:\n    lsec.LSEC\nexcept MemoryError as error:\n    print(error)\n"
    assert "libraries that lsec imports" in run(CAP, "import lsec\ncap(300)\n", attempt)


@capped
def test_the_command_refuses_without_room_for_libraries(tmp_path):
    code = (CAP, "cap(300)\nfrom lsec.cli import start\nimport sys\n", START)
    printed = run(*code, f"start_lsec(['lsec', 'info', {str(tmp_path / 'rows.npy')!r}])")
    assert "Not enough memory: The libraries that lsec imports" in printed
    assert printed.endswith("2\n")


def test_there_are_as_many_threads_as_there_is_room_for(monkeypatch):
    monkeypatch.setattr(thread_memory, "cap", lambda: (2**31, 2**30))
    monkeypatch.setattr("lsec.execution.threads.usable_cores", lambda: 16)
    counts = [1]
    for n_mib in (0, 400, 1200, 10**5):
        monkeypatch.setattr(thread_memory, "has_room", lambda n, most=n_mib * 2**20: n <= most)
        counts.append(thread_count(None))
        assert thread_count(5) == min(5, counts[-1])
        assert counts[-1] <= thread_count(2**70) < 2000
    assert counts[1] == 1 and counts[-1] == 16
    assert sorted(set(counts)) == counts[1:]


def test_free_memory_is_within_the_cap(monkeypatch):
    monkeypatch.setattr(memory, "room", lambda: 12345)
    assert memory.free_memory() == 12345


def test_without_a_cap_nothing_is_asked(monkeypatch):
    monkeypatch.setattr(address_space, "cap", lambda: None)
    assert address_space.room() is None
    assert address_space.has_room(2**62)
    address_space.require_room(2**62, "Everything")
