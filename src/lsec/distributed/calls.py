"""Delayed calls, run by Dask: on the workers of a client, or on its threads in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import dask


def active_client() -> Any:
    """The client that is active, or None."""
    try:
        from distributed import default_client
    except ImportError:
        return None
    try:
        return default_client()
    except ValueError:
        return None


def share(value: Any) -> Any:
    """A value that many calls take.

    It is part of the graph, not scattered: a worker that is lost cannot take it along.
    """
    return dask.delayed(value, name=f"lsec-{type(value).__name__}-{uuid4()}", traverse=False)


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """A call that Dask is to make."""
    return dask.delayed(function, pure=False)(*arguments)


def hold(calls: list[Any], client: Any, step: Callable[[], None]) -> list[Any]:
    """Make calls and leave their results where they were made.

    Parameters
    ----------
    step : callable
        Called whenever one more is made.

    Returns
    -------
    held : list of Delayed
    """
    if client is None:
        held = list(dask.persist(*calls))
        for _ in held:
            step()
        return held
    from distributed import as_completed, futures_of

    held = client.persist(calls)
    for future in as_completed(futures_of(held)):
        if future.status == "error":
            future.result()
        step()
    return held


def fetch(calls: list[Any], client: Any) -> list[Any]:
    """Results of calls, brought here."""
    if client is None:
        return list(dask.compute(*calls))
    return client.gather(client.compute(calls))
