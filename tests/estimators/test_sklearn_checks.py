"""scikit-learn's own checks hold for all estimators with their defaults, none excused."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from lsec import LSEC, USENC, USPEC, DnCSC, EnsembleClustering, LightKMeans


@parametrize_with_checks([LSEC(), DnCSC(), USPEC(), USENC(), EnsembleClustering(), LightKMeans()])
def test_scikit_learn_estimator_contract(estimator, check):
    check(estimator)
