"""Memory is estimated before it is taken, and refused with numbers."""

import tracemalloc
import warnings

import numpy as np
import pytest

from lsec import MicroClusters, consensus
from lsec.consensus import memory
from lsec.consensus.consensus import METHODS, make_method
from lsec.consensus.micro_clusters import cooccurrence

MIB = 2**20


def random_labels(n_rows, n_base, n_clusters):
    return np.random.default_rng(0).integers(0, n_clusters, (n_rows, n_base))


def peak_of(micro, method):
    consensus(micro, 3, method, random_state=0, n_jobs=1)  # compiles, and caches what micro keeps
    fresh = MicroClusters(micro.labels, micro.weights, micro.of_row, micro.n_labels)
    tracemalloc.start()
    consensus(fresh, 3, method, random_state=0, n_jobs=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("shape", [(30, 60, 10), (1500, 8, 6)], ids=["wide", "tall"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore:The label matrix has")
def test_the_estimate_is_what_is_taken(method, shape):
    micro = MicroClusters.from_labels(random_labels(*shape))
    estimate = make_method(method, {}).n_bytes(micro, 3, 1)
    peak = peak_of(micro, method)
    assert peak < 1.5 * estimate + 2 * MIB
    assert estimate < 4 * peak + 2 * MIB


def test_entries_of_a_sparse_matrix_are_estimated():
    labels = np.column_stack([np.arange(6000), *random_labels(6000, 4, 30).T])
    micro = MicroClusters.from_labels(labels)
    actual = 12 * cooccurrence(micro, micro.weights).nnz
    assert 0.5 * actual < memory.base_cluster_matrix_bytes(micro) < 2 * actual


@pytest.mark.parametrize("method", METHODS)
def test_more_than_is_free_is_refused_with_numbers(method, monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 50_000)
    message = r"takes about [\d.e-]+ GiB; 4.66e-05 GiB are free. Use fewer .*'kcc'"
    with pytest.raises(ValueError, match=message):
        consensus(random_labels(300, 10, 20), 3, method)


def test_a_transposed_matrix_is_refused_before_memory_is_taken(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 2**30)
    wide = random_labels(50, 3000, 10)
    tracemalloc.start()
    with (
        pytest.warns(UserWarning, match="did you mean its transpose"),
        pytest.raises(ValueError, match=r"50 rows and 3,000 base clusterings: did you mean"),
    ):
        consensus(wide, 3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200 * MIB


def test_the_question_is_asked_for_arrays_and_lists_and_not_for_usual_shapes():
    labels = random_labels(40, 4, 3)
    for transposed in [labels.T, list(labels)]:
        with pytest.warns(UserWarning, match="4 rows and 40 .* entry of a list"):
            MicroClusters.from_labels(transposed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MicroClusters.from_labels(labels)
        MicroClusters.from_labels(list(labels.T))
