"""The result pages of ``lsec bench paper``: computed first, rendered second.

::

    OUT/cells/*.json ─► cells ─┐
    OUT/plan.json ─────► plan ─┼─► sections of tables, charts and pictures ─┬─► report.html
    published/*.csv ─► printed ┘   (targets, scores, growth, peers, ...)    └─► report.md

A section knows nothing of HTML or Markdown, a renderer nothing of clustering. The charts are SVG
and the pictures PNG, both written here, so that the pages need no other package and no network.
"""
