"""The `lsec` command starts quickly, and says how to install its libraries."""

import json
import subprocess
import sys

import pytest

import lsec
from lsec import cli


def test_version(run):
    assert run("--version").stdout.strip() == f"lsec, version {lsec.__version__}"


def test_help_is_quick_because_it_imports_little():
    program = (
        "import json, sys\n"
        "from lsec.cli.main import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30
    )
    *text, modules = done.stdout.splitlines()
    assert any(line.split()[:1] == ["demo"] for line in text)
    packages = {name.partition(".")[0] for name in json.loads(modules)}
    assert packages.isdisjoint({"numpy", "scipy", "numba", "sklearn", "matplotlib", "rich"})


@pytest.mark.parametrize("name", ["click", "rich"])
def test_a_missing_library_is_named_with_the_remedy(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SystemExit, match=rf"needs {name}\. .*pip install 'lsec\[cli\]'"):
        cli.start()


def test_the_command_starts(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["lsec", "--version"])
    with pytest.raises(SystemExit) as caught:
        cli.start()
    assert caught.value.code == 0
    assert lsec.__version__ in capsys.readouterr().out


def test_fits_need_neither_click_nor_rich():
    program = (
        "import sys\n"
        "sys.modules.update({'click': None, 'rich': None})\n"
        "import lsec\n"
        "X, y = lsec.datasets.make_two_bananas(500, random_state=0)\n"
        "lsec.LSEC(2, n_base=3, base_clusters=(3, 6), random_state=0).fit(X).predict(X)\n"
        "lsec.consensus([y, y], 2)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
