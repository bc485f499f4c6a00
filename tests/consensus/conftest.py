"""Fixtures that the tests of consensus share."""

import numpy as np
import pytest

from lsec.consensus.methods import Tasks
from lsec.execution.threads import Lent, Workers


@pytest.fixture(scope="module")
def tasks():
    """Tasks on two threads."""
    with Workers(2) as workers:
        yield Tasks(np.random.default_rng(0), workers.map, Lent)
