"""The page "How fast is it": tables of the studies, cut down."""

from benchmarks.harness.store import Records
from benchmarks.studies import STUDIES, how_fast_page
from benchmarks.studies.how_fast_page import PARTS, write_how_fast
from benchmarks.studies.how_good_page import NOT_MEASURED


def test_every_part_is_of_a_study():
    assert all(part.study in STUDIES for part in PARTS)


def test_the_page_is_that_of_the_stored_records(tmp_path):
    page = tmp_path / "how_fast.md"
    write_how_fast(page=page)
    assert page.read_text() == how_fast_page.PAGE.read_text()
    assert NOT_MEASURED not in page.read_text()


def test_columns_keep_their_numbers(tmp_path):
    fit = {"seconds": 2.0, "cpu_seconds": 3.0, "peak_bytes": 3 << 20, "input_bytes": 1 << 20}
    run = fit | {"before_bytes": 0, "acc": 90.0, "nmi": 80.0, "timings": {"Gram": 1.0}}
    run |= {"date": "2026-01-10", "commit": "c0ffee"}
    records = Records("speed", tmp_path)
    records.replace({"LSEC/0": run, "KMeans/0": {**run, "seconds": 1.0}})
    records.compact()
    write_how_fast(tmp_path, page := tmp_path / "page.md")
    assert "| method | seconds | CPU seconds | peak above input | ACC % |" in page.read_text()
    assert "| LSEC | 2.00 | 3.00 | 2 MiB | 90.00 |" in page.read_text()
    missing = page.read_text().split(NOT_MEASURED)[1]
    assert missing.count("\n- ") == len(PARTS) - 1
