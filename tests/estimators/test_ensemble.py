"""Memory that a fit plans for its members: their tables over landmarks."""

import numpy as np
import pytest

from lsec.execution import executor
from lsec.spectral.base_clustering import MemberPlan
from tests.conftest import builder


@pytest.fixture
def planned(monkeypatch):
    """Bytes of the result that every fit of rows in a file plans for."""
    results = []

    def noted(limit, n_threads, block, result):
        results.append(result)
        return n_threads, limit

    monkeypatch.setattr(executor, "shares", noted)
    return results


@pytest.mark.parametrize(("generator", "n_tables"), [("kmeans", 0), ("uspec", 3)])
def test_only_members_with_tables_over_landmarks_are_counted(
    generator, n_tables, face, tmp_path, planned
):
    np.save(tmp_path / "rows.npy", face)
    model = builder("EnsembleClustering")(4, generator=generator, n_base=3, n_landmarks=100)
    model.fit(tmp_path / "rows.npy")
    assert planned == [n_tables * MemberPlan.n_bytes(100, True)]


@pytest.mark.parametrize(("discretization", "refined"), [("light", False), ("kmeans", True)])
def test_products_of_landmarks_are_counted_only_where_members_are_refined(
    discretization, refined, face, tmp_path, planned
):
    np.save(tmp_path / "rows.npy", face)
    model = builder("LSEC")(4, n_base=3, n_landmarks=100, discretization=discretization)
    model.fit(tmp_path / "rows.npy")
    assert planned == [3 * MemberPlan.n_bytes(100, refined)]
    assert MemberPlan.n_bytes(100, True) - MemberPlan.n_bytes(100, False) == 4 * 100**2
