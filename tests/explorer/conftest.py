import pytest

from lsec import LSEC
from lsec.datasets import make_smiling_face


@pytest.fixture(scope="package")
def face():
    """Rows, and a model fitted to them that leaves some without a cluster."""
    X, _ = make_smiling_face(3000, random_state=0)
    return X, LSEC(4, n_base=8, noise=0.05, random_state=0).fit(X)
