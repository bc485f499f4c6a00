"""Synthetic data sets of a billion rows and more: parts, and what does not fit."""

import errno
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsec.datasets import _sampling, make_flower
from tests.conftest import room_for
from tests.datasets.makers import MAKERS, each_maker

# More rows than NumPy draws from


@pytest.fixture
def few_drawn(monkeypatch):
    """Blocks of 100 rows, and parts of at most 950."""
    monkeypatch.setattr(_sampling, "BLOCK_ROWS", 100)
    monkeypatch.setattr(_sampling, "MOST_DRAWN", 950)


@each_maker
@pytest.mark.parametrize("n", [951, 1800, 9500, 12_345])
def test_parts_have_exact_counts_and_their_share_of_every_class(make, n, few_drawn):
    mixture = MAKERS[make]
    _, y = make(n, random_state=0)
    counts = np.bincount(y, minlength=len(mixture))
    np.testing.assert_array_equal(counts, _sampling.class_counts(mixture, n))
    n_parts = -(-(n - 950) // 900)
    for start in range(0, n_parts * 900, 900):
        inside = np.bincount(y[start : start + 900], minlength=len(mixture))
        assert np.abs(inside - counts * 900 / n).max() < 2
    classes = [y[start : start + 100].tolist() for start in range(0, n, 100)]
    assert len({*map(tuple, classes)}) == len(classes)  # every block is a draw of its own


@settings(max_examples=200, deadline=None)
@given(
    counts=st.lists(st.integers(0, 10**11), min_size=1, max_size=13).filter(any),
)
def test_split_counts_add_up_and_can_be_drawn_from(counts):
    parts = np.array([*_sampling.split_counts(np.array(counts))])
    assert parts.min() >= 0
    assert parts.sum(axis=1).max() <= _sampling.MOST_DRAWN
    assert (parts.sum(axis=1)[:-1] % _sampling.BLOCK_ROWS == 0).all()
    assert parts.sum(axis=0).tolist() == counts
    share = np.array(counts, float) / sum(counts)
    for part in parts:
        assert np.abs(part - share * part.sum()).max() < len(parts) + 1


def test_up_to_the_limit_there_is_one_part():
    limit = _sampling.MOST_DRAWN
    for counts in ([limit], [limit - 7, 7], [1]):
        assert [part.tolist() for part in _sampling.split_counts(np.array(counts))] == [counts]
    for seed in range(3):  # and NumPy draws from as many
        rng = np.random.default_rng(seed)
        drawn = rng.multivariate_hypergeometric([limit - 7, 7], 1000, method="marginals")
        assert drawn.sum() == 1000


def test_the_limit_changes_nothing_below_it(monkeypatch):
    X, y = make_flower(70_000, random_state=5)
    monkeypatch.setattr(_sampling, "MOST_DRAWN", 70_000)
    same = make_flower(70_000, random_state=5)
    np.testing.assert_array_equal(same[0], X)
    np.testing.assert_array_equal(same[1], y)


# What does not fit


@pytest.mark.parametrize("n_samples", [10**17, 10**20])
def test_more_rows_than_memory_holds(n_samples, tmp_path):
    for out in (None, tmp_path / "rows.npy"):
        with pytest.raises(ValueError, match=rf"n_samples={n_samples} is more than memory"):
            make_flower(n_samples, out=out)
    assert not os.listdir(tmp_path)


def test_no_room_for_the_file(tmp_path):
    with room_for(100_000), pytest.raises(OSError, match=os.strerror(errno.EFBIG)) as caught:
        make_flower(50_000, out=tmp_path / "rows.npy")
    assert caught.value.filename == str(tmp_path / "rows.npy")
    assert not os.listdir(tmp_path)
