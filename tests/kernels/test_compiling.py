"""Kernels compile to no more code than they need: compilation is most of the first fit."""

import gc
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import pytest
from numba.core import caching, event
from numba.core.dispatcher import Dispatcher
from sklearn.datasets import make_moons

import lsec.kernels
from lsec import LSEC
from lsec.kernels import kernel

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


class Watch(event.Listener):
    """Whether the garbage collector ran while kernels were compiled."""

    def __init__(self):
        self.collects = []

    def on_start(self, event):
        self.collects.append(gc.isenabled())

    def on_end(self, event):
        self.collects.append(gc.isenabled())


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_garbage_is_not_collected_while_kernels_are_compiled(enabled, fails, tmp_path, monkeypatch):
    monkeypatch.setattr(caching.config, "CACHE_DIR", str(tmp_path))

    def double(values):
        for i in range(values.shape[0]):
            values[i] = undefined if fails else 2 * values[i]  # noqa: F821

    watch, values = Watch(), np.arange(3.0)
    (gc.enable if enabled else gc.disable)()
    try:
        with event.install_listener("numba:compile", watch):
            if fails:
                with pytest.raises(Exception, match="undefined"):
                    kernel()(double)(values)
            else:
                kernel()(double)(values)
        assert gc.isenabled() == enabled
    finally:
        gc.enable()
    assert watch.collects
    assert not any(watch.collects)
