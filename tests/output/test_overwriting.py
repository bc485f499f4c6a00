"""An output never replaces an input, by whatever name it is given."""

import os

import h5py
import numpy as np
import pytest
import zarr
from numpy.testing import assert_array_equal

import lsec
from lsec.output.overwriting import refuse_overwriting

REFUSED = "must not overwrite"


def kmeans():
    return lsec.LightKMeans(2, random_state=0, n_jobs=1)


def ensemble():
    return lsec.LSEC(2, n_base=2, n_landmarks=20, base_clusters=(3, 5), random_state=0, n_jobs=1)


@pytest.fixture
def rows(face, tmp_path, monkeypatch):
    """A file of 500 rows in the working folder, of which the test must leave every byte."""
    monkeypatch.chdir(tmp_path)
    np.save("rows.npy", face[:500])
    before = (tmp_path / "rows.npy").read_bytes()
    yield face[:500]
    assert (tmp_path / "rows.npy").read_bytes() == before


@pytest.mark.parametrize("make", [kmeans, ensemble])
@pytest.mark.parametrize("name", ["rows.npy", "./rows.npy", "link.npy", "hard.npy"])
def test_labels_do_not_replace_the_rows(make, name, rows):
    os.symlink("rows.npy", "link.npy")
    os.link("rows.npy", "hard.npy")
    model = make().fit(rows)
    for given in ("rows.npy", np.load("rows.npy", mmap_mode="r"), ["rows.npy"]):
        with pytest.raises(ValueError, match=REFUSED):
            make().fit(given, labels_out=name)
        with pytest.raises(ValueError, match=REFUSED):
            model.predict(given, labels_out=name)


def test_labels_do_not_replace_a_shard(rows, tmp_path):
    (tmp_path / "shards").mkdir()
    for name in ("a.npy", "b.npy"):
        np.save(tmp_path / "shards" / name, rows)
    with pytest.raises(ValueError, match=REFUSED):
        kmeans().fit("shards", labels_out="shards/b.npy")
    kmeans().fit("shards", labels_out="labels.npy")
    assert_array_equal(np.load("shards/b.npy"), rows)


def test_labels_and_stages_do_not_join_the_rows_of_a_folder(rows, tmp_path):
    (tmp_path / "shards").mkdir()
    np.save("shards/a.npy", rows)
    for given in ("shards", lsec.open_rows("shards")):
        for settings in ({"labels_out": "shards/b.npy"}, {"checkpoint": "shards/stages"}):
            with pytest.raises(ValueError, match=r"lies in .*shards, which this work uses"):
                lsec.LSEC(2, n_base=2, random_state=0).fit(given, **settings)
    with pytest.raises(ValueError, match="lies in"):
        kmeans().fit(rows).predict("shards", labels_out="shards/b.npy")
    assert os.listdir("shards") == ["a.npy"]


def test_labels_do_not_replace_rows_of_other_formats(rows):
    np.savetxt("rows.csv", rows, delimiter=",")
    zarr.save_array("rows.zarr", rows)
    with h5py.File("rows.h5", "w") as file:
        file["x"] = rows
    os.link("rows.h5", "rows.parquet")
    for given, output in (
        ("rows.csv", "rows.csv"),
        ("rows.zarr", "rows.zarr/labels.npy"),
        ("rows.h5", "rows.parquet"),
    ):
        with pytest.raises(ValueError, match=REFUSED):
            kmeans().fit(given, labels_out=output)


def test_labels_do_not_replace_a_model(rows):
    model = kmeans().fit(rows)
    model.save("model.npy")
    with pytest.raises(ValueError, match=r"'model\.npy' is a saved model"):
        model.predict("rows.npy", labels_out="model.npy")
    assert_array_equal(lsec.load("model.npy").predict("rows.npy"), model.labels_)


def test_labels_and_stages_are_kept_apart(rows):
    for output, stages in (("labels.npy", "labels.npy"), ("stages/numbers-2.npy", "stages")):
        os.makedirs("stages", exist_ok=True)
        with pytest.raises(ValueError, match=REFUSED):
            ensemble().fit("rows.npy", labels_out=output, checkpoint=stages)
    with pytest.raises(ValueError, match=REFUSED):
        ensemble().fit("rows.npy", checkpoint="rows.npy")


def test_older_labels_are_replaced(rows):
    kmeans().fit("rows.npy", labels_out="labels.npy")
    model = kmeans().fit("rows.npy", labels_out="labels.npy")
    assert_array_equal(np.load("labels.npy"), model.predict(rows))


def test_an_output_that_is_new_is_no_input(tmp_path):
    (tmp_path / "a").touch()
    refuse_overwriting(tmp_path / "b", [tmp_path / "a", tmp_path / "none"])
