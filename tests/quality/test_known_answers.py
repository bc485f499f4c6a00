"""Known answers: shapes that k-means cannot find, and the two bundled data sets."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import lsec
from lsec import LSEC, LightKMeans
from lsec.datasets import (
    load_letters,
    load_pendigits,
    make_concentric_circles,
    make_two_bananas,
)
from lsec.metrics import (
    adjusted_rand_index,
    clustering_accuracy,
    normalized_mutual_information,
)

SHAPES = {"circles": (make_concentric_circles, 3), "bananas": (make_two_bananas, 2)}


@pytest.fixture(scope="module", params=SHAPES)
def shape(request):
    """20,000 rows of a known shape, their classes and the number of these."""
    make, n_classes = SHAPES[request.param]
    return *make(20_000, random_state=0), n_classes


@pytest.fixture(scope="module")
def pendigits():
    return load_pendigits(return_X_y=True)


@pytest.mark.parametrize("name", ["LSEC", "DnCSC", "USPEC", "USENC"])
def test_shapes_that_are_not_round_are_found(shape, name):
    # k-means gets .79 and .53; .998 and .9999 are the most that can be told apart. A single
    # spectral clustering of the bananas stays a little below (.9885 to .9979).
    X, y, k = shape
    labels = getattr(lsec, name)(k, n_landmarks=500, random_state=0).fit(X).labels_
    assert clustering_accuracy(y, labels) > 0.985


def test_k_means_does_not_find_them(shape):
    # What makes the test above say something: .34 on circles, .79 on bananas.
    X, y, k = shape
    assert clustering_accuracy(y, LightKMeans(k, n_init=3, random_state=0).fit(X).labels_) < 0.9


@pytest.mark.parametrize("seed", [0, 1])
def test_pendigits(pendigits, seed):
    # The paper has .8826 / .8465; seeds 0 to 2 gave .878 to .883 / .851 to .858.
    X, y = pendigits
    labels = LSEC(10, random_state=seed).fit(X).labels_
    assert clustering_accuracy(y, labels) >= 0.84
    assert normalized_mutual_information(y, labels) >= 0.83


def test_letters():
    # The paper has .4871; seeds 0 to 2 gave .487 to .490.
    X, y = load_letters(return_X_y=True)
    labels = LSEC(26, random_state=0).fit(X).labels_
    assert normalized_mutual_information(y, labels) >= 0.46


def test_light_k_means_is_as_good_as_k_means(pendigits):
    from sklearn.cluster import KMeans

    X, _ = pendigits
    light = LightKMeans(10, sample_size=3000, n_init=5, random_state=0).fit(X)
    whole = KMeans(10, n_init=5, random_state=0).fit(X)
    squares = np.square(X - light.cluster_centers_[light.labels_]).sum()
    assert light.inertia_ == pytest.approx(squares, rel=1e-5)
    assert light.inertia_ <= 1.03 * whole.inertia_


# Options, each with the accuracy and NMI it must reach in the middle of three seeds. Some seeds
# swap pairs of digits that share a shape (accuracy .75 in place of .88), hence the middle.
# Measured for seeds 0 to 5: the middle of any three .874 to .884 / .844 to .862 with 20 members;
# seven members swing more, .746 to .885 / .806 to .855. k-means has .666 / .680.

OPTIONS = {
    "fresh landmarks for every member": ({"reuse_neighbors": False}, 0.8, 0.8),
    "k-means on all rows": ({"discretization": "kmeans"}, 0.8, 0.8),
    "quartic kernel": ({"kernel": "quartic"}, 0.8, 0.8),
    "one number of neighbors": ({"n_neighbors": (5,)}, 0.8, 0.8),
    "members that do not fill their sets": ({"n_base": 7}, 0.7, 0.77),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_reaches_what_the_default_reaches(pendigits, option):
    X, y = pendigits
    parameters, accuracy, information = OPTIONS[option]
    found = [
        LSEC(10, n_landmarks=500, random_state=seed, **parameters).fit(X).labels_
        for seed in range(3)
    ]
    assert np.median([clustering_accuracy(y, labels) for labels in found]) >= accuracy
    scores = [normalized_mutual_information(y, labels) for labels in found]
    assert np.median(scores) >= information


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_changes_the_ensemble(pendigits, option):
    X, y = pendigits[0][:3000], pendigits[1]
    settings = {"n_landmarks": 200, "n_base": 10, "random_state": 0}
    default = LSEC(10, **settings).fit(X).base_labels_
    other = LSEC(10, **{**settings, **OPTIONS[option][0]}).fit(X).base_labels_
    # Other members, but no worse ones: all have .69 to .80 with the digits.
    same = [adjusted_rand_index(*pair) for pair in zip(default.T, other.T, strict=False)]
    assert min(same) < 1
    for labels in (default, other):
        assert min(normalized_mutual_information(y[:3000], member) for member in labels.T) > 0.65


def test_a_number_of_neighbors_and_a_tuple_of_one_are_the_same(pendigits):
    X = pendigits[0][:3000]
    settings = {"n_landmarks": 200, "n_base": 5, "random_state": 0}
    number = LSEC(10, n_neighbors=5, **settings).fit(X)
    sequence = LSEC(10, n_neighbors=(5,), **settings).fit(X)
    assert_array_equal(number.base_labels_, sequence.base_labels_)
    assert_array_equal(number.labels_, sequence.labels_)


def test_members_and_landmark_sets_are_as_many_as_asked(pendigits):
    X = pendigits[0][:3000]
    settings = {"n_landmarks": 100, "random_state": 0}
    for n_base, n_sets in [(1, 1), (5, 1), (7, 2), (10, 2)]:
        model = LSEC(10, n_base=n_base, **settings).fit(X)
        assert model.base_labels_.shape == (3000, n_base)
        assert len(model.landmarks_) == n_sets
    apart = LSEC(10, n_base=7, reuse_neighbors=False, **settings).fit(X)
    assert apart.base_labels_.shape == (3000, 7)
    assert len(apart.landmarks_) == 7


def test_more_members_beat_one(pendigits):
    X, y = pendigits
    scores = {
        n_base: np.mean(
            [
                normalized_mutual_information(
                    y, LSEC(10, n_base=n_base, n_landmarks=300, random_state=seed).fit_predict(X)
                )
                for seed in range(3)
            ]
        )
        for n_base in (1, 20)
    }
    assert scores[20] > scores[1] + 0.05
