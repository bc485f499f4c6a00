"""Consensus functions on published pools.

Pools released with LWEA/LWGP (`lw_*`) and PTA/PTGP (`pt_*`): 10 base clusterings are drawn at
random, 20 times; the number of clusters is that of the classes; NMI by the maximum. Printed means
are over 100 draws. EAC, LWEA, LWGP, PTA and PTGP are judged: within 0.02 of print. KCC and SEC are
not: their printed settings are unknown. `bipartite` stands beside the printed HBGF, which cuts the
same graph otherwise; `linkage` has no printed value.
"""

from __future__ import annotations

from statistics import mean, stdev

from benchmarks.harness import study_tasks
from benchmarks.harness.process import measure
from benchmarks.pages.table import Table, Verdict
from benchmarks.paper.printed import pools
from benchmarks.studies.figures import absence, at_most, table
from benchmarks.studies.study import Cells, NotLoaded, Session

N_DRAWS, N_MEMBERS = 20, 10
TOLERANCE = 0.02
JUDGED = ("eac", "lwea", "lwgp", "pta", "ptgp")
ALSO = ("bipartite", "linkage")
RESUMABLE = True


def run(session: Session) -> None:
    for name in session.plan.pick(list(pools()), ["lw_vs"]):
        with session.attempt(name):
            session.cell(f"{name}/0", lambda name=name: draw(session, name))


def draw(session: Session, name: str) -> dict:
    methods = functions(name)
    draws = session.plan.pick(N_DRAWS, 2)
    asked = {"name": name, "methods": methods, "n_draws": draws, "n_members": N_MEMBERS}
    done = measure(study_tasks.pool, **asked)
    if "not_run" in done.result:
        raise NotLoaded(done.result["not_run"])
    return done.record()


def functions(name: str) -> list[str]:
    """The functions that are run on a pool: those with a printed value, and ours."""
    return list(dict.fromkeys([*pools()[name], *ALSO]))


def tables(cells: Cells) -> list[Table]:
    columns = ("pool", "function", "NMI (max)", "printed", "difference", "verdict")
    rows = [row for name in pools() for row in pool_rows(cells, name)]
    return [
        table("Mean of 20 draws of 10 base clusterings, true number of clusters", columns, rows)
    ]


def pool_rows(cells: Cells, name: str) -> list[tuple]:
    cell = cells.get(f"{name}/0")
    if cell is None:
        return [(name, absence(cells, name), "-", "-", "-", "-")]
    rows = []
    for method in functions(name):
        scores = cell["nmi_max"][method]
        found = mean(scores)
        spread = f" ± {stdev(scores):.3f}" if len(scores) > 1 else ""
        printed = pools()[name].get(method)
        if printed is None:
            rows.append((name, method, f"{found:.3f}{spread}", "-", "-", "-"))
            continue
        gap = round(found, 3) - printed
        judged = at_most(abs(gap), TOLERANCE + 1e-9) if method in JUDGED else Verdict.NOT_JUDGED
        rows.append((name, method, f"{found:.3f}{spread}", f"{printed:.3f}", f"{gap:+.3f}", judged))
    return rows
