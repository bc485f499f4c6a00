"""The API reference names everything public, and everything public has an example."""

import ast
import doctest
import inspect
import os
import pydoc
import re
from importlib import import_module
from pathlib import Path

import pytest

import lsec
from lsec import datasets

ROOT = Path(__file__).parent.parent
SUBMODULES = [name for name in lsec.__all__ if inspect.ismodule(getattr(lsec, name))]
MODULES = ("lsec", *(f"lsec.{name}" for name in SUBMODULES))


def public_names():
    """Classes and functions of `__all__`, with the module's name before them."""
    found = []
    for module in map(import_module, MODULES):
        names = getattr(module, "__all__", None) or own_functions(module)
        found += [f"{module.__name__}.{name}" for name in names if callable(getattr(module, name))]
    return sorted(found)


def own_functions(module):
    """Public functions that a module without `__all__` defines itself."""
    functions = inspect.getmembers(module, inspect.isfunction)
    mine = [name for name, function in functions if function.__module__ == module.__name__]
    return [name for name in mine if not name.startswith("_")]


def documented_names():
    """Names in the summaries of the reference."""
    found, module = [], ""
    for line in (ROOT / "docs" / "api" / "index.rst").read_text(encoding="utf-8").splitlines():
        if directive := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = directive[1]
        elif name := re.fullmatch(r"   ([\w.]+)", line):
            found.append(f"{module}.{name[1]}")
    return sorted(found)


def test_the_reference_names_everything_public():
    assert len(public_names()) > 30
    assert set(public_names()) <= set(documented_names())
    assert len(set(documented_names())) == len(documented_names())


@pytest.mark.parametrize("name", documented_names())
def test_every_documented_name_has_an_example(name):
    module, _, attribute = name.rpartition(".")
    text = inspect.getdoc(getattr(import_module(module), attribute))
    examples = text.partition("\nExamples\n--------\n")[2]
    assert ">>> " in examples, f"{name} has no section Examples"


ESTIMATORS = ("LSEC", "USENC", "DnCSC", "USPEC", "EnsembleClustering", "LightKMeans")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_methods_that_most_estimators_do_not_have_come_with_an_example(name):
    methods = dict(inspect.getmembers(getattr(lsec, name), inspect.isroutine))
    public = {one for one in methods if one.strip("_") == one} - {"fit", "predict"}
    public = {one for one in public if methods[one].__module__.startswith("lsec")}
    assert {one for one in public if ">>> " not in inspect.getdoc(methods[one])} == set()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_help_shows_one_default_of_each_parameter(name):
    kind = getattr(lsec, name)
    text = pydoc.plain(pydoc.render_doc(kind))
    for parameter in inspect.signature(kind).parameters.values():
        shown = re.findall(rf"^ \|  {parameter.name} = (.*)$", text, re.MULTILINE)
        assert set(shown) <= {repr(parameter.default)}, parameter.name


LOADED_FROM_FOLDER = {"load_usps": "usps", "load_mnist": "mnist", "load_covertype": "covertype"}


@pytest.mark.parametrize("name", LOADED_FROM_FOLDER)
def test_examples_of_data_that_is_not_bundled_run_where_there_is_a_copy(name):
    """Elsewhere they would download the data, so they are marked as skipped."""
    if not (Path(os.environ.get("LSEC_DATA", "")) / f"{LOADED_FROM_FOLDER[name]}.npz").is_file():
        pytest.skip(f"LSEC_DATA has no {LOADED_FROM_FOLDER[name]}.npz")
    text = inspect.getdoc(getattr(datasets, name)).replace("  # doctest: +SKIP", "")
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert doctest.DocTestRunner().run(examples) == doctest.TestResults(failed=0, attempted=3)


def gallery():
    """The order of the gallery in `docs/conf.py`."""
    tree = ast.parse((ROOT / "docs" / "conf.py").read_text(encoding="utf-8"))
    values = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}
    return ast.literal_eval(values["EXAMPLES"])


def test_the_gallery_has_every_example():
    assert sorted(gallery()) == sorted(path.name for path in (ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("name", gallery())
def test_examples_have_a_title_and_an_introduction(name):
    text = ast.get_docstring(ast.parse((ROOT / "examples" / name).read_text(encoding="utf-8")))
    title, underline, blank, *introduction = text.splitlines()
    assert underline == "=" * len(title) and not blank and introduction
