"""The task that times an import; in a file of its own, since nothing else may be loaded."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.harness.process import Clock


def import_time(clock: Clock, module: str, name: str | None) -> dict[str, Any]:
    """Import a module, or a name from it."""
    with clock.lap():
        loaded = importlib.import_module(module)
        if name is not None:
            getattr(loaded, name)
    return {"numba": "numba" in sys.modules}
