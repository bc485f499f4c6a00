"""Benchmarks of lsec: time, peak memory and quality, measured together and held to targets.

::

    harness/    the measured process, its tasks, data sets, machine, records
       │
       ├─ studies/   studies of ours ────► results/NAME.csv.gz ────────┐
       └─ paper/     the paper's own ────► results/paper/STUDY.csv.gz ─┤
                                                                       ▼
                     pages/    tables, charts, Markdown and HTML ─► RESULTS.md, report.html

Run ``python -m benchmarks --help`` in the root of the repository.
"""
