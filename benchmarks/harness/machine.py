"""The circumstances of a measurement: hardware, versions, commit and date."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from datetime import date
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FACES = ("cli",)  # is not timed
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def hardware() -> dict[str, str]:
    """Processor, cores that may be used, memory and operating system."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": _cpu_model(),
        "cores": str(_usable_cores()),
        "memory": f"{total / 2**30:.1f} GiB",
        "os": _system(),
    }


def versions() -> dict[str, str]:
    """Versions of Python, of the packages lsec computes with, and of lsec."""
    import lsec

    return {
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in PACKAGES},
        "lsec": lsec.__version__,
    }


def source_digest() -> str:
    """A name for the state of the code that is measured: lsec without its command line."""
    import lsec

    home = Path(lsec.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        part = path.relative_to(home)
        if part.parts[0] not in FACES:
            digest.update(part.as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def machine() -> dict[str, dict[str, str]]:
    """Hardware and versions, as they stand in a record."""
    return {"machine": hardware(), "versions": versions()}


def stamp() -> dict[str, str]:
    """Date and commit of a measurement."""
    return {"date": date.today().isoformat(), "commit": _commit()}


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"


def _commit() -> str:
    head = _git("rev-parse", "--short=12", "HEAD")
    if not head:
        return "unknown"
    return head + (" with local changes" if _git("status", "--porcelain", "--", "src") else "")


def _git(*arguments: str) -> str:
    """Output of a git command, empty outside a repository."""
    try:
        process = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return process.stdout.strip()
