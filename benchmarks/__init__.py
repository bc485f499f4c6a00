"""Benchmarks of lsec: time, peak memory and quality, measured together and held to targets.

::

    studies/NAME ─► session ─► measure ─► child ─► tasks      one fresh process per run
                       │
                       ▼
                     store  ─► results/NAME.json              raw numbers, one file per study
                                    │
    studies/NAME.tables ◄───────────┘
           │
           ▼
        report ─► RESULTS.md                                  tables with targets and verdicts

Run ``python -m benchmarks --help`` in the root of the repository.
"""
