"""The study of tables with categories: its tables, methods and verdicts."""

import numpy as np
import pytest

from benchmarks.harness.mixed_tables import METHODS, N_GROUPS, TABLES, by_kmeans, by_lsec, draw
from benchmarks.studies import categories as study
from lsec.metrics import clustering_accuracy


@pytest.mark.parametrize("name", TABLES)
def test_tables_have_their_columns_and_gaps(name):
    numbers, codes, group = draw(2000, 0, **TABLES[name])
    wanted = TABLES[name]
    assert numbers.shape == (2000, wanted["n_numeric"])
    assert codes.shape == (2000, wanted["n_categorical"])
    assert set(group) == set(range(N_GROUPS))
    if codes.size:
        assert (codes < 0).mean() == pytest.approx(wanted.get("missing", 0), abs=0.02)
        again = draw(2000, 0, **wanted)[1]
        np.testing.assert_array_equal(codes, again)


@pytest.mark.parametrize("method", [by_lsec, by_kmeans])
def test_methods_find_the_groups(method):
    pytest.importorskip("pandas")
    numbers, codes, group = draw(1000, 0, **TABLES["both"])
    assert clustering_accuracy(group, method(numbers, codes, 0)) > 0.9


def test_verdicts_follow_from_the_records():
    cells = {}
    for name in TABLES:
        for method, acc in zip(METHODS, (0.9, 0.8, 0.95), strict=True):
            cells[f"{name}/{method}/0"] = {"acc": 100 * acc}
    cells["time/both/0"], cells["time/numeric part/0"] = {"seconds": 9.0}, {"seconds": 4.0}
    goals, scores = study.tables(cells)
    rows = [tuple(map(str, row)) for row in goals.rows]
    assert all("95.00" in row[2] for row in rows[: len(TABLES)])
    assert "2.25" in rows[-1][1]
    assert len(scores.rows) == len(TABLES)


def test_a_missing_library_is_left_out():
    cells = {f"both/{METHODS[0]}/0": {"acc": 90.0}, f"both/{METHODS[1]}/0": {"acc": 80.0}}
    row = study.accuracy_goal(cells, "both")
    assert row[1] == "90.00"
    assert row[2] == "at least 80.00"
    assert study.time_goal({})[1] == "not yet"
