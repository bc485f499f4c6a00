"""The page "How good is it": made-up records, tables and pictures."""

from xml.etree import ElementTree

import pytest

from benchmarks.harness.store import Records
from benchmarks.studies import STUDIES, blobs, categories, how_good_page, peers, resolution, shapes
from benchmarks.studies.how_good_page import NOT_MEASURED, PARTS, write_how_good

RUN = {"seconds": 2.0, "acc": 90.0, "nmi": 80.0, "ari": 70.0, "n_clusters_found": 10}
STAMP = {"date": "2026-01-10", "commit": "c0ffee"}


def scores_of(methods):
    return {"scores": {name: {"ari": 50.0 + 10 * i} for i, name in enumerate(methods)}}


def made_up_runs():
    """Records of every study on the page, by study and key."""
    return {
        "quality": {f"mnist/{seed}": {**RUN, "acc": 90.0 + seed} for seed in range(3)},
        "peers": {f"mnist/{name}/0": RUN for name in peers.METHODS if name != "Genie"},
        "blobs": {f"{ratio} x 2/0": scores_of(blobs.METHODS) for ratio in blobs.RATIOS},
        "shapes": {
            f"{shape}/0": {
                "n_rows": 9,
                "n_columns": 2,
                "n_clusters": 3,
                **scores_of(shapes.METHODS),
            }
            for shape in ("hepta", "ring")
        },
        "resolution": {
            f"{key}/landmarks {p}/0": {**RUN, "n_landmarks": p}
            for key in ("mnist", "usps")
            for p in resolution.LANDMARKS[key]
        },
        "embeddings": {"large/LSEC/0": RUN, "wide 768/auto/0": RUN, "documents/LSEC/0": RUN},
        "categories": {f"both/{name}/0": RUN for name in categories.METHODS},
        "number_of_clusters": {"letters/0": RUN, "letters/1": {**RUN, "n_clusters_found": 26}},
    }


@pytest.fixture
def written(tmp_path):
    """Writes the page from records of some studies: written(names) -> text."""

    def write(names):
        for name in names:
            records = Records(name, tmp_path)
            records.replace({key: {**run, **STAMP} for key, run in made_up_runs()[name].items()})
            records.compact()
        write_how_good(tmp_path, tmp_path / "page.md", tmp_path / "images")
        return (tmp_path / "page.md").read_text()

    return write


def section(text, title):
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def test_every_part_has_a_table_and_the_date(written):
    text = written(made_up_runs())
    assert NOT_MEASURED not in text
    for part in PARTS:
        found = section(text, part.title)
        assert part.method in found
        assert "Measured 2026-01-10 at commit c0ffee." in found
        assert found.count("| ---") >= 1
    assert "| MNIST | 91.00 ± 1.00 | 90.00 | 80.00 ± 0.00 | 2.00 |" in text
    assert "| MNIST | 90.0 / 80.0 / 2.00 | 90.0 / 80.0 / 2.00 | 90.0 / 80.0 / 2.00 | - |" in text
    assert "| Letters | 26 | 10, 26 |" in text
    assert "| 100,000 x 768, projection: auto | 70.00 | 2.00 |" in text


def test_pictures_are_drawn_for_what_was_measured(written, tmp_path):
    pytest.importorskip("matplotlib")
    text = written(["resolution", "shapes", "peers"])
    for name in ("landmarks", "shapes", "peers_mnist"):
        assert f"(images/{name}.svg)" in text
        path = tmp_path / "images" / f"{name}.svg"
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
        first = path.read_bytes()
        written(["resolution", "shapes", "peers"])
        assert path.read_bytes() == first


def test_what_was_not_measured_is_said(written, tmp_path):
    text = written(["quality"])
    end = text.split(f"{NOT_MEASURED}\n\n")[1].splitlines()
    titles = [part.title for part in PARTS if part.study != "quality"]
    assert [line.split(":")[0] for line in end] == [f"- {title}" for title in titles]
    assert "## The data sets of the paper" in text
    assert "images/" not in text
    assert not (tmp_path / "images").exists()


def test_every_part_is_of_a_study():
    assert all(part.study in STUDIES for part in PARTS)


def test_the_page_is_that_of_the_stored_records(tmp_path):
    page = tmp_path / "how_good.md"
    write_how_good(page=page, images=tmp_path / "images")
    assert page.read_text() == how_good_page.PAGE.read_text()
