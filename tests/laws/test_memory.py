"""Peak memory: the input, the label matrix, and a bound that does not grow with the rows.

A fresh process is measured, after a small fit has compiled and imported everything. The peak
is Linux's VmHWM, reset before the fit: `ru_maxrss` of a child process starts from the peak of
its parent, that is from whatever pytest has used.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

from lsec.datasets import make_smiling_face
from lsec.metrics import clustering_accuracy

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/status")

MiB = 2**20
MILLION = 10**6
SLACK = 24 * MiB  # blocks in work on two threads, and what the allocator keeps
N_BASE = 10
LABELS = N_BASE + 8  # bytes per row: base labels, the label and the micro-cluster

SCRIPT = """
import json, sys
import numpy as np
import lsec

path, mode, name, parameters, step = json.loads(sys.argv[1])
X = np.load(path, mmap_mode=mode)
build = getattr(lsec, name)
small = np.array(X[:20_000])
build(4, **parameters).fit(small).predict(small)
model = build(4, **parameters)
if step == "predict":
    model.fit(small)

def status(field):
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(lines[field].split()[0]) * 1024

open("/proc/self/clear_refs", "w").write("5")  # the peak becomes what is used now
before, mapped = status("VmHWM"), status("RssFile")
labels = model.fit(X).labels_ if step == "fit" else model.predict(X)
growth = status("VmHWM") - before
pages = status("RssFile") - mapped  # of a memory map: the input itself, not ours
print(json.dumps({"growth": growth - pages, "sizes": np.bincount(labels).tolist()}))
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two files of rows: one and two million, 8 and 16 MB."""
    folder = tmp_path_factory.mktemp("rows")
    paths = {}
    for millions in (1, 2):
        paths[millions] = str(folder / f"{millions}.npy")
        make_smiling_face(millions * MILLION, random_state=0, out=paths[millions])
    return paths


def growth(path, *, name="LSEC", mode=None, step="fit", **parameters):
    """Bytes by which the peak grew, in a process of its own."""
    settings = {"random_state": 0, "n_jobs": 2, **parameters}
    arguments = json.dumps([path, mode, name, settings, step])
    command = [sys.executable, "-c", SCRIPT, arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert len(answer["sizes"]) == 4
    assert min(answer["sizes"]) > 0
    return answer["growth"]


SMALL = {"n_landmarks": 200, "n_base": N_BASE, "memory_limit": "16MiB"}


@pytest.mark.parametrize("mode", [None, "r"], ids=["in memory", "mapped"])
def test_peak_is_labels_and_memory_limit_and_grows_by_the_labels_only(files, mode):
    one, two = (growth(files[n], mode=mode, **SMALL) for n in (1, 2))
    # Neighbors of all rows would take 80 MB: more than this bound, 56 MB.
    assert one < MILLION * LABELS + 16 * MiB + SLACK
    assert two - one < MILLION * LABELS + SLACK / 2


def test_peak_with_default_landmarks_keeps_the_limit(files):
    used = growth(files[1], n_base=N_BASE, n_landmarks=1000, memory_limit="128MiB")
    assert used < MILLION * LABELS + 128 * MiB + SLACK


@pytest.mark.parametrize("name", ["DnCSC", "USPEC"])
def test_peak_of_single_clusterings_is_one_label_per_row(files, name):
    # Neighbors of all rows would take 34 MB.
    used = growth(files[1], name=name, n_landmarks=200, memory_limit="4MiB")
    assert used < MILLION * 4 + 4 * MiB + SLACK


def test_peak_of_light_k_means_is_one_label_per_row(files):
    assert growth(files[2], name="LightKMeans") < 2 * MILLION * 4 + SLACK


def test_peak_of_predict_has_no_label_matrix(files):
    # The micro-cluster and the label of every row; a label matrix would add 20 MB.
    used = growth(files[2], step="predict", **SMALL)
    assert used < 2 * MILLION * 8 + SLACK / 2


def test_label_matrix_is_kept_in_one_byte_per_label(files):
    from lsec import LSEC

    X = np.load(files[1], mmap_mode="r")[:100_000]
    model = LSEC(4, n_base=N_BASE, n_landmarks=200, random_state=0).fit(X)
    assert model.base_labels_.nbytes == len(X) * N_BASE
    assert "base_labels_" not in vars(model)  # made when asked for
    assert model.labels_.nbytes == 4 * len(X)


WHOLE = """
import json, sys
import numpy as np
import lsec

path, out, parameters = json.loads(sys.argv[1])
lsec.LSEC(4, **parameters).fit(path, labels_out=out)
lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(int(lines["VmHWM"].split()[0]) * 1024)
"""


@pytest.mark.parametrize(
    ("n_jobs", "n_landmarks", "limit"), [(2, 1000, 576), (16, 1000, 576), (16, 2000, 1024)]
)
def test_peak_of_the_whole_process_keeps_the_limit_for_files(
    files, tmp_path, n_jobs, n_landmarks, limit
):
    """Two million rows: their neighbors would take 320 MB, Gram matrices up to 80 a thread."""
    parameters = {
        "random_state": 0,
        "n_jobs": n_jobs,
        "n_landmarks": n_landmarks,
        "memory_limit": f"{limit}MiB",
    }
    arguments = json.dumps([files[2], str(tmp_path / "labels.npy"), parameters])
    done = subprocess.run(
        [sys.executable, "-c", WHOLE, arguments], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < limit * MiB
    labels = np.load(tmp_path / "labels.npy")
    assert len(np.unique(labels)) == 4
    _, y = make_smiling_face(2 * MILLION, random_state=0)
    assert clustering_accuracy(y, labels) > 0.98
