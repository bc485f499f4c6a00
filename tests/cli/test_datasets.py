"""`lsec datasets`: the list agrees with the library, and files hold the rows of the makers."""

import inspect
import os

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lsec import datasets
from lsec.cli.datasets import BUNDLED, SYNTHETIC
from tests.cli.messages import failed_with


def test_datasets_list_names_every_data_set(run):
    result = run("datasets", "list")
    assert result.exit_code == 0
    for name in ("two-bananas", "flower", "pendigits", "usps", "covertype", "20,000,000"):
        assert name in result.stdout


@pytest.mark.parametrize("name", SYNTHETIC)
def test_list_agrees_with_the_makers(name):
    entry = SYNTHETIC[name]
    maker = getattr(datasets, entry.function)
    assert inspect.signature(maker).parameters["n_samples"].default == entry.rows
    X, y = maker(1000, random_state=0)
    assert (X.shape[1], len(np.unique(y))) == (entry.features, entry.classes)


@pytest.mark.parametrize("name", BUNDLED)
def test_list_agrees_with_the_loaders(name):
    entry = BUNDLED[name]
    X, y = getattr(datasets, entry.function)(return_X_y=True)
    assert (*X.shape, len(np.unique(y))) == (entry.rows, entry.features, entry.classes)


def test_datasets_make_equals_the_maker(run):
    result = run("datasets", "make", "flower", "-n", "2e3", "-o", "fl.npy", "--labels", "y.npy")
    assert result.exit_code == 0
    assert "2,000 rows" in result.stdout
    X, y = datasets.make_flower(2000, random_state=0)
    assert_array_equal(np.load("fl.npy"), X)
    assert_array_equal(np.load("y.npy"), y)
    assert sorted(os.listdir()) == ["fl.npy", "y.npy"]


def test_datasets_make_takes_a_seed(run):
    run("datasets", "make", "two-bananas", "-n", 100, "-o", "x.npy", "--seed", 7)
    assert_array_equal(np.load("x.npy"), datasets.make_two_bananas(100, random_state=7)[0])


@pytest.mark.parametrize("count", ["0", "-5", "1.5", "many", "nan", "inf"])
def test_datasets_make_refuses_what_is_no_number_of_rows(run, count):
    result = run("datasets", "make", "flower", "-n", count, "-o", "fl.npy")
    assert result.exit_code == 2
    assert "not a number of rows" in result.stderr
    assert os.listdir() == []


def test_datasets_make_refuses_one_file_for_rows_and_labels(run):
    result = run("datasets", "make", "flower", "-n", 10, "-o", "a.npy", "--labels", "./a.npy")
    failed_with(result, "must not overwrite")
