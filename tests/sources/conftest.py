"""Fixtures of the tests of sources."""

import pytest

from tests.sources.stores import set_blocks


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 16 rows."""
    set_blocks(monkeypatch)
