"""Column names of files: kept by fit, matched by name in predict, chosen, dropped."""

import gzip
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

import lsec
from lsec import LightKMeans, open_rows
from lsec.datasets import make_two_bananas
from lsec.sources.columns import ColumnChoice, select_columns
from tests.sources.stores import assert_holds, numbers, sent

X = make_two_bananas(600, random_state=0)[0].astype(np.float64)
FRAME = pd.DataFrame(X * [1, 5], columns=["x", "y"])
KINDS = ["parquet", "csv", "shards"]


def write(folder, kind, frame, name="rows"):
    """Write a frame as one file, or as two .csv files whose columns differ in their order."""
    if kind == "parquet":
        frame.to_parquet(folder / f"{name}.parquet", index=False, row_group_size=100)
        return folder / f"{name}.parquet"
    if kind == "csv":
        frame.to_csv(folder / f"{name}.csv", index=False)
        return folder / f"{name}.csv"
    (folder / name).mkdir()
    first = len(frame) // 3
    frame[:first].to_csv(folder / name / "1.csv", index=False)
    frame[first:][frame.columns[::-1]].to_csv(folder / name / "2.csv", index=False)
    return folder / name


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_kept_and_matched_in_any_order(build, kind, tmp_path):
    model = build(2).fit(write(tmp_path, kind, FRAME))
    assert list(model.feature_names_in_) == ["x", "y"]
    assert_array_equal(model.labels_, build(2).fit(FRAME.to_numpy()).labels_)
    swapped = write(tmp_path, kind, FRAME[["y", "x"]], "swapped")
    for rows in (swapped, str(swapped), open_rows(swapped)):
        assert_array_equal(model.predict(rows), model.labels_)
    more = write(tmp_path, kind, FRAME[["y"]].assign(z=1.5, x=FRAME["x"]), "more")
    assert_array_equal(model.predict(more), model.labels_)
    assert_array_equal(model.predict(FRAME), model.labels_)


@pytest.mark.parametrize("kind", KINDS)
def test_other_names_are_an_error_that_names_them(kind, tmp_path):
    model = LightKMeans(2, random_state=0).fit(write(tmp_path, kind, FRAME))
    other = write(tmp_path, kind, FRAME.rename(columns={"x": "a", "y": "b"}), "other")
    said = "has no columns 'x', 'y'; it has 'a', 'b'. The model was fitted on columns of these"
    for rows in (other, open_rows(other)):
        with pytest.raises(ValueError, match=said):
            model.predict(rows)
    model.fit(FRAME)
    with pytest.raises(ValueError, match="has no columns 'x', 'y'"):
        model.predict(other)


def test_rows_without_names_are_taken_in_order_with_a_warning(tmp_path):
    model = LightKMeans(2, random_state=0).fit(write(tmp_path, "csv", FRAME))
    np.save(tmp_path / "rows.npy", FRAME.to_numpy())
    with pytest.warns(UserWarning, match=r"rows\.npy has no column names, but LightKMeans was"):
        assert_array_equal(model.predict(tmp_path / "rows.npy"), model.labels_)


def test_a_fit_without_names_forgets_those_of_an_earlier_one(tmp_path):
    np.save(tmp_path / "rows.npy", FRAME.to_numpy())
    model = LightKMeans(2, random_state=0).fit(write(tmp_path, "csv", FRAME))
    model.fit(tmp_path / "rows.npy")
    assert not hasattr(model, "feature_names_in_")
    with warnings.catch_warnings(action="error"):
        model.predict(tmp_path / "rows.csv")


def test_names_survive_saving(tmp_path):
    model = LightKMeans(2, random_state=0).fit(write(tmp_path, "parquet", FRAME))
    model.save(tmp_path / "m.lsec")
    swapped = write(tmp_path, "parquet", FRAME[["y", "x"]], "swapped")
    assert_array_equal(lsec.load(tmp_path / "m.lsec").predict(swapped), model.labels_)


@pytest.mark.parametrize("kind", KINDS)
def test_matched_columns_are_rows_like_any_others(kind, tmp_path, small_blocks):
    rows = numbers(75, 3)
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    source = open_rows(write(tmp_path, kind, frame))
    chosen = select_columns(source, ColumnChoice(("c", "a")), "rows")
    for one in (chosen, sent(chosen)):
        assert_holds(one, rows[:, [2, 0]])
        assert_array_equal(one.part(range(2, 4)).block(1), rows[48:64, [2, 0]])
    assert chosen.fingerprint() != source.fingerprint()
    assert chosen.columns == ["c", "a"]


# Choice


@pytest.mark.parametrize("kind", KINDS)
def test_columns_are_chosen_and_dropped(kind, tmp_path):
    frame = FRAME.assign(city="Rome, Italy", id=[f"r{i}" for i in range(600)])
    path = write(tmp_path, kind, frame[["id", "x", "city", "y"]])
    for source in (open_rows(path, columns=["y", "x"]), open_rows(path, drop=["city", "id"])):
        found = pd.DataFrame(source.block(0), columns=source.columns)
        assert_array_equal(found[["x", "y"]], FRAME)
    with pytest.raises(ValueError, match="has no column 'z'; it has 'id', 'x', 'city', 'y'"):
        open_rows(path, drop=["z"])
    with pytest.raises(ValueError, match="no columns are left"):
        open_rows(path, drop=["id", "x", "city", "y"])
    with pytest.raises(ValueError, match=r"drop must be a list of names, such as \['id'\]"):
        open_rows(path, drop="id")


def test_the_index_of_pandas_is_no_feature(tmp_path):
    frame = FRAME[::2]
    frame.to_csv(tmp_path / "a.csv")
    frame.to_parquet(tmp_path / "b.parquet")
    frame.rename_axis("id").to_parquet(tmp_path / "c.parquet")
    for name in ("a.csv", "b.parquet", "c.parquet"):
        assert_array_equal(open_rows(tmp_path / name).block(0), frame)


def test_names_that_pandas_makes_up_are_no_row(tmp_path):
    frame = pd.DataFrame(X + 0.5)
    frame.to_csv(tmp_path / "a.csv")
    frame.to_csv(tmp_path / "b.csv", index=False)
    with warnings.catch_warnings(action="error"):
        assert_array_equal(open_rows(tmp_path / "a.csv").block(0), frame)
    with pytest.warns(UserWarning, match="'0,1', is taken for column names"):
        assert_array_equal(open_rows(tmp_path / "b.csv").block(0), frame)
    frame = pd.DataFrame(numbers(60, 5).astype(int))
    frame.to_csv(tmp_path / "d.csv", index=False)
    with pytest.warns(UserWarning, match="'0,1,2,3,4', is taken for column names"):
        assert_array_equal(open_rows(tmp_path / "d.csv").block(0), frame)
    np.savetxt(tmp_path / "c.csv", [[0, 1], [1, 0], [0.5, 2]], "%g", ",")
    assert open_rows(tmp_path / "c.csv").shape == (3, 2)


# Layouts of .csv files


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_delimiters_and_gzip(delimiter, header, packed, tmp_path):
    rows = numbers(70, 3)
    text = pd.DataFrame(rows, columns=["a", "b, in m", "c"]).to_csv(
        sep=delimiter, index=False, header=header
    )
    path = tmp_path / ("rows.csv.gz" if packed else "rows.tsv")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    source = open_rows(path)
    assert_array_equal(source.block(0), rows)
    assert source.columns == (["a", "b, in m", "c"] if header else None)


def test_a_damaged_gzip_file_is_named(tmp_path):
    data = gzip.compress(b"1,2\n" * 50_000)
    for keep, name in ((len(data) // 2, "half.csv.gz"), (5, "start.csv.gz")):
        (tmp_path / name).write_bytes(data[:keep])
        with pytest.raises(ValueError, match=f"{name} is not a whole gzip file"):
            open_rows(tmp_path / name)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_row_names_of_r_are_no_feature(delimiter, tmp_path):
    lines = [f"{i}{delimiter}{x}{delimiter}{y}" for i, (x, y) in enumerate(X.tolist())]
    (tmp_path / "rows.csv").write_text("\n".join([f'"x"{delimiter}"y"', *lines]))
    source = open_rows(tmp_path / "rows.csv")
    assert source.columns == ["x", "y"]
    assert_array_equal(source.block(0), X)


@pytest.mark.parametrize("row", ["1,2,", "1,2,3,4", "1"])
def test_names_are_as_many_as_columns(row, tmp_path):
    (tmp_path / "rows.csv").write_text(f"x,y\n{row}\n{row}\n")
    with pytest.raises(ValueError, match=r"column 2 is empty|2 column names, and [14] columns"):
        open_rows(tmp_path / "rows.csv")


def test_all_columns_of_text_are_named_at_once(tmp_path):
    frame = FRAME.assign(city="Rome", street=None, code="A 1")[["city", "x", "street", "y", "code"]]
    frame["street"] = "north"
    for path in (write(tmp_path, "csv", frame), write(tmp_path, "parquet", frame)):
        with pytest.raises(ValueError, match=r"drop=\['city', 'street', 'code'\] \(--drop or --id"):
            open_rows(path)


def test_fields_between_spaces_are_not_taken_for_names(tmp_path):
    np.savetxt(tmp_path / "rows.csv", X)
    with pytest.raises(ValueError, match=r"has spaces between its fields. Write commas, as numpy"):
        open_rows(tmp_path / "rows.csv")


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_other_encodings_are_refused_with_the_remedy(encoding, tmp_path):
    (tmp_path / "rows.csv").write_text("größe,y\n1,2\n", encoding=encoding)
    with pytest.raises(ValueError, match=r"is not text in UTF-8. Save it as UTF-8"):
        open_rows(tmp_path / "rows.csv")


def test_a_surplus_field_is_an_error_when_columns_are_chosen(tmp_path):
    (tmp_path / "rows.csv").write_text("city,x,y\nRome,1,2\nRome, Italy,1,2\n")
    with pytest.raises(ValueError, match="row 1 has 4 fields for 3 column names"):
        open_rows(tmp_path / "rows.csv", columns=["x", "y"])


def test_shards_have_names_all_or_none(tmp_path):
    (tmp_path / "1.csv").write_text("x,y\n1,2\n")
    (tmp_path / "2.csv").write_text("1,2\n")
    for names in (["1.csv", "2.csv"], ["2.csv", "1.csv"]):
        with pytest.raises(ValueError, match=r"has no column names|has column names"):
            open_rows([tmp_path / name for name in names])


# Folders


def test_a_folder_of_mixed_files_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", X)
    FRAME.to_csv(tmp_path / "b.csv")
    FRAME.to_parquet(tmp_path / "c.parquet")
    said = r"holds 1 \.parquet file\(s\) and 1 \.npy file\(s\) and 1 \.csv file\(s\)\. Name the"
    with pytest.raises(ValueError, match=said):
        open_rows(tmp_path)


def test_a_folder_of_csv_files(tmp_path):
    FRAME[:250].to_csv(tmp_path / "1.csv", index=False)
    FRAME[250:].to_csv(tmp_path / "2.csv.gz", index=False)
    (tmp_path / ".1.csv").write_text("hidden")
    assert_array_equal(open_rows(tmp_path).block(0), FRAME)


# Identifiers


def identified(frame, folder, ending):
    path = folder / f"rows.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    return path


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["id", "customer_id", "number"])
def test_a_column_that_looks_like_an_identifier_is_warned_of(ending, name, tmp_path):
    frame = FRAME.assign(**{name: np.arange(600) + 17})
    path = identified(frame, tmp_path, ending)
    with pytest.warns(UserWarning, match=f"'{name}' looks like an identifier.*--drop {name}"):
        model = LightKMeans(2, random_state=0).fit(path)
    with warnings.catch_warnings(action="error"):
        model.predict(path)
        open_rows(path, columns=["x", name])
        open_rows(path, drop=[name])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_features_are_not_taken_for_identifiers(ending, tmp_path):
    rng = np.random.default_rng(0)
    frame = FRAME.assign(
        ordered=np.sort(rng.normal(size=600)),
        pixel=np.arange(600) % 300,
        count=rng.integers(0, 500, 600),
        width=1,
    )
    with warnings.catch_warnings(action="error"):
        open_rows(identified(frame, tmp_path, ending))


def test_row_numbers_without_a_name_are_warned_of(tmp_path):
    np.savetxt(tmp_path / "rows.csv", np.column_stack([np.arange(600), X]), "%.6g", ",")
    with pytest.warns(UserWarning, match="'0' looks like an identifier"):
        open_rows(tmp_path / "rows.csv")


def test_several_identifiers_are_named_together(tmp_path):
    FRAME.assign(id=7, userId=np.arange(600)).to_csv(tmp_path / "rows.csv", index=False)
    said = r"'id', 'userId' look like identifiers of rows.*drop=\['id', 'userId'\]"
    with pytest.warns(UserWarning, match=said):
        open_rows(tmp_path / "rows.csv")


def test_several_files_have_consecutive_numbers(tmp_path):
    for i in range(3):
        table = pa.table({"n": np.arange(100) + 100 * i, "x": np.zeros(100)})
        pq.write_table(table, tmp_path / f"{i}.parquet")
    with pytest.warns(UserWarning, match="'n' looks like"):
        open_rows(tmp_path)
