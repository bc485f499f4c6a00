"""Fixtures that the tests of consensus share."""

import numpy as np
import pytest

from lsec.consensus.methods.method import Run
from lsec.execution.threads import Lent, Workers


@pytest.fixture(scope="module")
def run():
    """A run on two threads."""
    with Workers(2) as workers:
        yield Run(np.random.default_rng(0), workers.map, Lent)
