"""What the results were measured on: hardware, versions, commit and date."""

from __future__ import annotations

import subprocess
from datetime import date

from benchmarks.measure import ROOT
from lsec.bench.machine import hardware, versions


def describe_machine() -> dict[str, str]:
    """Hardware and versions; results from unlike machines are not mixed in one study."""
    return {**hardware(), **versions()}


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
