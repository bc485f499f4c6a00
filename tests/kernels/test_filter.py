"""One step of a polynomial filter."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lsec.kernels.filter import filter_step
from tests.inputs import seeds


@given(seed=seeds, q=st.integers(1, 50), width=st.integers(1, 20))
def test_a_step_is_a_shifted_product_less_the_step_before(seed, q, width):
    rng = np.random.default_rng(seed)
    matrix = sparse.csr_array(rng.normal(size=(q, q)) * (rng.random((q, q)) < 0.2))
    block, before = rng.normal(size=(2, q, width))
    out = np.empty((q, width))
    entries = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), matrix.data
    middle = q // 2
    filter_step(*entries, 0, middle, block, before, 0.3, 1.7, 0.6, out)
    filter_step(*entries, middle, q, block, before, 0.3, 1.7, 0.6, out)
    expected = 1.7 * (matrix @ block - 0.3 * block) - 0.6 * before
    np.testing.assert_allclose(out, expected, atol=1e-12)
