"""The experiments of the LSEC paper: ``python -m benchmarks paper``.

::

    groups/GROUP.toml ─► plan ─► cell ─► runner ─► store ─► OUT/STUDY.csv.gz
                                            │
                            supplies ◄──────┤ data sets and k-means ensembles, shared
                                            ▼
                         harness.process ─► harness.tasks ─► estimators, consensus functions, peers

Studies are data: their data sets, methods, seeds and values. A cell is one method with one seed
on one data set. Every cell gets a record, also one that was refused, failed, took too long, or
lacks a package or a data set.
"""

GROUPS = ("smoke", "small", "full")
STUDIES = ("table", "members", "reuse", "discretization", "growth", "peers")
