"""scikit-learn's own checks hold for all estimators with their defaults.

Two checks of `sample_weight` cannot, from which scikit-learn excuses its own KMeans, too;
docs/development.md tells why.
"""

from sklearn.utils.estimator_checks import parametrize_with_checks

from lsec import LSEC, USENC, USPEC, DnCSC, EnsembleClustering, LightKMeans

SHUFFLED = (
    "shuffles the weighted rows, on whose order the draws and the numbers of the clusters depend; "
    "tests/laws/test_sample_weight.py has the law without the shuffle"
)
NOT_FOR_ENSEMBLES = {
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
