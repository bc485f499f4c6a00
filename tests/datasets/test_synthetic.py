"""Synthetic data sets: exact counts, random order, seeds, blocks, files, memory, errors."""

import doctest
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import lsec.datasets
from lsec.datasets import (
    _mixtures,
    _sampling,
    make_concentric_circles,
    make_flower,
    make_two_bananas,
    real,
    synthetic,
)
from tests.datasets.makers import MAKERS, each_maker


def test_docstring_examples():
    result = doctest.testmod(synthetic)
    assert result.attempted >= 15
    assert result.failed == 0


def test_public_names():
    loaders = [name for name in vars(real) if name.startswith("load_")]
    makers = [name for name in vars(synthetic) if name.startswith("make_")]
    assert sorted(lsec.datasets.__all__) == sorted(loaders + makers)


# Classes and order of the rows


@each_maker
def test_shapes_types_and_exact_class_counts(make):
    mixture, n = MAKERS[make], 70_001  # more than one block
    X, y = make(n, random_state=0)
    assert X.shape == (n, 2)
    assert X.dtype == np.float32
    assert np.isfinite(X).all()
    assert y.shape == (n,)
    assert y.dtype == np.uint8
    shares = [part.share for part in mixture]
    assert sum(shares) == 1
    expected = [n * share.numerator // share.denominator for share in shares]
    expected[int(np.argmax(shares))] += n - sum(expected)
    np.testing.assert_array_equal(np.bincount(y, minlength=len(mixture)), expected)


def test_shares_are_those_of_the_description():
    counts = {
        make.__name__: _sampling.class_counts(mixture, 100_000).tolist()
        for make, mixture in MAKERS.items()
    }
    assert counts == {
        "make_two_bananas": [50_000] * 2,
        "make_smiling_face": [28_720, 28_720, 37_560, 5_000],
        "make_concentric_circles": [52_942, 33_333, 13_725],
        "make_circles_gaussians": [30_006, 10_000] + [6_666] * 9,
        "make_flower": [2_000] + [4_515] * 6 + [11_820] + [11_818] * 5,
    }


def test_rows_are_in_random_order(monkeypatch):
    """The first half has hypergeometric counts, and neighbors agree as often as chance."""
    monkeypatch.setattr(_sampling, "BLOCK_ROWS", 512)
    n, counts = 4096, []
    for seed in range(200):
        _, y = make_two_bananas(n, random_state=seed)
        counts.append(int((y[: n // 2] == 0).sum()))
        assert abs(np.mean(y[1:] == y[:-1]) - 0.5) < 5 * 0.5 / np.sqrt(n)
    sd = np.sqrt(n / 16)  # of the number of zeros in a random half of n rows
    assert abs(np.mean(counts) - n / 4) < 4 * sd / np.sqrt(len(counts))
    assert 0.8 < np.std(counts) / sd < 1.2


def test_smallest_sets():
    for n in (1, 2, 13):
        X, y = make_flower(n, random_state=0)
        assert X.shape == (n, 2)
        assert y.max(initial=0) < 13


# Seeds and blocks


@each_maker
def test_same_seed_same_rows(make):
    X, y = make(5000, random_state=3)
    again, y_again = make(5000, random_state=np.int64(3))
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, y_again)
    assert not np.array_equal(X, make(5000, random_state=4)[0])


@pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState])
def test_generators_are_seeds_that_move_on(source):
    one, same = source(0), source(0)
    first, _ = make_two_bananas(100, random_state=one)
    np.testing.assert_array_equal(first, make_two_bananas(100, random_state=same)[0])
    assert not np.array_equal(first, make_two_bananas(100, random_state=one)[0])


def test_no_seed_differs_every_time():
    assert not np.array_equal(make_two_bananas(50)[0], make_two_bananas(50)[0])


def test_float64_has_the_same_distribution_and_its_own_digits():
    X, y = make_concentric_circles(50_000, random_state=0, dtype="float64")
    single, y_single = make_concentric_circles(50_000, random_state=0)
    assert X.dtype == np.float64
    assert not np.array_equal(X, X.astype(np.float32))
    for k in range(3):
        radius, radius_single = np.hypot(*X[y == k].T), np.hypot(*single[y_single == k].T)
        assert radius.mean() == pytest.approx(radius_single.mean(), abs=0.005)
        assert radius.std() == pytest.approx(radius_single.std(), rel=0.05)


def test_blocks_can_be_made_alone_and_in_any_order(monkeypatch):
    monkeypatch.setattr(_sampling, "BLOCK_ROWS", 100)
    X, y = make_flower(1050, random_state=9)
    plan = _sampling.plan_blocks(_mixtures.FLOWER, 1050, np.random.SeedSequence(9))
    blocks = list(plan)
    assert len(blocks) == 11
    for block in reversed(blocks):
        X_block, y_block = np.empty_like(X[block.rows]), np.empty_like(y[block.rows])
        _sampling.fill_block(_mixtures.FLOWER, block, X_block, y_block)
        np.testing.assert_array_equal(X_block, X[block.rows])
        np.testing.assert_array_equal(y_block, y[block.rows])
        np.testing.assert_array_equal(np.bincount(y_block, minlength=13), block.class_counts)


# Files and memory


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_file_equals_memory(tmp_path, dtype):
    path = tmp_path / "flower.npy"
    path.write_bytes(b"an older file")
    X, y = make_flower(150_000, random_state=1, dtype=dtype)
    from_file, y_file = make_flower(150_000, random_state=1, dtype=dtype, out=path)
    assert isinstance(from_file, np.memmap)
    assert not from_file.flags.writeable
    np.testing.assert_array_equal(from_file, X)
    np.testing.assert_array_equal(y_file, y)
    np.testing.assert_array_equal(np.load(str(path)), X)
    assert os.listdir(tmp_path) == ["flower.npy"]


def test_interrupted_file_leaves_nothing_behind(tmp_path, monkeypatch):
    calls = []

    def fail_in_the_second_block(*args):
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(_sampling, "fill_block", fail_in_the_second_block)
    path = tmp_path / "flower.npy"
    path.write_bytes(b"an older file")
    with pytest.raises(KeyboardInterrupt):
        make_flower(150_000, out=path)
    assert os.listdir(tmp_path) == ["flower.npy"]
    assert path.read_bytes() == b"an older file"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("to_file", "bytes_per_row"), [(False, 9), (True, 1)])
def test_peak_memory_is_the_result_and_one_block(tmp_path, to_file, bytes_per_row):
    code = """
        import re
        import sys
        from pathlib import Path
        from lsec.datasets import make_flower

        def peak():  # not ru_maxrss, which a process inherits from its parent
            status = Path("/proc/self/status").read_text()
            return 1024 * int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1])

        make_flower(100_000)
        before = peak()
        result = make_flower(4_000_000, out=sys.argv[1] if sys.argv[1:] else None)
        print(peak() - before)
    """
    run = [sys.executable, "-c", textwrap.dedent(code)]
    run += [str(tmp_path / "big.npy")] if to_file else []
    grown = int(subprocess.run(run, check=True, capture_output=True).stdout)
    assert grown < 4_000_000 * bytes_per_row + 8 * 2**20
    assert grown > 3_000_000 * bytes_per_row  # the peak was seen


# Errors


@pytest.mark.parametrize("n_samples", [0, -5, 2.5, "10", True, None])
def test_bad_n_samples(n_samples):
    with pytest.raises(ValueError, match=r"n_samples must be an integer at least 1; got"):
        make_flower(n_samples)


@pytest.mark.parametrize("dtype", [np.int32, "float16", "complex128"])
def test_bad_dtype(dtype):
    with pytest.raises(ValueError, match="dtype must be float32 or float64; got"):
        make_flower(10, dtype=dtype)


@pytest.mark.parametrize("random_state", [-1, 1.5, "seed"])
def test_bad_random_state(random_state):
    with pytest.raises(ValueError, match=r"random_state must be None, an integer >= 0.*got"):
        make_flower(10, random_state=random_state)


@pytest.mark.parametrize("name", ["rows.csv", "missing/rows.npy"])
def test_bad_out(tmp_path, name):
    with pytest.raises(ValueError, match=r"out must be the path of a \.npy file.*got"):
        make_flower(10, out=tmp_path / name)
    assert os.listdir(tmp_path) == []
