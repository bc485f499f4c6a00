"""scikit-learn's own checks hold for every estimator, none is expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from lsec import LSEC, USENC, USPEC, DnCSC, EnsembleClustering, LightKMeans

# Checks of sample_weight fit four distinct rows, too few for the default number of clusters, and
# compare runs on rows in another order, which both must find the best clustering.
LIGHT = LightKMeans(n_clusters=2, n_init=100)


@parametrize_with_checks([LSEC(), DnCSC(), USPEC(), USENC(), EnsembleClustering(), LIGHT])
def test_scikit_learn_estimator_contract(estimator, check):
    check(estimator)
