"""`lsec explore`: a model and rows in files become a page."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import lsec
from tests.cli.messages import failed_with
from tests.explorer.pages import Page


@pytest.fixture
def files(run, bananas):
    """Rows in rows.npy, and models in model.lsec and single.lsec."""
    X = bananas[0][:800]
    np.save("rows.npy", X)
    for name, method in (("model", "lsec"), ("single", "dncsc")):
        run(
            "fit", "rows.npy", "-k", 2, "-o", "l.npy", "--model", f"{name}.lsec", "--method", method
        )
    return X


def test_the_page_has_the_labels_of_predict(run, files):
    result = run("explore", "model.lsec", "rows.npy", "-o", "page.html", "--json")
    assert result.exit_code == 0, result.stderr
    with open("page.html", encoding="utf-8") as file:
        page = Page(file.read())
    assert_array_equal(page.labels_at(2), lsec.load("model.lsec").predict(files))
    facts = json.loads(result.stdout)
    assert facts == {"rows": 800, "bytes": len(page.text.encode())}


def test_coordinates_come_from_a_file(run, files):
    np.save("places.npy", files[:, ::-1])
    options = ("--coordinates", "places.npy", "-q")
    assert run("explore", "model.lsec", "rows.npy", "-o", "page.html", *options).output == ""
    with open("page.html", encoding="utf-8") as file:
        assert Page(file.read()).facts["axes"][0] == "first coordinate"


def test_mistakes(run, files):
    failed_with(run("explore", "single.lsec", "rows.npy", "-o", "p.html"), "DnCSC", "ensemble")
    failed_with(run("explore", "model.lsec", "rows.npy", "-o", "p.png"), "must end in .html")
    np.save("wide.npy", np.zeros((9, 3)))
    failed_with(run("explore", "model.lsec", "wide.npy", "-o", "p.html"), "3 features")
