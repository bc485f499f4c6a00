"""The pages of the reproduction: computed first, rendered second.

::

    OUT/*.csv.gz ──► results ─┐
    published/*.csv ► printed ┴─► sections of tables, charts and pictures ─┬─► html ─► report.html
                                  (targets, scores, growth, peers, ...)    └─► markdown ─► report.md

A section knows nothing of HTML or Markdown, a renderer nothing of clustering. RESULTS.md, the page
of our own studies, is made of the same tables. Charts are SVG and pictures PNG inside the page,
which needs no network.
"""
