"""The habits of the project that a program can check."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import lsec
from lsec.cli.main import main

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

LARGEST = 10**6
MAY_BE_LARGER = ("src/lsec/datasets/bundled/", "docs/reproduction/report.html")


def read_yaml(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def bibtex():
    """The fields of the README's BibTeX entry, without braces."""
    entry = re.search(r"```bibtex\n(.*?)```", README, re.DOTALL)[1]
    fields = re.findall(r"^ +(\w+) += \{(.*)\},?$", entry, re.MULTILINE)
    return {name: re.sub("[{}]", "", value) for name, value in fields}


def matrix():
    """The jobs of the tests as (system, Python version, resolution of the dependencies)."""
    workflow = read_yaml(ROOT / ".github" / "workflows" / "tests.yml")
    strategy = workflow["jobs"]["tests"]["strategy"]["matrix"]
    included = strategy["include"]
    resolutions = {one["python"]: one["resolution"] for one in included if "os" not in one}
    jobs = {
        (system, python, resolutions[python])
        for system in strategy["os"]
        for python in strategy["python"]
    }
    return jobs | {(one["os"], one["python"], one["resolution"]) for one in included if "os" in one}


def supported():
    """The Python versions of the classifiers, oldest first."""
    found = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    return sorted(found, key=lambda version: int(version[2:]))


def test_the_version_stands_in_one_place():
    source = PROJECT["tool"]["hatch"]["version"]["path"]
    assert f'__version__ = "{lsec.__version__}"' in (ROOT / source).read_text(encoding="utf-8")
    assert "version" in PROJECT["project"]["dynamic"]
    assert "version" not in PROJECT["project"]
    assert "version" not in read_yaml(ROOT / "CITATION.cff")


def test_the_changelog_has_the_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(lsec.__version__)}\]", changelog, re.MULTILINE)


def test_the_citation_file_cites_the_software():
    citation = read_yaml(ROOT / "CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert README.startswith(f"# {citation['title']}\n")
    assert citation["authors"] == PROJECT["project"]["authors"]
    assert citation["license"] == PROJECT["project"]["license"]


def test_the_citation_file_cites_the_paper_of_the_readme():
    paper, entry = read_yaml(ROOT / "CITATION.cff")["preferred-citation"], bibtex()
    authors = [f"{one['family-names']}, {one['given-names']}" for one in paper["authors"]]
    assert " and ".join(authors) == entry["author"]
    for field, name in {"title": "title", "journal": "journal", "volume": "volume"}.items():
        assert str(paper[field]) == entry[name]
    assert (str(paper["issue"]), str(paper["year"])) == (entry["number"], entry["year"])
    assert [one["value"] for one in paper["identifiers"]] == [entry["note"]]


CONDA_NAMES = {"matplotlib": "matplotlib-base", "dask": "dask-core"}


def conda_requirement(requirement):
    """A requirement such as "dask[array]>=2024.8" as a conda recipe writes it."""
    name, bound = re.fullmatch(r"([\w-]+)(?:\[.*\])?(>=.*)", requirement).groups()
    return f"{CONDA_NAMES.get(name, name)} {bound}"


def test_the_conda_recipe_repeats_the_metadata():
    recipe, project = read_yaml(ROOT / "conda" / "recipe.yaml"), PROJECT["project"]
    extras = [project["optional-dependencies"][one] for one in ("cli", "plot", "io", "dask")]
    optional = {conda_requirement(one) for extra in extras for one in extra}
    assert recipe["context"]["version"] == lsec.__version__
    assert recipe["context"]["python_min"] == supported()[0]
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["about"]["license_file"] == project["license-files"]
    required = recipe["requirements"]["run"][1:]  # without Python
    assert set(required) == set(map(conda_requirement, project["dependencies"]))
    assert set(recipe["requirements"]["run_constraints"]) == optional
    assert PROJECT["project"]["scripts"]["lsec"] in recipe["build"]["python"]["entry_points"][0]


def test_bounds_agree_wherever_a_library_is_named():
    bounds = {}
    for extra, requirements in PROJECT["project"]["optional-dependencies"].items():
        for requirement in requirements:
            if extra not in ("test", "lint", "bench"):  # what users install
                name = re.match(r"[\w-]+", requirement)[0]
                bounds.setdefault(name, set()).add(requirement.partition(">=")[2])
    assert "zarr" in bounds and all(len(found) == 1 for found in bounds.values())


def test_every_supported_python_is_tested():
    assert sorted({python for _, python, _ in matrix()}) == supported()
    assert PROJECT["project"]["requires-python"] == f">={supported()[0]}"


@pytest.mark.parametrize("system", ["ubuntu-latest", "macos-latest", "windows-latest"])
def test_every_system_is_tested_with_the_oldest_and_the_newest(system):
    oldest, newest = supported()[0], supported()[-1]
    assert {(system, oldest, "lowest-direct"), (system, newest, "highest")} <= matrix()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_to_a_major_version(path):
    for action in re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8")):
        assert re.fullmatch(r"\./\S+|[\w/-]+@(release/)?v\d+", action), action


def test_no_tracked_file_is_large():
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    names = listed.stdout.decode().strip("\0").split("\0")
    paths = [ROOT / name for name in names if not name.startswith(MAY_BE_LARGER)]
    large = [str(path) for path in paths if path.is_file() and path.stat().st_size > LARGEST]
    assert len(paths) > 100 and not large


@pytest.mark.parametrize("page", [README, CONTRIBUTING], ids=["README", "CONTRIBUTING"])
def test_make_has_the_targets_that_pages_name(page):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:`|\$ )make (\w+)", page))
    assert {"test"} < named <= targets


def test_the_command_line_has_the_commands_that_the_readme_names():
    named = re.findall(r"^\$ lsec (\w+)", README, re.MULTILINE)
    assert {"fit", "predict"} < set(named) <= set(main.commands)


def test_pyproject_has_the_extras_that_the_readme_names():
    named = set(re.findall(r"'\.\[(\w+)\]'", README))
    assert {"io", "dask"} < named <= set(PROJECT["project"]["optional-dependencies"])


# The size of the code


def modules():
    """The modules of the package, by path."""
    return sorted((ROOT / "src" / "lsec").rglob("*.py"))


def lines_without_docstring(function):
    """Lines of a function, without its docstring."""
    first = function.body[0]
    n_lines = function.end_lineno - function.lineno + 1
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        n_lines -= first.end_lineno - first.lineno + 1
    return n_lines


def test_functions_fit_a_screen():
    long = [
        (path.name, node.name)
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and lines_without_docstring(node) > 50
    ]
    assert not long


def test_modules_hold_one_idea():
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    assert len(sizes) > 50
    assert [path.name for path, n_lines in sizes.items() if n_lines > 400] == []
