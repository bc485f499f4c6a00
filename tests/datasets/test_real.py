"""Loaders of the real data sets: bundled files, LSEC_DATA, cache, download, and what they say."""

import doctest
import os

import numpy as np
import pytest
import sklearn.datasets

from lsec.datasets import (
    load_covertype,
    load_letters,
    load_mnist,
    load_pendigits,
    load_usps,
    real,
)


@pytest.fixture
def no_files(monkeypatch, tmp_path):
    """Neither LSEC_DATA nor anything in the cache; returns the cache folder."""
    monkeypatch.delenv("LSEC_DATA", raising=False)
    monkeypatch.setenv("LSEC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_docstring_examples():
    result = doctest.testmod(real)
    assert result.attempted >= 6
    assert result.failed == 0


# Bundled sets


def test_bundled_pendigits(no_files):
    pendigits = load_pendigits()
    assert pendigits.data.shape == (10_992, 16)
    assert pendigits.data.dtype == np.uint8
    assert (pendigits.data.min(), pendigits.data.max()) == (0, 100)
    assert pendigits.target.dtype == np.int64
    counts = [1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055]
    np.testing.assert_array_equal(np.bincount(pendigits.target), counts)
    assert pendigits.n_classes == len(pendigits.target_names) == 10
    assert len(pendigits.feature_names) == 16
    assert "10.24432/C5MG6K" in pendigits.DESCR
    X, y = load_pendigits(return_X_y=True)
    np.testing.assert_array_equal(X, pendigits.data)
    np.testing.assert_array_equal(y, pendigits.target)


def test_bundled_letters(no_files):
    letters = load_letters()
    assert letters.data.shape == (20_000, 16)
    assert (letters.data.min(), letters.data.max()) == (0, 15)
    counts = np.bincount(letters.target)
    assert (counts.size, counts.min(), counts.max()) == (26, 734, 813)
    assert letters.n_classes == len(letters.target_names) == 26


# Files and downloads


@pytest.mark.parametrize(
    ("version", "name", "shape"),
    [
        ("smoothed", "usps", (9298, 256)),
        ("original", "usps_esl", (9298, 256)),
        ("balanced", "usps11k", (11_000, 256)),
    ],
)
def test_files_in_lsec_data_are_found(no_files, tmp_path, monkeypatch, version, name, shape):
    X, y = np.zeros(shape, dtype=np.float32), (np.arange(shape[0]) % 10).astype(np.int8)
    np.savez_compressed(tmp_path / f"{name}.npz", X=X, y=y)
    monkeypatch.setenv("LSEC_DATA", str(tmp_path))
    usps = load_usps(version=version)
    assert usps.data.shape == shape
    assert usps.target.dtype == np.int64
    np.testing.assert_array_equal(usps.target, y)
    assert len(usps.feature_names) == len(set(usps.feature_names)) == 256
    assert usps.target_names[0] == ("1" if version == "balanced" else "0")


def fake_openml(calls, X, y):
    def fetch(*, data_id, as_frame, return_X_y, **_):
        assert return_X_y
        assert not as_frame
        calls.append(data_id)
        return X, y

    return fetch


def test_mnist_is_downloaded_once_and_kept(no_files, monkeypatch):
    X, y = np.zeros((70_000, 784), dtype=np.uint8), np.arange(70_000) % 10
    X[5, 6] = 255
    calls = []
    fake = fake_openml(calls, X.astype(np.float32), y.astype(str).astype(object))
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fake)
    for _ in range(2):
        mnist = load_mnist()
        assert mnist.data.dtype == np.uint8
        np.testing.assert_array_equal(mnist.data[:10], X[:10])
        np.testing.assert_array_equal(mnist.target, y)
    assert calls == [554]
    assert os.listdir(no_files) == ["mnist.npz"]


def test_usps_download_counts_classes_from_zero(no_files, monkeypatch):
    X = np.random.default_rng(0).uniform(-1, 1, (9298, 256))
    y = np.arange(9298) % 10
    fake = fake_openml([], X, (y + 1).astype(str))
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fake)
    data, target = load_usps(return_X_y=True)
    np.testing.assert_array_equal(data, X.astype(np.float32))
    np.testing.assert_array_equal(target, y)


def test_original_usps_is_not_taken_for_the_smoothed(no_files, monkeypatch):
    X = np.random.default_rng(0).uniform(-1, 1, (9298, 256)).round(3).astype(np.float32)
    fake = fake_openml([], X, np.arange(9298) % 10 + 1)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fake)
    with pytest.raises(FileNotFoundError, match="holds the original images, not the smoothed"):
        load_usps()
    assert not no_files.exists()


def test_covertype_is_downloaded_with_scikit_learn(no_files, monkeypatch):
    X = np.zeros((581_012, 54), dtype=np.float32)
    X[3, 0] = -173
    y = np.arange(581_012, dtype=np.int32) % 7

    def fetch_covtype(*, data_home, return_X_y):
        assert return_X_y
        assert os.path.isdir(data_home)
        return X, y + 1

    monkeypatch.setattr(sklearn.datasets, "fetch_covtype", fetch_covtype)
    data, target = load_covertype(return_X_y=True)
    assert data.dtype == np.int16
    assert data[3, 0] == -173
    np.testing.assert_array_equal(target, y)
    assert os.listdir(no_files) == ["covertype.npz"]


def test_download_that_cannot_be_kept_warns(no_files, monkeypatch):
    no_files.write_text("a file where the folder should be")
    X = np.random.default_rng(0).uniform(-1, 1, (9298, 256))
    monkeypatch.setattr(
        sklearn.datasets, "fetch_openml", fake_openml([], X, np.arange(9298) % 10 + 1)
    )
    with pytest.warns(UserWarning, match=r"USPS \(smoothed\) was downloaded but could not be kept"):
        assert load_usps().data.shape == (9298, 256)


# Errors


def test_failed_download_says_where_it_looked_and_what_to_do(no_files, tmp_path, monkeypatch):
    def fetch(**_):
        raise OSError("no network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    monkeypatch.setenv("LSEC_DATA", str(tmp_path / "mine"))
    with pytest.raises(FileNotFoundError) as caught:
        load_mnist()
    message = str(caught.value)
    assert "MNIST was not found and the download failed (no network)" in message
    assert str(tmp_path / "mine" / "mnist.npz") in message
    assert str(no_files / "mnist.npz") in message
    assert "LSEC_DATA" in message
    assert "X (70000 x 784) and y (70000 integers from 0 to 9)" in message


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        (lambda: load_mnist(download_if_missing=False), "download_if_missing is False"),
        (lambda: load_covertype(download_if_missing=False), "download_if_missing is False"),
        (lambda: load_usps(version="original"), "it cannot be downloaded.*file usps_esl.npz"),
        (lambda: load_usps(version="balanced"), "it cannot be downloaded.*file usps11k.npz"),
    ],
)
def test_missing_file_says_why(no_files, load, reason):
    with pytest.raises(FileNotFoundError, match=reason):
        load()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"data": np.zeros(3)}, "must be a NumPy .npz archive with the arrays X and y"),
        ({"X": np.zeros((9298, 255)), "y": np.zeros(9298, int)}, r"got \(9298, 255\)"),
        ({"X": np.zeros((11_000, 256)), "y": np.zeros(11_000, int)}, "another version"),
        ({"X": np.zeros((9298, 256)), "y": np.arange(9298) % 10 + 1}, "Number the classes from 0"),
        ({"X": np.zeros((9298, 256)), "y": np.arange(9298) % 10.0}, "float64 values"),
    ],
)
def test_wrong_file_is_named(no_files, tmp_path, monkeypatch, arrays, message):
    monkeypatch.setenv("LSEC_DATA", str(tmp_path))
    np.savez_compressed(tmp_path / "usps.npz", **arrays)
    with pytest.raises(ValueError, match=message) as caught:
        load_usps()
    assert str(tmp_path / "usps.npz") in str(caught.value)
    assert "USPS (smoothed)" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04 broken"])
def test_broken_file_is_named(no_files, tmp_path, monkeypatch, content):
    monkeypatch.setenv("LSEC_DATA", str(tmp_path))
    (tmp_path / "mnist.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"MNIST: .*mnist\.npz must be a NumPy \.npz archive"):
        load_mnist()


def test_unknown_usps_version():
    with pytest.raises(ValueError, match="'smoothed', 'original', 'balanced'; got 'zip'"):
        load_usps(version="zip")


@pytest.mark.skipif("LSEC_DATA" not in os.environ, reason="LSEC_DATA is not set")
@pytest.mark.parametrize(
    ("load", "counts"),
    [
        (load_usps, [1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821]),
        (load_mnist, [6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958]),
        (load_covertype, [211_840, 283_301, 35_754, 2_747, 9_493, 17_367, 20_510]),
        (lambda: load_usps(version="balanced"), [1100] * 10),
    ],
)
def test_class_counts_of_the_files(load, counts):
    np.testing.assert_array_equal(np.bincount(load().target), counts)
