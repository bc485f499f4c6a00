"""Where rows come from: canonical blocks and rows by position."""

from lsec.sources.opening import is_stored, open_array, open_rows
from lsec.sources.source import Source

__all__ = ["Source", "is_stored", "open_array", "open_rows"]
