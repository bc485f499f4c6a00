"""Model files: `model.save("m.lsec")` and `lsec.load("m.lsec")`.

A model file is a zip archive of `model.json` and one `.npy` member per array. It holds what
`predict` needs and nothing per row. Reading runs no code from the file: every value is checked
against what its place allows, since the compiled kernels trust the tables they are given.

::

    archive  ─►  members (zip, bytes)  ─►  npy (one array)
       └──────►  fitted (per estimator)  ─►  landmark_records, consensus_records  ─►  fields
       └──────►  parameters
"""
