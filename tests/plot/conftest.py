import matplotlib as mpl
import pytest

from lsec import LSEC
from lsec.datasets import make_smiling_face


@pytest.fixture(autouse=True)
def closed_figures():
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    yield
    plt.close("all")


@pytest.fixture(scope="package")
def face():
    """Rows, and a model fitted to them."""
    X, _ = make_smiling_face(1500, random_state=0)
    return X, LSEC(4, n_base=6, random_state=0).fit(X)
