"""Equality of fitted models, bit for bit."""

import numpy as np
from numpy.testing import assert_array_equal


def arrays_of(model):
    """All fitted arrays, by name."""
    found = {}
    for name, value in vars(model).items():
        if name.endswith("_") and isinstance(value, (np.ndarray, list)):
            for i, array in enumerate(value if isinstance(value, list) else [value]):
                found[f"{name}[{i}]"] = array
    return found


def assert_same_fit(model, other):
    """Every fitted array is equal, bit for bit."""
    arrays, others = arrays_of(model), arrays_of(other)
    assert arrays.keys() == others.keys()
    assert "labels_[0]" in arrays
    for name, array in arrays.items():
        assert_array_equal(array, others[name], err_msg=name, strict=True)


def assert_same_labels(model, other):
    """Labels and base labels are equal, bit for bit."""
    assert_array_equal(model.labels_, other.labels_, strict=True)
    if hasattr(model, "base_labels_"):
        assert_array_equal(model.base_labels_, other.base_labels_, strict=True)
