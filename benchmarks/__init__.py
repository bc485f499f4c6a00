"""Benchmarks of lsec: time, peak memory and quality, measured together and held to targets.

::

    studies/NAME ─► session ─► measure ─► tasks               one fresh process per run
                       │
                       ▼
                     store  ─► results/NAME.json              raw numbers, one file per study
                                    │
    studies/NAME.tables ◄───────────┘
           │
           ▼
        report ─► RESULTS.md                                  tables with targets and verdicts

The measured process, the data sets and the warm-up are those of `lsec.bench`. Run
``python -m benchmarks --help`` in the root of the repository.
"""
