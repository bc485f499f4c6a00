"""Fixtures that the tests of consensus share."""

import numpy as np
import pytest
from hypothesis import settings

from lsec.consensus.methods import Tasks
from lsec.execution.threads import Lent, Workers

settings.register_profile("consensus", deadline=None, max_examples=20)
settings.load_profile("consensus")


@pytest.fixture(scope="module")
def tasks():
    """Tasks on two threads."""
    with Workers(2) as workers:
        yield Tasks(np.random.default_rng(0), workers.map, Lent)
