"""What the results were measured on: hardware, versions, commit and date."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import date
from importlib import metadata
from pathlib import Path

from benchmarks.measure import ROOT

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def describe_machine() -> dict[str, str]:
    """Hardware and versions; results from unlike machines are not mixed in one study."""
    import lsec

    return {
        "cpu": _cpu_model(),
        "cores": str(_usable_cores()),
        "memory": _memory(),
        "os": _system(),
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in PACKAGES},
        "lsec": lsec.__version__,
    }


def stamp() -> dict[str, str]:
    """When, and at which commit, something is measured."""
    return {"date": date.today().isoformat(), "commit": _commit()}


def _commit() -> str:
    head = _git("rev-parse", "--short=12", "HEAD")
    if not head:
        return "unknown"
    return head + (" with local changes" if _git("status", "--porcelain", "--", "src") else "")


def _git(*arguments: str) -> str:
    """Output of a git command, empty where there is no repository."""
    try:
        process = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return process.stdout.strip()


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


def _memory() -> str:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return f"{total / 2**30:.1f} GiB"


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"
