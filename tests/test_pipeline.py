"""The pipeline: the files that a fit passes through, and errors that say why there is no result."""

import inspect
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import lsec
from lsec import LSEC
from tests.conftest import builder

PACKAGE = Path(lsec.__file__).parent
# Four of these only refuse: rows that are no numbers (`sources/tables.py`), and work that needs
# more memory than there is (`address_space.py`, `thread_memory.py`, `consensus/memory.py`).
MOST_FILES = 32


def files_entered(run):
    """Files of the package in which a Python function is entered, on any thread.

    Modules and class bodies that are only executed while they are imported do not count.
    """
    entered = set()

    def watch(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_flags & inspect.CO_OPTIMIZED:
            entered.add(code.co_filename)

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    inside = (Path(name) for name in entered)
    return sorted(str(p.relative_to(PACKAGE)) for p in inside if p.is_relative_to(PACKAGE))


def test_a_fit_passes_through_few_files():
    rows = np.random.default_rng(0).normal(size=(3000, 2))
    LSEC(4, random_state=0, n_jobs=2).fit(rows)  # imports and compiles
    files = files_entered(lambda: LSEC(4, random_state=0, n_jobs=2).fit(rows))
    assert "pipeline.py" in files
    assert "spectral/base_clustering.py" in files  # entered on the threads of the pool
    assert len(files) <= MOST_FILES, "\n".join(files)


def test_a_single_clustering_says_why_it_has_too_few_clusters():
    rows = np.repeat(np.eye(3), 40, axis=0)
    with pytest.raises(ValueError, match=r"supports only 3 clusters, n_clusters=5.*Lower n_clust"):
        builder("DnCSC")(5).fit(rows)


def test_a_consensus_says_why_it_has_too_few_clusters():
    rows = np.random.default_rng(0).normal(size=(120, 3))
    with pytest.raises(
        ValueError, match=r"only 3 groups of rows apart, n_clusters=5.*raise n_landmarks"
    ):
        builder("LSEC")(5, n_landmarks=2, n_base=1, base_clusters=(2, 2)).fit(rows)
