"""What results were measured on: hardware and versions."""

from __future__ import annotations

import hashlib
import os
import platform
from importlib import metadata
from pathlib import Path

from lsec.execution.threads import usable_cores

FACES = ("cli", "report")  # what they do is not timed
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def hardware() -> dict[str, str]:
    """Processor, cores that may be used, memory and operating system."""
    return {
        "cpu": _cpu_model(),
        "cores": str(usable_cores()),
        "memory": _memory(),
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
    """A name for the state of the code that is measured: lsec without its faces."""
    import lsec

    home = Path(lsec.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        part = path.relative_to(home)
        if part.parts[0] not in FACES:
            digest.update(part.as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


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
