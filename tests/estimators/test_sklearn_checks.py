"""scikit-learn's own checks hold for all estimators with their defaults.

Four checks of `sample_weight` cannot: scikit-learn excuses its own KMeans from two of them.
"""

from sklearn.utils.estimator_checks import parametrize_with_checks

from lsec import LSEC, USENC, USPEC, DnCSC, EnsembleClustering, LightKMeans

EIGHT_OF_FOUR = "asks for eight clusters of four distinct rows, which ensembles refuse"
SHUFFLED = (
    "shuffles the weighted rows, on whose order the draws and the numbers of the clusters depend; "
    "tests/laws/test_sample_weight.py has the law without the shuffle"
)
NOT_FOR_ENSEMBLES = {
    "check_sample_weights_shape": EIGHT_OF_FOUR,
    "check_sample_weights_not_overwritten": EIGHT_OF_FOUR,
    "check_sample_weight_equivalence_on_dense_data": SHUFFLED,
    "check_sample_weight_equivalence_on_sparse_data": SHUFFLED,
}


def excused(estimator):
    """Checks that do not hold for an estimator, and why."""
    return NOT_FOR_ENSEMBLES if isinstance(estimator, (LSEC, EnsembleClustering)) else {}


@parametrize_with_checks(
    [LSEC(), DnCSC(), USPEC(), USENC(), EnsembleClustering(), LightKMeans()],
    expected_failed_checks=excused,
)
def test_scikit_learn_estimator_contract(estimator, check):
    check(estimator)
