"""Model files: `model.save("m.lsec")` and `lsec.load("m.lsec")`.

A model file is a zip archive of `model.json` and one `.npy` entry per array. It holds what
`predict` needs and nothing per row. Reading runs no code from the file: every value is checked
against its allowed range, because compiled kernels trust the tables that they are given.

::

    persistence  ─►  archive    zip and .npy
                 ─►  agreement  parameters against fitted attributes
                 ─►  fitted     attributes of each estimator
                       └─►  records (ensembles, consensus)  ─►  fields
"""
