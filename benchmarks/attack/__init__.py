"""A campaign against lsec: hostile files, extreme rows, faults and load, in numbered cases.

::

    areas       what is attacked, how often, and under which limits
    supervise   a process for every portion, under caps of time and memory ─► Tally
    worker      that process: prepares an area, then runs its cases one after the other
    models, rows, files, faults, load, soak, numbers, fuzz      the areas

A case is a number: with the seed of the campaign it draws the same input on every machine. It ends
as `WORKED` or `REFUSED` (by an error of ours), or it breaks a promise: the process died or hung,
an error came from elsewhere, or `Broken` says what was wrong.
"""
