"""A page to explore a fitted model: one file that a browser opens from disk, without a network.

::

    exploration    what the page shows: drawn rows, their groups in the merge tree, features, cards
    document       the exploration as one HTML file
    page/          its parts: layout, style and program, without any library

A row belongs to a group of the merge tree; the page merges groups to the clusters of any layer, as
`labels_at` does. So all that changes with the number of clusters is a table of groups.
"""
