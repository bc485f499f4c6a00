"""Tables with categorical columns as features."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lsec.sources.indicators import MOST_LEVELS, Indicators
from lsec.sources.mixed_tables import learn_categories, open_mixed

pd = pytest.importorskip("pandas")


def indicators_of(table):
    categories = learn_categories(table, "from_dtype", scale=False)
    return Indicators(open_mixed(table, categories), categories, list(table))


def test_numbers_come_first_then_every_category():
    table = pd.DataFrame({"kind": ["b", None, "a", "b"], "size": [1, 2, 3, 4], "on": [True] * 4})
    rows = indicators_of(table)
    assert rows.columns == ["size", "kind = a", "kind = b", "on = True"]
    expected = [[1, 0, 1, 1], [2, 0, 0, 1], [3, 1, 0, 1], [4, 0, 1, 1]]
    assert_array_equal(rows.block(0), expected)
    assert_array_equal(rows.take(np.array([1, 3])), [expected[1], expected[3]])


def test_tables_without_numbers_have_indicators_alone():
    rows = indicators_of(pd.DataFrame({"kind": ["b", "a"]}))
    assert rows.columns == ["kind = a", "kind = b"]
    assert_array_equal(rows.block(0), [[0, 1], [1, 0]])


def test_of_many_categories_the_most_frequent_are_shown():
    names = [f"{i:02}" for i in range(MOST_LEVELS + 5)]
    rows = indicators_of(pd.DataFrame({"kind": names[:5] + 2 * names[5:]}))
    assert rows.columns == [f"kind = {name}" for name in names[5:]]
