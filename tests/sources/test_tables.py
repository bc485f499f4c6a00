"""Tables in memory that are not rows of numbers."""

import datetime

import numpy as np
import pytest
from sklearn.utils import Bunch

from lsec import LightKMeans

VALUES = np.random.default_rng(0).normal(size=(60, 2))


def model():
    return LightKMeans(2, random_state=0)


def pandas_dates(pandas, dates):
    """Dates as pandas has them: a list would become a column of objects."""
    return pandas.to_datetime(dates)


def frame(pandas, **columns):
    return pandas.DataFrame({"a": VALUES[:, 0]} | columns)


@pytest.mark.parametrize(
    "column",
    [
        np.full(60, "2020-01-01", "datetime64[D]"),
        np.array(["red", "green"] * 30, object),
        [datetime.timedelta(5)] * 60,
        ["red", "green"] * 30,
        [datetime.date(2020, 1, 1)] * 60,
    ],
    ids=["datetimes", "objects", "durations", "strings", "dates"],
)
@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_column_without_numbers_is_named(package, column):
    module = pytest.importorskip(package)
    if package == "pandas" and isinstance(column[0], datetime.date):
        column = pandas_dates(module, column)
    with pytest.raises(ValueError, match=r"Column 'when' of X has the type .*Convert it"):
        model().fit(frame(module, when=column))


@pytest.mark.parametrize(("column", "votes"), [(["a", "b"], True), (["2020-01-01"] * 2, False)])
def test_a_column_that_could_vote_is_told_how(column, votes):
    pandas = pytest.importorskip("pandas")
    values = pandas.Series(column).astype("category" if votes else "datetime64[s]")
    with pytest.raises(ValueError, match="'kind' of X has the type") as refused:
        model().fit(pandas.DataFrame({"kind": values}))
    assert ("LSEC(categorical_features='from_dtype')" in str(refused.value)) is votes


def test_columns_that_share_a_name():
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    arrow = pyarrow.table([pyarrow.array(column) for column in VALUES.T], names=["a", "a"])
    for twice in [pandas.DataFrame(VALUES, columns=["a", "a"]), arrow]:
        with pytest.raises(ValueError, match=r"several columns with the name 'a'. Rename"):
            model().fit(twice)


def test_nullable_and_arrow_types_are_numbers():
    pandas = pytest.importorskip("pandas")
    expected = model().fit(VALUES.round()).labels_
    for kind in [
        "Float64",
        "Int64",
        "double[pyarrow]",
        "int8[pyarrow]",
        pandas.SparseDtype(float, 0),
        object,
    ]:
        assert np.array_equal(
            model().fit(pandas.DataFrame(VALUES.round()).astype(kind)).labels_, expected
        )


def test_a_lazy_frame_is_asked_to_be_collected():
    polars = pytest.importorskip("polars")
    with pytest.raises(ValueError, match=r"lazy frame. Pass X.collect\(\)"):
        model().fit(polars.DataFrame(VALUES).lazy())


@pytest.mark.parametrize("kind", ["datetime64[s]", "timedelta64[ms]"])
def test_arrays_of_times(kind):
    with pytest.raises(ValueError, match=r"X has the type \w+64\[m?s\]. Convert dates"):
        model().fit((VALUES * 1000).astype(kind))


def test_objects_that_are_no_numbers():
    with pytest.raises(TypeError, match="X must hold numbers"):
        model().fit(np.array([[datetime.date(2020, 1, 1)] * 2] * 60))


def test_structured_arrays():
    with pytest.raises(ValueError, match=r"fields f0, f1. Pass numpy.lib.recfunctions"):
        model().fit(np.rec.fromarrays(VALUES.T))


def test_masked_values_are_refused_and_an_empty_mask_is_not():
    masked = np.ma.masked_array(VALUES, mask=np.zeros(VALUES.shape, bool))
    assert np.array_equal(model().fit(masked).labels_, model().fit(VALUES).labels_)
    masked[3, 1] = np.ma.masked
    with pytest.raises(ValueError, match=r"masked values. Remove or impute"):
        model().fit(masked)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_a_matrix_is_an_array():
    assert np.array_equal(model().fit(np.matrix(VALUES)).labels_, model().fit(VALUES).labels_)


def test_missing_values_in_a_frame_are_called_by_the_name_of_their_column():
    for package in ("pandas", "polars"):
        module = pytest.importorskip(package)
        holed = frame(module, depth=np.where(np.arange(60) == 7, np.nan, VALUES[:, 1]))
        with pytest.raises(ValueError, match="row 7, column 'depth' is nan"):
            model().fit(holed)
        fitted = model().fit(frame(module, depth=VALUES[:, 1]))
        with pytest.raises(ValueError, match="row 7, column 'depth' is nan"):
            fitted.predict(holed)


def test_arrays_of_text():
    with pytest.raises(ValueError, match=r"X holds strings \(<U\d+\). Convert them"):
        model().fit(VALUES.astype(str))


class AnnData:
    """As the library's class, whose conversion by NumPy takes minutes."""

    n_obs, n_vars, X = 60, 2, VALUES

    def __init__(self, *names):
        self.obsm = dict.fromkeys(names, VALUES)

    def __len__(self):
        return self.n_obs

    def __getitem__(self, row):
        raise AssertionError("converted value by value")


def test_an_anndata_is_asked_for_one_of_its_matrices():
    said = r"X is an AnnData. Pass a matrix of it: X.obsm\['X_pca'\], X.obsm\['X_umap'\], X.X\."
    with pytest.raises(ValueError, match=said):
        model().fit(AnnData("X_pca", "X_umap"))
    with pytest.raises(ValueError, match=r"Pass a matrix of it: X.X\."):
        model().fit(VALUES).predict(AnnData())


def test_a_dictionary_is_asked_for_its_table():
    with pytest.raises(ValueError, match=r"X is a Bunch of 'data', 'target'. Pass the table"):
        model().fit(Bunch(data=VALUES, target=[0] * 60))


def test_h5ad_is_an_ending_of_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "cells.h5ad", "w") as file:
        file["obsm/X_pca"], file["obsm/X_umap"] = VALUES, VALUES[:, :1]
        file["X/data"] = np.ones(3)
    fitted = model().fit(f"{tmp_path}/cells.h5ad::obsm/X_pca")
    assert np.array_equal(fitted.labels_, model().fit(VALUES).labels_)
    with pytest.raises(ValueError, match=r"name one as .*cells.h5ad::NAME: obsm/X_pca, obsm/X_um"):
        model().fit(tmp_path / "cells.h5ad")
    with pytest.raises(ValueError, match="has a group 'X', such as a sparse matrix, not a data"):
        model().fit(f"{tmp_path}/cells.h5ad::X")
