"""CUDA kernels against those of the CPU on random input: every bit is the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from lsec.execution.device_numbers import count_rows, fetch
from lsec.execution.distinct import UNCOUNTED, LabelCounter, as_words
from lsec.execution.threads import Workers
from lsec.kernels import gram
from lsec.kernels.cuda.device import options_of, source_of, type_name
from lsec.output.labels import MemorySpool
from lsec.rows.dense import ColumnRows, DenseRows
from lsec.rows.frame import Frame, Projection
from lsec.rows.on_device import (
    DeviceFrame,
    DeviceLandmarks,
    DeviceNeighbors,
    DevicePoints,
    DeviceRows,
)
from lsec.rows.rows import Landmarks
from lsec.sources.device import DeviceSource
from lsec.spectral.base_clustering import Member
from lsec.spectral.filtered_subspace import Products
from lsec.spectral.gram import Affinity, GramTable, GramTask, WeightedNeighbors
from lsec.spectral.kmeans import MappedRows
from lsec.spectral.landmarks import divide_and_conquer
from lsec.spectral.on_device import DeviceGram, DeviceMember, LabelWords
from tests.host_device import make_device, to_device
from tests.inputs import random_neighbors, random_points, seeds


@pytest.fixture(scope="module")
def device():
    return make_device()


def on_device(device, points):
    """Working rows (n, d) on a device."""
    return DeviceRows(device.upload(points.T), device)


def in_order(near):
    """Landmarks (n, K) and squared distances (n, K) in the order of the rows."""
    landmarks, squared = np.empty_like(near.landmarks), np.empty_like(near.squared)
    landmarks[near.order], squared[near.order] = near.landmarks, near.squared
    return landmarks, squared


def assert_same_neighbors(device, found, near):
    landmarks, squared = in_order(near)
    assert_array_equal(device.download(found.landmarks), landmarks.T, strict=True)
    assert_array_equal(device.download(found.squared), squared.T, strict=True)


# Neighbors


@given(seed=seeds, d=st.integers(1, 4), k=st.integers(1, 12), p=st.integers(12, 200))
def test_nearest_by_routes(device, seed, d, k, p):
    rng = np.random.default_rng(seed)
    rows = ColumnRows(np.ascontiguousarray(random_points(rng, 1000, d).T))
    landmarks = divide_and_conquer(rows, k, rng, n_landmarks=p, alpha=int(rng.integers(2, 60)))
    k = min(k, len(landmarks))
    points = random_points(rng, 700, d)
    near = ColumnRows(np.ascontiguousarray(points.T)).neighbors(landmarks, k)
    found = on_device(device, points).neighbors(DeviceLandmarks(landmarks, device), k)
    assert_same_neighbors(device, found, near)


@given(seed=seeds, d=st.integers(5, 40), k=st.integers(1, 12), p=st.integers(12, 200))
def test_nearest_by_scan(device, seed, d, k, p):
    rng = np.random.default_rng(seed)
    landmarks = Landmarks(random_points(rng, p, d), None)
    points = random_points(rng, 300, d)
    points[0] = 1e30  # all distances overflow
    near = DenseRows(points).neighbors(landmarks, k)
    found = on_device(device, points).neighbors(DeviceLandmarks(landmarks, device), k)
    assert_same_neighbors(device, found, near)


@given(seed=seeds, d=st.integers(5, 40), k=st.integers(1, 6))
def test_neighbors_of_a_sample(device, seed, d, k):
    rng = np.random.default_rng(seed)
    landmarks, rows = (
        Landmarks(random_points(rng, 50, d), None),
        DenseRows(random_points(rng, 300, d)),
    )
    found, near = (one.neighbors(landmarks, k) for one in (rows.on_device(device), rows))
    for ours, theirs in zip(found, near, strict=True):
        assert_array_equal(ours, theirs, strict=True)


@given(seed=seeds, d=st.integers(1, 20), k=st.integers(1, 70))
def test_label_by_nearest(device, seed, d, k):
    rng = np.random.default_rng(seed)
    points, centers = random_points(rng, 300, d), random_points(rng, k, d)
    rows = ColumnRows(np.ascontiguousarray(points.T)) if d <= 4 else DenseRows(points)
    labels = device.xp.zeros((300, 3), np.uint16)
    on_device(device, points).label_by_nearest(DevicePoints(centers, device), labels[:, 1:], 3)
    labels = device.download(labels)
    assert_array_equal(labels[:, 1], rows.nearest(centers)[0])
    assert not labels[:, [0, 2]].any()


# Sums


@given(
    seed=seeds,
    sizes=st.lists(st.integers(1, 20), min_size=1, max_size=5, unique=True),
    power=st.sampled_from([1, 2]),
    weighted=st.booleans(),
)
def test_gram_sums(device, seed, sizes, power, weighted):
    rng = np.random.default_rng(seed)
    p = 60
    near = random_neighbors(rng, 400, p, max(sizes))
    near.squared[rng.random(400) < 0.1] *= 1e6  # weights at the floor
    rates = rng.exponential(size=len(sizes)).astype(np.float32)
    affinities = [Affinity(k, rate, power) for k, rate in zip(sorted(sizes), rates, strict=True)]
    task = GramTask(Landmarks(random_points(rng, p, 2), None), affinities)
    weights = rng.integers(0, 5, 400) if weighted else None
    table, sums = GramTable(task), DeviceGram(task, device)
    arrays = device.upload(near.landmarks.T), device.upload(near.squared.T)
    for _ in range(2):  # from zero, again
        table.add(near if weights is None else WeightedNeighbors(near, weights))
        sums.add((DeviceNeighbors(*arrays), None if weights is None else device.upload(weights)))
        expected, found = table.take(), sums.take()
        assert_array_equal(found.where, expected.where)
        assert_array_equal(found.values, expected.values, strict=True)


# Labels


@given(
    seed=seeds,
    k=st.integers(1, 9),
    n_labels=st.integers(1, 40),
    n_vectors=st.integers(1, 40),
    power=st.sampled_from([1, 2]),
)
def test_base_labels(device, seed, k, n_labels, n_vectors, power):
    rng = np.random.default_rng(seed)
    p = 80
    vectors = rng.normal(size=(p, n_vectors)).astype(np.float32)
    vectors[rng.random(p) < 0.1] = 0  # rows at the origin
    centers = rng.normal(size=(n_labels, n_vectors)).astype(np.float32)
    nearest = np.argmax(vectors @ centers.T, axis=1)
    some = rng.random(p) < 0.6  # landmarks that decide alone
    vectors[some] = 5 * centers[nearest[some]]
    affinity = Affinity(k, np.float32(rng.exponential()), power)
    member = Member.of(affinity, vectors, np.ones(n_vectors), centers)
    near = random_neighbors(rng, 500, p, k + int(rng.integers(0, 3)))
    expected = np.empty(500, np.uint8)
    member.label(near, expected)
    out = LabelWords(500, 11, np.dtype(np.uint8), device)
    given = DeviceNeighbors(device.upload(near.landmarks.T), device.upload(near.squared.T))
    DeviceMember(member, device).label(given, out.labels[:, 9:], out.width)
    labels = device.download(out.labels)
    assert_array_equal(labels[:, 9], expected)
    assert not np.delete(labels, 9, axis=1).any()


@given(seed=seeds, d=st.integers(1, 40), k=st.integers(1, 70))
def test_nearest_centers_of_points(device, seed, d, k):
    rng = np.random.default_rng(seed)
    points, centers = MappedRows(random_points(rng, 500, d)), random_points(rng, k, d)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lsec.spectral.on_device.SEARCH_WORK", 0)
        found = points.on_device(device).nearest(centers)
    for ours, theirs in zip(found, points.nearest(centers), strict=True):
        assert_array_equal(ours, theirs, strict=True)


# Eigenvectors


@given(seed=seeds, q=st.integers(1, 200), width=st.integers(1, 40), n_steps=st.integers(1, 6))
def test_filter_steps(device, seed, q, width, n_steps):
    rng = np.random.default_rng(seed)
    matrix = sparse.random_array((q, q), density=0.2, rng=rng, dtype=np.float32, format="csr")
    block = rng.standard_normal((q, width), np.float32)
    steps = rng.normal(size=(n_steps, 3)).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lsec.spectral.on_device.STEP_WORK", 0)
        found = Products.of(matrix).on_device(device).apply(block.copy(), steps)
    assert_array_equal(found, Products.of(matrix).apply(block, steps), strict=True)


def test_small_problems_stay_on_the_host(host_device):
    points = MappedRows(np.eye(9, dtype=np.float32))
    assert_array_equal(points.on_device(host_device).nearest(np.eye(9)[::2])[0][::2], range(5))
    matrix = sparse.eye_array(50, dtype=np.float32, format="csr")
    block = np.ones((50, 8), np.float32)
    found = Products.of(matrix).on_device(host_device).apply(block, [(0.0, 2.0, 0.0)])
    assert_array_equal(found, 2 * block)
    assert host_device.launched == []


# Distinct rows


@given(
    seed=seeds,
    n=st.integers(1, 3000),
    n_columns=st.integers(1, 30),
    n_labels=st.integers(1, 20),
    weighted=st.booleans(),
)
def test_distinct_rows(device, seed, n, n_columns, n_labels, weighted):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_labels, (n, n_columns)).astype(np.uint8)
    weights = rng.integers(0, 3, n) if weighted else None
    counter = LabelCounter(n_columns, labels.dtype, MemorySpool(n), first_row=7)
    counter.add(slice(0, n), labels, weights)
    expected = counter.finish()
    given = None if weights is None else device.upload(weights)
    counted, numbers = count_rows(device.upload(as_words(labels)), given, 7, device)
    assert_array_equal(counted.keys, expected.counted.keys)
    assert_array_equal(counted.counts, expected.counted.counts)
    if not weighted:  # else only their order matters
        assert_array_equal(counted.firsts, expected.counted.firsts)
    assert_array_equal(counted.firsts >= UNCOUNTED, expected.counted.firsts >= UNCOUNTED)
    assert_array_equal(device.download(numbers), expected.of_row())


def test_more_distinct_rows_than_a_first_table_has_room_for(device, monkeypatch):
    monkeypatch.setattr("lsec.execution.device_numbers.FIRST_SLOTS", 16)
    words = np.arange(1000, dtype=np.uint64)[::-1, None] // 2
    counted, numbers = count_rows(device.upload(words), None, 0, device)
    assert_array_equal(counted.keys[:, 0], np.arange(500)[::-1])
    assert (counted.counts == 2).all()
    assert_array_equal(device.download(numbers), np.repeat(np.arange(500), 2))


@given(seed=seeds, shape=st.sampled_from([(1,), (1000,), (97, 3)]), given=st.booleans())
def test_large_arrays_are_fetched_in_parts(device, seed, shape, given):
    values = np.random.default_rng(seed).integers(0, 2**31, shape).astype(np.int32)
    out = np.empty_like(values) if given else None
    with pytest.MonkeyPatch.context() as patch, Workers(3) as workers, device.active():
        patch.setattr("lsec.execution.device_numbers.SLOT_BYTES", 128)
        patch.setattr("lsec.execution.device_numbers.TASK_BYTES", 48)
        found = fetch(device.upload(values), device, workers, out)
    assert_array_equal(found, values, strict=True)
    assert found is out or not given


# The frame

TYPES = ["f4", "f8", "f2", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]


@given(
    seed=seeds,
    d=st.integers(1, 40),
    kind=st.sampled_from(TYPES),
    directions=st.sampled_from([None, 3, 17]),
    by_column=st.booleans(),
)
def test_rows_come_into_the_frame(device, seed, d, kind, directions, by_column):
    rng = np.random.default_rng(seed)
    rows = (rng.normal(size=(300, d)) * 50 + 60).clip(0, 120).astype(kind)
    rows = np.asfortranarray(rows) if by_column else rows
    frame = Frame.of(rows, directions and Projection(directions, directions))
    working = frame.rows(rows).points(slice(None))
    on_device = DeviceFrame(frame, device)
    raw = device.upload(on_device.prepare(rows))
    raw = device.xp.asfortranarray(raw) if by_column else raw
    found = device.download(on_device.rows(raw).columns).T
    assert_array_equal(found, working, strict=True)


def test_values_far_beyond_the_sample_are_clipped_as_on_the_cpu(device):
    frame = Frame.of(np.random.default_rng(0).normal(size=(100, 3)))
    rows = np.array([[1e300, -1e300, 0.0], [1e20, 1.0, -1e38]])
    found = DeviceFrame(frame, device).rows(device.upload(rows)).columns
    assert_array_equal(device.download(found), frame.rows(rows).columns)


def test_sparse_rows_are_projected_on_the_host(device):
    rng = np.random.default_rng(0)
    rows = sparse.random(200, 300, 0.1, "csr", random_state=rng)
    frame = Frame.of(rows, Projection(5, 5))
    on_device = DeviceFrame(frame, device)
    assert not on_device.in_place
    found = on_device.rows(device.upload(on_device.prepare(rows))).columns
    assert_array_equal(device.download(found).T, frame.rows(rows).points(slice(None)))


# Rows on a device


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", ["f4", "f8", "f2"])
def test_a_value_that_is_not_finite_is_named(host_device, value, kind):
    rows = np.zeros((1000, 5), kind)
    rows[700, 1] = rows[700, 3] = rows[900, 0] = value
    with pytest.raises(ValueError, match="row 700, column 1 is"):
        DeviceSource(to_device(host_device, rows))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros(5), "2-D"),
        (np.zeros((2, 3, 4)), "2-D"),
        (np.zeros((5, 2), complex), "real numbers"),
        (np.zeros((5, 0)), "at least one column"),
    ],
)
def test_arrays_that_are_no_rows_are_refused(host_device, rows, message):
    with pytest.raises(ValueError, match=message):
        DeviceSource(to_device(host_device, rows))


# Sources


@pytest.mark.parametrize(
    "name", ["frame", "routes", "scan", "gram", "labels", "distinct", "filter"]
)
def test_sources_are_found(name):
    assert "LSEC_KERNEL" in source_of(name)


def test_constants_have_the_bits_of_the_cpu():
    options = dict(option[2:].split("=") for option in options_of({"K": 3}))
    assert options["K"] == "3"
    for name in ("C1", "C6", "LOG2_E", "FLOOR", "UNIT"):
        assert options[name].endswith("f")
        assert np.float32(float.fromhex(options[name][:-1])) == getattr(gram, name)


def test_only_types_of_this_byte_order_have_names():
    assert type_name(np.float32) == "Float32"
    assert type_name(">f8") is None
    assert type_name(np.float16) is None
    assert type_name(np.complex64) is None
