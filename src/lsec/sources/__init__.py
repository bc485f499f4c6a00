"""Where rows come from: canonical blocks and rows by position."""

from lsec.sources.source import Source, open_source

__all__ = ["Source", "open_source"]
