"""Labels from tables over landmarks: the position of the largest score."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lsec.kernels.labels import first_largest


@given(hnp.arrays(np.float32, st.integers(1, 70), elements=st.floats(-9, 9, width=32)))
def test_first_largest_is_argmax(values):
    values = values + np.float32(0)  # argmax does not tell -0 from 0, bits do
    assert first_largest(values.view(np.int32)) == values.argmax()
