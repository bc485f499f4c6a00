"""Check a wheel: the files in it, and the README's examples in an empty environment.

Usage: python .github/check_wheel.py dist/lsec-VERSION-py3-none-any.whl
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

README = Path(__file__).parent.parent / "README.md"
BUNDLED = "lsec/datasets/bundled/"
PAGE = "lsec/explorer/page/"
REQUIRED = {
    "lsec/__init__.py",
    "lsec/py.typed",
    *(BUNDLED + name for name in ("LICENSE.md", "letters.npz", "pendigits.npz")),
    *(PAGE + path.name for path in (README.parent / "src" / PAGE).iterdir()),
}
ALLOWED = re.compile(r"lsec/.+\.py|lsec-[^/]+\.dist-info/.+")


def check_contents(wheel: Path) -> None:
    """Fail when a file is missing, or is neither Python source, bundled data nor metadata."""
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
    missing = sorted(REQUIRED - names)
    unexpected = sorted(name for name in names - REQUIRED if not ALLOWED.fullmatch(name))
    if missing or unexpected:
        sys.exit(f"{wheel.name}: missing {missing}, unexpected {unexpected}")
    modules = sum(name.startswith("lsec/") and name.endswith(".py") for name in names)
    print(f"{wheel.name}: {modules} modules, {wheel.stat().st_size / 1e6:.2f} MB")


def run_readme(wheel: Path) -> None:
    """Run the Python examples of the README where the wheel is all that is installed."""
    text = README.read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if not examples:
        sys.exit("README.md has no Python example")
    with TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "Scripts" if os.name == "nt" else "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
        for example in examples:
            subprocess.run([python, "-I", "-c", example], check=True, cwd=folder)


if __name__ == "__main__":
    built = Path(sys.argv[1]).resolve()
    check_contents(built)
    run_readme(built)
