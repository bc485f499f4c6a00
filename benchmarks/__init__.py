"""Benchmarks of lsec: time, peak memory and quality, measured together and held to targets.

::

    harness/    the measured process, its tasks, data sets, machine, records
       │
       ├─ studies/   studies of ours ──────────► results/NAME.csv.gz ────────► RESULTS.md
       └─ paper/     the LSEC paper's ones ────► results/paper/STUDY.csv.gz ─► report.html, report.md
                                                                    │
                     pages/    tables, charts, Markdown and HTML ◄──┘

Run ``python -m benchmarks --help`` in the root of the repository.
"""
