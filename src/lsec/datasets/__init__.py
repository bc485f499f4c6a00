"""Data sets: five synthetic ones of any size, and five real ones.

::

    make_*  ─►  synthetic  ─►  _sampling (blocks, order, files)  ─►  _mixtures (shapes, parameters)
    load_*  ─►  real       ─►  _storage (bundled, LSEC_DATA, cache, download)

The synthetic sets are made in memory or written straight to a ``.npy`` file. PenDigits and
Letters come with the package; the other real sets are searched for in the folder named by the
environment variable ``LSEC_DATA``, then in the cache, and downloaded once if neither has them.
"""

from lsec.datasets.real import load_covertype, load_letters, load_mnist, load_pendigits, load_usps
from lsec.datasets.synthetic import (
    make_circles_gaussians,
    make_concentric_circles,
    make_flower,
    make_smiling_face,
    make_two_bananas,
)

__all__ = [
    "load_covertype",
    "load_letters",
    "load_mnist",
    "load_pendigits",
    "load_usps",
    "make_circles_gaussians",
    "make_concentric_circles",
    "make_flower",
    "make_smiling_face",
    "make_two_bananas",
]
