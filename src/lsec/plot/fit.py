"""Pictures of a fit: the evidence for its number of clusters, and its timings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from lsec.colors import PALETTE
from lsec.plot.axes import axes_of, consensus_of, plain, plot_docs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEANINGS = {
    "eigengap": "gap after the k-th eigenvalue, relative",
    "lifetime": "lifetime of k clusters",
    "worth": "worth of k clusters",
}


@plot_docs
def evidence(model: Any, *, ax: Axes | None = None) -> Axes:
    """Scores of the candidate numbers of clusters, and the one that was chosen.

    Parameters
    ----------
    {model}
        Its number of clusters was chosen (`n_clusters="auto"`).
    {ax}

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> from lsec import LSEC, plot
    >>> from lsec.datasets import make_smiling_face
    >>> X, y = make_smiling_face(500, random_state=0)
    >>> ax = plot.evidence(LSEC("auto", n_base=5, random_state=0).fit(X))
    """
    found = consensus_of(model).evidence
    if found is None:
        raise ValueError(
            "There is no evidence for a number of clusters that was given. Fit with "
            "n_clusters='auto'."
        )
    ax = axes_of(ax)
    ax.plot(found.candidates, found.scores, "o-", color=PALETTE[0], markersize=4)
    ax.axvline(found.best, color=PALETTE[4], linewidth=1, zorder=0)
    ax.set(
        title=f"{found.best} clusters",
        xlabel="number of clusters k",
        ylabel=MEANINGS[found.criterion],
    )
    plain(ax)
    return ax


@plot_docs
def timings(model: Any, *, ax: Axes | None = None) -> Axes:
    """Seconds of each stage of the fit.

    Parameters
    ----------
    model : fitted estimator
    {ax}

    Returns
    -------
    ax : Axes

    Examples
    --------
    >>> from lsec import LSEC, plot
    >>> from lsec.datasets import make_smiling_face
    >>> X, y = make_smiling_face(2000, random_state=0)
    >>> ax = plot.timings(LSEC(4, random_state=0).fit(X))
    """
    check_is_fitted(model, "timings_")
    stages, seconds = list(model.timings_), list(model.timings_.values())
    ax = axes_of(ax, height=1.2 + 0.35 * len(stages))
    bars = ax.barh(stages, seconds, color=PALETTE[0], height=0.7)
    ax.bar_label(bars, fmt="%.2g s", padding=3)
    ax.invert_yaxis()
    ax.margins(x=0.12)
    ax.set(title=f"{sum(seconds):.2g} s in all", xlabel="seconds")
    plain(ax)
    return ax
