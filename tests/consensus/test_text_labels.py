"""Labels that are text, categories or None are the same clusterings as numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lsec import MicroClusters, consensus
from lsec.metrics import agreement_matrix
from tests.consensus.ensembles import random_ensemble

LABELS = random_ensemble(np.random.default_rng(0), 300, 6, noise=0.1, missing=0.05)[1]
WORDS = np.array([f"{'zyx'[i % 3]} no. {i}" for i in range(100)], object)


def words(labels, missing=None):
    """The labels as text, whose order is not that of the numbers."""
    found = WORDS[labels]
    found[labels < 0] = missing
    return found


def pandas_of(kind):
    def make(labels):
        pandas = pytest.importorskip("pandas")
        columns = {f"b{j}": pandas.Series(words(column)) for j, column in enumerate(labels.T)}
        return pandas.DataFrame(columns).astype(kind)

    return make


def numeric_categories(labels):
    pandas = pytest.importorskip("pandas")
    return [pandas.Categorical(np.where(c < 0, np.nan, 7 * c + 3)) for c in labels.T]


def polars_of(kind):
    def make(labels):
        polars = pytest.importorskip("polars")
        columns = {f"b{j}": words(column).tolist() for j, column in enumerate(labels.T)}
        return polars.DataFrame(columns).cast(getattr(polars, kind))

    return make


def arrow(labels):
    pyarrow = pytest.importorskip("pyarrow")
    columns = [pyarrow.array(words(column).tolist()) for column in labels.T]
    names = [f"b{j}" for j in range(len(columns))]
    columns[0] = columns[0].dictionary_encode()
    return pyarrow.table(columns, names=names)


def optional_numbers(labels):
    found = labels.astype(object)
    found[labels < 0] = None
    return found


FORMS = {
    "list of lists": lambda labels: [words(c).tolist() for c in labels.T],
    "dictionary": lambda labels: {f"b{j}": words(c) for j, c in enumerate(labels.T)},
    "dictionary of numbers": lambda labels: {f"b{j}": c for j, c in enumerate(labels.T)},
    "object array": words,
    "array of text": lambda labels: list(words(labels, "none").astype(str).T),
    "NaN in text": lambda labels: words(labels, np.nan),
    "bytes": lambda labels: [words(c, "none").astype("S") for c in labels.T],
    "numbers and None": optional_numbers,
    "str": pandas_of("str"),
    "string": pandas_of("string"),
    "object": pandas_of(object),
    "category": pandas_of("category"),
    "numeric categories": numeric_categories,
    "polars text": polars_of("String"),
    "polars categories": polars_of("Categorical"),
    "arrow": arrow,
}


@pytest.mark.parametrize("form", FORMS)
def test_text_is_the_same_clustering_as_numbers(form):
    labels = LABELS
    if form in ("array of text", "bytes"):  # without a value for missing labels
        labels = np.where(LABELS < 0, LABELS.max() + 1, LABELS)
    given = FORMS[form](labels)
    expected = consensus(labels, 4, random_state=0, full_output=True)
    found = consensus(given, 4, random_state=0, full_output=True)
    assert_array_equal(found.labels, expected.labels)
    assert_array_equal(found.confidence, expected.confidence)
    assert_allclose(agreement_matrix(given), agreement_matrix(labels))


@pytest.mark.parametrize("form", ["object array", "category", "numeric categories", "polars text"])
def test_new_rows_are_known_by_their_text(form):
    result = consensus(FORMS[form](LABELS), 4, random_state=0, full_output=True)
    expected = consensus(LABELS, 4, random_state=0, full_output=True)
    for part in (slice(200, 300), slice(7, 60, 3)):
        new = FORMS[form](LABELS[part])
        assert_array_equal(result.predict(new), expected.predict(LABELS[part]))
        assert_array_equal(result.predict(new), expected.labels[part])


def test_text_that_did_not_occur_is_missing():
    result = consensus([["a", "b", "b"], ["u", "u", "v"]], 2, random_state=0, full_output=True)
    assert_array_equal(result.predict([["a", "A", "b"], ["new", "v", "v"]]), [0, 1, 1])
    with pytest.raises(ValueError, match="Row 1 has no base label that"):
        result.predict([["a", "A"], ["u", "w"]])


def test_text_and_numbers_do_not_change_places():
    result = consensus([["a", "b", "b"], [0, 0, 1]], 2, random_state=0, full_output=True)
    with pytest.raises(ValueError, match="clustering 0 has numbers as labels here, and had text"):
        result.predict([[0, 0], [0, 1]])
    with pytest.raises(ValueError, match="clustering 1 has text as labels here, and had numbers"):
        result.predict([["a", "b"], ["a", "b"]])


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([["a", 1, "b"]], "label vector 0 has 1 of the type int among others"),
        ({"city": ["a", b"b", "c"]}, "label vector 'city' has b'b' of the type bytes"),
        ([[(1, 2), (1, 3)]], "must be 1-D"),
        ([[0.5, None]], "Row 0, column 0 is 0.5"),
        ({"a": [0, 1], "b": [0]}, "same rows"),
        ({}, "got shape"),
    ],
)
def test_what_is_neither(labels, words):
    with pytest.raises(ValueError, match=words):
        MicroClusters.from_labels(labels)


def test_a_clustering_without_any_label_takes_no_part():
    expected = consensus(LABELS, 4, random_state=0)
    for empty in ([None] * 300, [np.nan] * 300, [-1] * 300):
        found = consensus([*LABELS.T, empty], 4, random_state=0)
        assert_array_equal(found, expected)
