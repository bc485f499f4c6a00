"""The makers of the synthetic data sets, each with its mixture."""

import pytest

from lsec.datasets import (
    _mixtures,
    make_circles_gaussians,
    make_concentric_circles,
    make_flower,
    make_smiling_face,
    make_two_bananas,
)

MAKERS = {
    make_two_bananas: _mixtures.TWO_BANANAS,
    make_smiling_face: _mixtures.SMILING_FACE,
    make_concentric_circles: _mixtures.CONCENTRIC_CIRCLES,
    make_circles_gaussians: _mixtures.CIRCLES_GAUSSIANS,
    make_flower: _mixtures.FLOWER,
}
each_maker = pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
