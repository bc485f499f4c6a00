"""Base labels in any form and type give the same micro-clusters; what cannot be read is named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from lsec import MicroClusters
from lsec.consensus import label_matrix
from tests.consensus.ensembles import seeds
from tests.consensus.oracles import micro_clusters


def decoded(micro):
    """Label rows of micro-clusters under their own names, -1 where there is none."""
    columns = [
        np.append(names.astype(object), -1)[micro.labels[:, j]]
        for j, names in enumerate(micro.names)
    ]
    return np.stack(columns, axis=1)


def assert_reads(given_labels, plain):
    """What was given is read as the plain matrix (n, m), -1 for a missing label."""
    micro = MicroClusters.from_labels(given_labels)
    rows, counts, of_row = micro_clusters(plain)
    assert_array_equal(micro.of_row, of_row)
    assert_array_equal(micro.weights, counts)
    assert_array_equal(decoded(micro), rows)
    assert_array_equal(micro.n_labels, [len(np.unique(c[c >= 0])) for c in plain.T])
    assert_array_equal(micro.takes_part, rows >= 0)
    assert micro.of_row.dtype == np.int32
    assert micro.weights.dtype == np.float64


def plain_labels(rng, n=200, m=4, k=3, missing=0.0):
    """Label rows of which many are equal."""
    labels = rng.integers(0, k, (n, m))
    labels[rng.random((n, m)) < missing] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    return labels


@pytest.mark.parametrize("dtype", [f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)])
@given(seed=seeds, n=st.integers(1, 300), m=st.integers(1, 12))
def test_any_integer_type(dtype, seed, n, m):
    labels = plain_labels(np.random.default_rng(seed), n, m)
    assert_reads(labels.astype(dtype), labels)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "f2", "f4", "f8", "longdouble"])
@given(seed=seeds, n=st.integers(1, 300), m=st.integers(1, 12))
def test_negative_labels_are_missing(dtype, seed, n, m):
    rng = np.random.default_rng(seed)
    labels = plain_labels(rng, n, m, missing=0.3)
    some_negative = np.where(labels < 0, -rng.integers(1, 100, labels.shape), labels)
    assert_reads(some_negative.astype(dtype), labels)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "longdouble"])
@given(seed=seeds)
def test_nan_is_missing(dtype, seed):
    labels = plain_labels(np.random.default_rng(seed), missing=0.3)
    assert_reads(np.where(labels < 0, np.nan, labels).astype(dtype), labels)


def test_bool():
    labels = plain_labels(np.random.default_rng(0), k=2)
    assert_reads(labels.astype(bool), labels)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"])
def test_the_largest_label_of_a_type_is_a_label(dtype):
    # Inside, the largest number of a type stands for a missing label.
    top = np.iinfo(dtype).max
    labels = plain_labels(np.random.default_rng(0), k=2)
    micro = MicroClusters.from_labels(np.array([0, top], dtype)[labels])
    named = np.stack(
        [micro.names[j][micro.labels[micro.of_row, j]] for j in range(labels.shape[1])]
    )
    assert_array_equal(named.T, np.array([0, top], dtype)[labels])


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
def test_the_largest_label_of_a_type_beside_missing_ones(dtype):
    top = np.iinfo(dtype).max
    first = np.array([top, 0, top, 0, top], dtype)
    second = np.array([1, -1, -1, 1, 1])
    assert_reads([first, second], np.stack([first.astype(np.int64), second], axis=1))


def test_the_largest_label_of_64_bits_beside_a_missing_one():
    first, second = np.array([2**64 - 1, 0, 2**64 - 1], np.uint64), np.array([1, -1, -1])
    with pytest.raises(ValueError, match="label"):  # there is no larger number left
        MicroClusters.from_labels([first, second])


@pytest.mark.parametrize("offset", [300, 70_000, 10**12, 2**62])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_huge_labels_with_gaps(offset, missing):
    labels = plain_labels(np.random.default_rng(0), missing=missing)
    huge = np.where(labels < 0, -1, offset + 1009 * labels)
    assert_reads(huge, huge)


def test_whole_floats_beyond_32_bits():
    labels = plain_labels(np.random.default_rng(0), missing=0.3)
    huge = np.where(labels < 0, -1, 10**12 + labels)
    assert_reads(np.where(labels < 0, np.nan, huge.astype(float)), huge)


def test_more_than_256_labels_in_a_column():
    labels = np.stack([np.arange(700) % 300, np.arange(700) % 2], axis=1)
    assert_reads(labels.astype(np.uint16), labels)
    assert MicroClusters.from_labels(labels).labels.dtype == np.uint16


def test_memory_order_changes_nothing():
    labels = plain_labels(np.random.default_rng(0), missing=0.2)
    assert_reads(np.asfortranarray(labels), labels)
    assert_reads(np.repeat(labels, 2, axis=1)[:, ::2], labels)
    assert_reads(labels[::-1].copy()[::-1], labels)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32])
def test_memory_maps_are_read_by_block(tmp_path, monkeypatch, dtype):
    monkeypatch.setattr(label_matrix, "BLOCK_ROWS", 64)
    labels = plain_labels(np.random.default_rng(0), n=1000, m=9, k=2)
    np.save(tmp_path / "labels.npy", labels.astype(dtype))
    assert_reads(np.load(tmp_path / "labels.npy", mmap_mode="r"), labels)


@pytest.mark.parametrize("container", [list, tuple])
@pytest.mark.parametrize("vector", [np.array, list, tuple])
def test_label_vectors(container, vector):
    labels = plain_labels(np.random.default_rng(0), missing=0.2)
    assert_reads(container(vector(column.tolist()) for column in labels.T), labels)


def test_label_vectors_of_different_types():
    labels = plain_labels(np.random.default_rng(0), m=5, k=2)
    labels[::7, 3] = -1
    columns = [
        labels[:, 0].astype(bool),
        labels[:, 1].astype(np.uint8),
        labels[:, 2].astype(np.float32),
        np.where(labels[:, 3] < 0, np.nan, labels[:, 3]),
        labels[:, 4] + 10**12,
    ]
    expected = labels.copy()
    expected[:, 4] += 10**12
    assert_reads(columns, expected)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, np.float64])
def test_frames(library, dtype):
    module = pytest.importorskip(library)
    labels = plain_labels(np.random.default_rng(0), n=50)
    columns = {f"clustering {j}": labels[:, j].astype(dtype) for j in range(4)}
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    assert_reads(frame, labels)


def frame_with_nulls(library, labels):
    """A data frame of integer columns in which missing labels are nulls."""
    module = pytest.importorskip(library)
    columns = {
        f"clustering {j}": [None if label < 0 else label for label in column]
        for j, column in enumerate(labels.T.tolist())
    }
    if library == "pandas":
        return module.DataFrame({n: module.array(c, dtype="Int64") for n, c in columns.items()})
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_nulls_of_frames_are_missing(library):
    labels = plain_labels(np.random.default_rng(0), n=50, missing=0.3)
    assert_reads(frame_with_nulls(library, labels), labels)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_nulls_of_frames_cost_no_digits(library):
    # 2**53 and 2**53 + 1 are the same float.
    labels = np.array([[2**53, 0], [2**53 + 1, 0], [-1, 0], [2**53, 0]])
    assert_reads(frame_with_nulls(library, labels), labels)


@given(seed=seeds)
def test_input_is_not_changed(seed):
    labels = plain_labels(np.random.default_rng(seed), missing=0.3)
    for form in (labels.copy(), np.where(labels < 0, np.nan, labels)):
        before = form.copy()
        form.flags.writeable = False  # a write would raise
        MicroClusters.from_labels(form)
        assert_array_equal(form, before)


def test_threads_and_blocks_change_nothing(monkeypatch):
    labels = plain_labels(np.random.default_rng(0), n=3000, m=6, missing=0.2)
    one = MicroClusters.from_labels(labels, n_jobs=1)
    monkeypatch.setattr(label_matrix, "BLOCK_ROWS", 100)
    many = MicroClusters.from_labels(labels, n_jobs=3)
    assert_array_equal(one.labels, many.labels, strict=True)
    assert_array_equal(one.weights, many.weights, strict=True)
    assert_array_equal(one.of_row, many.of_row, strict=True)


GOOD = [0, 1, 1]


ERRORS = {
    "one vector": (np.array(GOOD), r"must be 2-D.*shape \(3,\).*labels\[:, None\]"),
    "three dimensions": (np.zeros((2, 2, 2), int), r"must be 2-D.*shape \(2, 2, 2\)"),
    "nothing": (None, r"must be 2-D"),
    "no rows": (np.zeros((0, 3), int), r"row per object.*shape \(0, 3\)"),
    "no columns": (np.zeros((3, 0), int), r"column per base clustering.*shape \(3, 0\)"),
    "no vectors": ([], r"column per base clustering.*shape \(0, 0\)"),
    "a fraction": ([GOOD, [0, 1, 1.5]], r"must be integers.*Row 2, column 1 is 1\.5"),
    "infinity": ([GOOD, [0, np.inf, 1]], r"must be integers.*Row 1, column 1 is inf"),
    "less than all": ([GOOD, [0, -np.inf, 1]], r"must be integers.*Row 1, column 1 is -inf"),
    "more than 64 bits": (np.array([[1e30], [0]]), r"(?i)row 0, column 0"),
    "objects": (np.full((2, 2), object()), r"integers, or text; label vector 0 has <object"),
    "complex": (np.zeros((2, 2), complex), r"must be integers.*complex128"),
    "different lengths": ([GOOD, [0, 1]], r"label the same rows.*lengths \[2, 3\]"),
    "rows as vectors": ([[[0, 1], [1, 1]]], r"label vector 0 must be 1-D.*as an array"),
    "a row without labels": (
        [[0, -1, 1, -1], [np.nan, -2, 1, np.nan]],
        r"Row 1 has no label in any base clustering. Remove such rows; there are 2",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_cannot_be_read_is_named(case):
    labels, message = ERRORS[case]
    with pytest.raises(ValueError, match=message):
        MicroClusters.from_labels(labels)


def test_a_fraction_in_a_late_block_is_named_by_its_row(monkeypatch):
    monkeypatch.setattr(label_matrix, "BLOCK_ROWS", 100)
    labels = np.zeros((1000, 3))
    labels[765, 2] = 0.25
    with pytest.raises(ValueError, match=r"Row 765, column 2 is 0\.25"):
        MicroClusters.from_labels(labels)


def test_what_is_masked_is_missing():
    labels = np.array([[0, 1], [0, 1], [2, 1]])
    masked = np.ma.MaskedArray(labels, mask=[[False, False], [True, False], [False, False]])
    expected = MicroClusters.from_labels(np.where(masked.mask, -1, labels))
    np.testing.assert_array_equal(MicroClusters.from_labels(masked).labels, expected.labels)


def test_masked_label_vectors_are_missing_labels():
    labels = np.array([[1, 2], [3, 4], [5, 6]])
    masked = np.ma.MaskedArray(labels, mask=[[False, False], [True, False], [False, False]])
    expected = MicroClusters.from_labels(masked).labels
    np.testing.assert_array_equal(MicroClusters.from_labels(list(masked.T)).labels, expected)


def test_columns_of_pandas_may_share_a_name():
    pandas = pytest.importorskip("pandas")
    labels = np.random.default_rng(0).integers(0, 3, (20, 3))
    twice = MicroClusters.from_labels(pandas.DataFrame(labels, columns=["a", "a", "b"]))
    np.testing.assert_array_equal(twice.labels, MicroClusters.from_labels(labels).labels)
