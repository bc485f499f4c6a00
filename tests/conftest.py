"""Settings of all tests, cheap estimators, and rows that tests share."""

import signal
from contextlib import contextmanager

import hypothesis
import numpy as np
import pytest

import lsec
from lsec.datasets import make_smiling_face

hypothesis.settings.register_profile("lsec", deadline=None, max_examples=20)
hypothesis.settings.load_profile("lsec")

# Shells start jobs in the background with Ctrl-C ignored; processes that tests interrupt would
# inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Settings that make a fit cheap; no law depends on them.
SMALL = {
    "LSEC": {"n_base": 7, "n_landmarks": 100, "base_clusters": (5, 15)},
    "USENC": {"n_base": 5, "n_landmarks": 100, "base_clusters": (5, 15)},
    "DnCSC": {"n_landmarks": 100},
    "USPEC": {"n_landmarks": 100},
    "EnsembleClustering": {"n_base": 7, "base_clusters": (5, 15)},
    "LightKMeans": {},
}


def builder(name):
    """A function that makes a cheap estimator: build(n_clusters, **other parameters)."""

    def build(n_clusters, **parameters):
        settings = {"random_state": 0, **SMALL[name], **parameters}
        return getattr(lsec, name)(n_clusters, **settings)

    return build


@pytest.fixture(params=["LSEC", "DnCSC", "USPEC", "USENC", "EnsembleClustering", "LightKMeans"])
def build(request):
    """Makes each of the six estimators."""
    return builder(request.param)


@pytest.fixture(params=["LSEC", "DnCSC", "USPEC", "USENC"])
def build_spectral(request):
    """Makes each of the estimators that have landmarks."""
    return builder(request.param)


@pytest.fixture(params=["LSEC", "USENC", "EnsembleClustering"])
def build_ensemble(request):
    """Makes each of the estimators that have many members."""
    return builder(request.param)


def on_grid(values):
    """The values as multiples of 2**-10: sums with whole numbers below 2**40 are exact."""
    return np.round(np.asarray(values, np.float64) * 1024) / 1024


def make_blobs(n_rows, n_features, n_blobs=5, spread=3.0):
    """Round clusters that no two methods disagree on, with their labels."""
    rng = np.random.default_rng(7)
    centers = rng.normal(size=(n_blobs, n_features)) * spread
    target = rng.integers(0, n_blobs, n_rows)
    return centers[target] + rng.normal(size=(n_rows, n_features)), target


@pytest.fixture(scope="session")
def face():
    """5,000 rows in 2-D on the grid; four clusters that are not round."""
    return on_grid(make_smiling_face(5000, random_state=0, dtype=np.float64)[0])


@pytest.fixture(scope="session")
def blobs7():
    """3,000 rows in 7-D on the grid, five clusters."""
    return on_grid(make_blobs(3000, 7)[0])


@pytest.fixture(scope="session")
def blobs40():
    """3,000 rows in 40-D (`DenseRows` inside) on the grid, five clusters."""
    return on_grid(make_blobs(3000, 40)[0])


@pytest.fixture
def block_rows(monkeypatch):
    """Sets the most rows of a block: block_rows(1024)."""

    def set_most(rows):
        monkeypatch.setattr("lsec.sources.source.MOST_BLOCK_ROWS", rows)

    return set_most


@pytest.fixture
def host_device(monkeypatch):
    """The host in the place of GPU 0, or the GPU itself if asked for."""
    from tests.host_device import make_device

    device = make_device()
    # Labels stay on the host, where tests compare them.
    monkeypatch.setattr("lsec.sources.device.DeviceSource.like", lambda self, values: values)
    for module in ("lsec.kernels.cuda.device", "lsec.sources.device"):
        monkeypatch.setattr(f"{module}.open_device", lambda number: device)
    return device


@pytest.fixture(scope="module")
def client():
    """The active client of a Dask cluster: one worker of two threads, in this process.

    Workers in this process let tests choose the rows of a block.
    """
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            1, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextmanager
def room_for(n_bytes):
    """No file may grow beyond some bytes, as on a disk that is full."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
