"""Kernels compile to no more code than they need: compilation is most of the first fit."""

from importlib import import_module
from pkgutil import iter_modules

import pytest
from numba.core.dispatcher import Dispatcher
from sklearn.datasets import make_moons

import lsec.kernels
from lsec import LSEC

MODULES = [module.name for module in iter_modules(lsec.kernels.__path__) if not module.ispkg]


@pytest.fixture(scope="module", autouse=True)
def fits():
    rows, _ = make_moons(400, random_state=0)
    for columns in (rows, rows.repeat(10, axis=1)):  # few features, and many
        LSEC(2, random_state=0).fit(columns)


@pytest.mark.parametrize("name", MODULES)
def test_no_kernel_assigns_one_array_to_another(name):
    """The message about shapes that differ is more to compile than any kernel."""
    module = import_module(f"lsec.kernels.{name}")
    messages = [
        function.__name__
        for function in vars(module).values()
        if isinstance(function, Dispatcher)
        for overload in function.overloads.values()
        if "cannot assign slice" in str(overload.library._get_module_for_linking())
    ]
    assert messages == []
