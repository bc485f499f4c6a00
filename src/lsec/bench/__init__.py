"""The experiments of the LSEC paper: ``lsec bench paper``.

::

    studies/GROUP.toml ─► plan ─► cell ─► runner ─► store ─► OUT/cells/KEY.json
                                            │
                            supplies ◄──────┤ data sets and k-means ensembles, shared
                                            ▼
           process ─► nursery ─► copier ─► child ─► tasks ─► estimators, peers
           one process per run, the copy of one that has loaded lsec, or a fresh one for peers:
           time, CPU time, peak memory, scores

Studies are data: which data sets, methods, seeds and values. A cell is one method with one seed
on one data set. Every cell gets a record, also where it was refused, failed, took too long, or
where a package or a data set is missing (`outcome`).
"""

GROUPS = ("smoke", "small", "full")
STUDIES = ("table", "members", "reuse", "discretization", "growth", "peers")
