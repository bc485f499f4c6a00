"""Refinement: k-means over all rows, from the centers that k-means on a sample found."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from lsec.rows.frame import Frame
from lsec.spectral.ensemble import Ensemble, LandmarkSet
from lsec.spectral.sweep import Sweeper

CENTER_TOLERANCE = 1e-4  # centers of unit vectors that move less have settled


def refine(
    sweeper: Sweeper, frame: Frame, sets: dict[int, LandmarkSet], passes: int
) -> dict[int, LandmarkSet]:
    """Members of some landmark sets after passes of k-means over all rows.

    A set whose centers have settled takes no further part. That depends on nothing but the
    set, so sets may be refined in any groups.
    """
    refined, moving = dict(sets), list(sets)
    for number in range(passes):
        sums = _sums(sweeper, frame, {s: refined[s] for s in moving}, number)
        moved = {s: _centers(refined[s], sums[s]) for s in moving}
        moving = [s for s in moving if not _settled(refined[s], moved[s])]
        for s, centers in moved.items():
            refined[s] = _with_centers(refined[s], centers)
        if not moving:
            break
    return {s: replace(g, members=[m.settled() for m in g.members]) for s, g in refined.items()}


def _sums(
    sweeper: Sweeper, frame: Frame, sets: dict[int, LandmarkSet], number: int
) -> dict[int, dict[str, np.ndarray]]:
    """Sums of embeddings by label, and row counts, of each set in one pass."""

    def sweep(wanted: list[int]) -> dict[int, dict[str, np.ndarray]]:
        ensemble = Ensemble(frame, [sets[s] for s in wanted])
        total = iter(sweeper.total("centers", partial(_sums_of_block, ensemble)))
        return {
            s: {f"{kind}-{j}": next(total) for j in range(n) for kind in ("sums", "counts")}
            for s, n in ((s, len(sets[s].members)) for s in wanted)
        }

    return sweeper.checkpoint.remember_each({s: f"centers-{s}-{number}" for s in sets}, sweep)


def _sums_of_block(ensemble: Ensemble, sweeper: Sweeper, block: int) -> list[np.ndarray]:
    """Sums of the embeddings of a block by label, and row counts, member after member."""
    neighbors = ensemble.neighbors(sweeper, block)
    return [
        array
        for group, near in zip(ensemble.sets, neighbors, strict=True)
        for member in group.members
        for array in member.sums(near)
    ]


def _centers(group: LandmarkSet, sums: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Where the centers of each member go; those without rows stay."""
    out = []
    for j, member in enumerate(group.members):
        filled = sums[f"counts-{j}"] > 0
        centers = member.centers.copy()
        centers[filled] = sums[f"sums-{j}"][filled] / sums[f"counts-{j}"][filled, None]
        out.append(centers)
    return out


def _settled(group: LandmarkSet, moved: list[np.ndarray]) -> bool:
    pairs = zip(group.members, moved, strict=True)
    return all(np.abs(centers - m.centers).max() <= CENTER_TOLERANCE for m, centers in pairs)


def _with_centers(group: LandmarkSet, centers: list[np.ndarray]) -> LandmarkSet:
    pairs = zip(group.members, centers, strict=True)
    return replace(group, members=[member.with_centers(c) for member, c in pairs])
