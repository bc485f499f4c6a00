"""Tables with categorical columns: they vote, gaps abstain, and storage changes nothing."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

import lsec
from lsec import LSEC
from lsec.metrics import adjusted_rand_index

pd = pytest.importorskip("pandas")

GROUPS = 4
CATEGORICAL = ("color", "size", "shape", "flag")


def make_table(n_rows=1200, missing=0.0, seed=0):
    """A table of four groups that neither its two numeric columns nor the others tell apart."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, GROUPS, n_rows)
    table = pd.DataFrame(
        {
            "height": 4.0 * (group % 2) + rng.normal(size=n_rows),
            "width": rng.normal(size=n_rows),
        }
    )
    half = group // 2
    for name, words in (("color", "rg"), ("size", "sl"), ("shape", "oq")):
        noisy = np.where(rng.random(n_rows) < 0.9, half, rng.integers(0, 2, n_rows))
        values = np.array(list(words), object)[noisy]
        values[rng.random(n_rows) < missing] = None
        table[name] = values
    table["size"] = table["size"].astype("category")
    table["flag"] = half == 1
    return table, group


def fit(table, n_clusters=GROUPS, **parameters):
    settings = {"categorical_features": "from_dtype", "n_landmarks": 100, "random_state": 0}
    return LSEC(n_clusters, **{**settings, **parameters}).fit(table)


@pytest.fixture(scope="module")
def known():
    return make_table()


@pytest.fixture(scope="module")
def model(known):
    return fit(known[0])


def test_numeric_and_categorical_columns_find_groups_that_neither_finds_alone(known, model):
    table, group = known
    assert adjusted_rand_index(group, model.labels_) > 0.85
    numbers = LSEC(GROUPS, n_landmarks=100, random_state=0).fit(table[["height", "width"]])
    assert adjusted_rand_index(group, numbers.labels_) < 0.6


def test_categorical_columns_alone(known):
    table, group = known
    alone = fit(table[list(CATEGORICAL)], 2)
    assert adjusted_rand_index(group // 2, alone.labels_) > 0.95
    assert_array_equal(alone.predict(table[list(CATEGORICAL)]), alone.labels_)
    with pytest.raises(AttributeError, match="has no landmarks_"):
        _ = alone.landmarks_


@pytest.mark.parametrize("missing", [0.2, 0.5])
def test_missing_values_abstain(missing):
    table, group = make_table(missing=missing)
    model = fit(table)
    assert adjusted_rand_index(group, model.labels_) > 0.8
    assert_array_equal(model.predict(table), model.labels_)


def test_a_missing_value_is_a_missing_label(known, model):
    table, _ = known
    assert model.micro_clusters_.n_base == 20 + 4 * 7  # a weight of 2 * 20 / 2, but at most 7
    gaps = table.assign(color=table["color"].where(table.index == 0))
    micro = fit(gaps).micro_clusters_
    assert_array_equal(micro.takes_part.all(axis=1)[micro.of_row], table.index == 0)


def test_predict_equals_labels_also_of_some_rows(known, model):
    table, _ = known
    assert_array_equal(model.predict(table), model.labels_, strict=True)
    some = table.iloc[100:140]
    assert_array_equal(model.predict(some), model.labels_[100:140])
    membership = model.transform(table)
    assert_array_equal(membership.argmax(axis=1), model.labels_)
    assert_array_equal(model.labels_at(GROUPS), model.labels_)


def test_unseen_categories_abstain_like_missing_ones(known, model):
    table, _ = known
    unseen, missing = table.iloc[:200].copy(), table.iloc[:200].copy()
    unseen["color"], missing["color"] = "never seen", None
    assert_array_equal(model.predict(unseen), model.predict(missing))
    assert np.mean(model.predict(unseen) == model.labels_[:200]) > 0.95


def test_columns_are_chosen_by_type_name_or_position(known, model):
    table, _ = known
    for chosen in (list(CATEGORICAL), [2, 3, 4, 5], ("color", 3, "shape", 5)):
        assert_array_equal(fit(table, categorical_features=chosen).labels_, model.labels_)
    coded = table.assign(flag=table["flag"].astype(float))
    assert_array_equal(fit(coded, categorical_features=list(CATEGORICAL)).labels_, model.labels_)


def test_names_of_the_categories_change_nothing(known, model):
    table, _ = known
    renamed = table.assign(color=table["color"].map({"r": "a", "g": "b"}))
    assert_array_equal(fit(renamed).labels_, model.labels_)


def test_arrays_have_positions(known, model):
    table, _ = known
    codes = np.column_stack([pd.factorize(table[name], sort=True)[0] for name in CATEGORICAL])
    rows = np.column_stack([table[["height", "width"]].to_numpy(), codes]).astype(float)
    labels = fit(rows, categorical_features=[2, 3, 4, 5]).labels_
    assert_array_equal(labels, model.labels_)
    gaps = rows.copy()
    gaps[:600, 2] = np.nan
    again = fit(gaps, categorical_features=[2, 3, 4, 5])
    assert_array_equal(again.predict(gaps), again.labels_)
    lists = [[*map(float, one[:2]), *map(str, one[2:])] for one in rows.tolist()]
    assert_array_equal(fit(lists, categorical_features=[2, 3, 4, 5]).labels_, model.labels_)


def test_polars_and_pyarrow_tables(known, model):
    table, _ = known
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({name: table[name].tolist() for name in table.columns})
    assert_array_equal(fit(frame).labels_, model.labels_)
    assert_array_equal(model.predict(frame), model.labels_)
    as_category = frame.with_columns(frame["color"].cast(polars.Categorical))
    assert_array_equal(fit(as_category).labels_, model.labels_)
    gaps, _ = make_table(missing=0.2)
    frame = polars.from_pandas(gaps)
    assert frame["color"].null_count() > 0
    assert_array_equal(fit(frame).labels_, fit(gaps).labels_)


def test_whole_numbers_are_the_same_category_as_floats():
    table, _ = make_table()
    table["color"] = np.where(table["color"] == "r", 1, 2)
    floats = table.assign(color=table["color"].astype(float))
    model = fit(table, categorical_features=list(CATEGORICAL))
    assert_array_equal(model.predict(floats), model.labels_)


def test_a_heavier_weight_lets_categories_decide(known):
    """Two clusters divide the table by its numbers or by its words, whatever has more votes."""
    table, group = known
    light, heavy = (fit(table, 2, categorical_weight=w, consensus="kcc").labels_ for w in (1, 50))
    assert adjusted_rand_index(group // 2, heavy) > 0.9
    assert adjusted_rand_index(group // 2, light) < 0.1
    assert fit(table, categorical_weight=3).micro_clusters_.n_base == 20 + 4 * 3


def test_numeric_columns_are_scaled_on_request_only(known, model):
    table, group = known
    stretched = table.assign(width=table["width"] * 1e4)
    assert adjusted_rand_index(group, fit(stretched).labels_) < 0.7
    scaled = fit(stretched, scale_numeric=True)
    assert adjusted_rand_index(group, scaled.labels_) > 0.8
    assert_array_equal(scaled.predict(stretched), scaled.labels_)


def test_weights_are_copies_of_rows(known):
    table, _ = known
    weights = np.random.default_rng(0).integers(0, 4, len(table))
    settings = {"categorical_features": "from_dtype", "n_landmarks": 100, "random_state": 0}
    weighted = LSEC(GROUPS, **settings).fit(table, sample_weight=weights)
    copies = LSEC(GROUPS, **settings).fit(table.loc[np.repeat(table.index, weights)])
    assert_array_equal(np.repeat(weighted.labels_, weights), copies.labels_)
    assert_array_equal(weighted.labels_, weighted.predict(table))
    with pytest.raises(ValueError, match="scale_numeric"):
        LSEC(GROUPS, scale_numeric=True, **settings).fit(table, sample_weight=weights)


def test_threads_change_nothing(known, model, block_rows):
    block_rows(1024)
    for n_jobs in (1, 3):
        again = fit(known[0], n_jobs=n_jobs)
        assert_array_equal(again.labels_, model.labels_)
        assert_array_equal(again.confidence_, model.confidence_)


@pytest.mark.parametrize("columns", [slice(None), list(CATEGORICAL)])
def test_model_files_keep_the_categories(known, columns, tmp_path):
    table = known[0].loc[:, columns]
    model = fit(table, 2)
    model.save(tmp_path / "table.lsec")
    loaded = lsec.load(tmp_path / "table.lsec")
    assert_array_equal(loaded.predict(table), model.labels_)
    new = table.iloc[:100].assign(color="never seen")
    assert_array_equal(loaded.predict(new), model.predict(new))
    loaded.categorical_weight = 9
    with pytest.raises(ValueError, match="categorical_weight=9 is not that of the fit"):
        loaded.save(tmp_path / "changed.lsec")


def test_tables_without_categories_are_rows(known):
    numbers = known[0][["height", "width"]]
    model = fit(numbers)
    plain = LSEC(GROUPS, n_landmarks=100, random_state=0).fit(numbers)
    assert_array_equal(model.labels_, plain.labels_)
    assert_array_equal(model.predict(numbers), plain.labels_)


def test_few_categories_leave_the_consensus_as_it_is(known):
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(300, 8)), columns=list("abcdefgh")).assign(one="x")
    assert type(fit(wide)._method()[0]).__name__ == "Linkage"
    assert type(fit(known[0])._method()[0]).__name__ == "KCC"
    assert type(fit(known[0], consensus="bipartite")._method()[0]).__name__ == "Bipartite"


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"categorical_features": "all"}, "must be None, 'from_dtype' or a list"),
        ({"categorical_features": ["colour"]}, "has 'colour', and X has the columns 'height'"),
        ({"categorical_features": [9]}, "has 9, and X has"),
        ({"categorical_weight": 0}, "categorical_weight must be an integer between 1 and 100"),
        ({"device": "cuda"}, "categorical_features needs device='cpu'; got 'cuda'"),
        ({"scale_numeric": True, "categorical_features": None}, "StandardScaler"),
    ],
)
def test_parameters_are_checked(known, parameters, problem):
    with pytest.raises(ValueError, match=problem):
        fit(known[0], **parameters)


def test_tables_that_cannot_be_read_are_refused(known, tmp_path):
    table, _ = known
    with pytest.raises(ValueError, match="column 'color' has no values"):
        fit(table.assign(color=None))
    with pytest.raises(ValueError, match="'color' has 12000 values"):
        fit(make_table(12_000)[0].assign(color=[f"id {i}" for i in range(12_000)]))
    with pytest.raises(ValueError, match=r"NaN or infinity in the column 'height'.*impute"):
        fit(table.assign(height=np.nan))
    with pytest.raises(ValueError, match="3 rows have no value in any column"):
        empty = table[list(CATEGORICAL)].astype(object)
        empty.iloc[:3] = None
        fit(empty)
    with pytest.raises(ValueError, match="needs a data frame or an array in memory; got str"):
        fit("rows.csv")
    with pytest.raises(ValueError, match="needs a data frame, whose columns have types"):
        fit(np.zeros((50, 2)))
    with pytest.raises(ValueError, match="in memory; got csr_matrix"):
        fit(sparse.csr_matrix(np.eye(50)), categorical_features=[1])
    with pytest.raises(ValueError, match="feature names"):
        fit(table).predict(table[table.columns[::-1]])
