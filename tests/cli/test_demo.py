"""`lsec demo`: a table, and a picture."""

import os
import sys

import numpy as np
from numpy.testing import assert_array_equal

from lsec.cli.demo import Case
from lsec.cli.picture import match_clusters
from tests.cli.messages import failed_with


def test_demo_shows_both_methods_and_draws(run):
    from matplotlib import image

    result = run("demo", "--rows", 3000, "--output", "face.png")
    assert result.exit_code == 0, result.stderr
    for word in ("PenDigits", "10,992", "smiling face", "3,000", "k-means", "LSEC", "88.26"):
        assert word in result.stdout
    height, width, _ = image.imread("face.png").shape
    assert width > height > 300
    assert os.listdir() == ["face.png"]


def test_demo_without_matplotlib_still_shows_the_table(run, bananas, monkeypatch):
    case = Case("bananas", *bananas, n_clusters=2, paper=(99.72, 97.19))
    monkeypatch.setattr("lsec.cli.demo._cases", lambda rows, seed: [case])
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run("demo")
    assert result.exit_code == 0
    assert "99.72 / 97.19" in result.stdout
    assert "pip install 'lsec[plot]'" in result.stdout
    assert all(name in result.stdout for name in ("clustering accuracy", "mutual information"))
    assert os.listdir() == []


def test_demo_refuses_another_kind_of_picture(run):
    failed_with(run("demo", "--output", "face.gif"), "must end in .png")


def test_match_clusters_keeps_the_partition_and_finds_the_best_names():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 200)
    permuted = np.array([2, 0, 3, 1])[y]
    assert_array_equal(match_clusters(y, permuted), y)
    more = np.where(rng.random(200) < 0.2, 9, permuted)
    matched = match_clusters(y, more)
    assert_array_equal(matched[more != 9], y[more != 9])
    assert set(matched[more == 9]) == {4}
