"""What all pictures share: axes, the consensus of a model, parameters, ticks of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lsec.colors import PALE_INK
from lsec.consensus.consensus import Consensus
from lsec.docstrings import documented
from lsec.typing import AnyArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMED = 40  # clusters with a tick of their own
LEAST_SHARE = 0.015  # of the axis, for a cluster to have a tick

plot_docs = documented("""
model : fitted estimator or Consensus
    An estimator that joins an ensemble (`LSEC`, `USENC`, `EnsembleClustering`), or what
    `lsec.consensus` returns with `full_output=True`.
ax : matplotlib.axes.Axes, optional
    Where to draw; a new figure by default.
""")


def axes_of(ax: Axes | None, width: float = 6.4, height: float = 4.4) -> Axes:
    """Return the axes to draw into: the given ones, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Pictures need matplotlib. Install it with: pip install 'lsec[plot]'"
        ) from error
    new: Axes = plt.subplots(figsize=(width, height), layout="constrained")[1]
    return new


def consensus_of(model: Any) -> Consensus:
    """Consensus of a fitted model, or the consensus itself."""
    if isinstance(model, Consensus):
        return model
    if not hasattr(type(model), "consensus_"):
        raise TypeError(
            f"model must be a fitted LSEC, USENC or EnsembleClustering, or a Consensus; "
            f"got {type(model).__name__}."
        )
    found: Consensus = model.consensus_
    return found


def name_clusters(
    ax: Axes, borders: AnyArray, clusters: AnyArray, axis: Literal["x", "y"] = "x"
) -> None:
    """Name clusters (c,) in the middle of their intervals, which `borders` (c + 1,) divide."""
    borders = np.asarray(borders, np.float64)
    wide = np.diff(borders) >= LEAST_SHARE * (borders[-1] - borders[0])
    middle = (borders[:-1] + borders[1:]) / 2
    setter = ax.set_xticks if axis == "x" else ax.set_yticks
    setter(middle[wide], [str(c) for c in np.asarray(clusters)[wide]])
    ax.tick_params(axis=axis, length=0, colors=PALE_INK)


def plain(ax: Axes) -> None:
    """Draw no frame but the axes at the left and at the bottom."""
    ax.spines[["top", "right"]].set_visible(False)
