"""Tables of the GPU study, and the part of the guide that shows them."""

import pytest

from benchmarks.harness.machine import machine, stamp
from benchmarks.harness.store import Records
from benchmarks.pages.table import Verdict
from benchmarks.studies import STUDIES, gpu, gpu_page
from benchmarks.studies.results_page import verdicts
from benchmarks.studies.study import Plan


def cells(*, seconds=0.1, labels="a", kernel=1.0, same=True):
    """Records of every run, with times and labels as asked for."""
    records = Records("gpu")
    stages = dict.fromkeys(gpu.STAGES, 0.01)
    run = {
        "stages": stages,
        "seconds": seconds,
        "card": "a card",
        "n_rows": 5,
        **machine(),
        **stamp(),
    }
    for name in gpu.CASES:
        for place in gpu.PLACES:
            own = {"steps": 3} if place == gpu.KMEANS else {"labels": labels}
            records.add(f"{name}/{place}/0", {**run, **own})
    records.add(f"{gpu.FLOWER}/{gpu.HOST}/1", {**run, "labels": "a"})
    records.add("kernels", {**dict.fromkeys(gpu.FLOORS, kernel), **machine(), **stamp()})
    for key in gpu.COMPARED:
        size = {"n_rows": 10, "n_features": 2}
        records.add(f"same/{key}", {"same": same, **size, **machine(), **stamp()})
    return records


def judged(records):
    return {verdict for _, verdict in verdicts(gpu.tables(records))}


def test_fast_and_equal_is_met():
    assert judged(cells()) == {Verdict.MET}


@pytest.mark.parametrize("wrong", [{"seconds": 1e3}, {"kernel": 1e3}, {"same": False}])
def test_slow_or_different_is_missed(wrong):
    assert judged(cells(**wrong)) == {Verdict.MET, Verdict.MISSED}


def test_other_labels_in_one_place_are_seen():
    shown = [row[-1].text for row in gpu.fits_table(cells(labels="b")).rows]
    assert "differ" in shown
    assert "differ" not in [row[-1].text for row in gpu.fits_table(cells()).rows]


def test_the_guide_shows_the_stored_records(tmp_path):
    page = tmp_path / "gpu.md"
    page.write_text(gpu_page.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    gpu_page.write_gpu(page=page)
    assert page.read_text(encoding="utf-8") == gpu_page.PAGE.read_text(encoding="utf-8")
    gpu_page.write_gpu(tmp_path, page)  # no records
    assert "Not measured yet." in page.read_text(encoding="utf-8")
    assert "FL-20M" in gpu_page.measured_part(cells())


def test_without_a_gpu_the_study_says_what_is_missing():
    pytest.importorskip("lsec.kernels.cuda.device")
    try:
        gpu.find_card()
    except gpu.NotLoaded as error:
        found = STUDIES["gpu"].measure(Plan(small=True))
        assert str(error) in gpu.tables(found)[0].rows[0][1].text
    else:
        pytest.skip("there is a GPU")
