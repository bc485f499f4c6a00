"""
A file larger than memory
=========================

``fit`` takes the path of a file and reads it block by block; labels go to another file. Memory does
not grow with the number of rows.
"""

# %%
# Two million rows are written to a file. With ``n_samples=1_000_000_000`` the same lines write and
# cluster eight gigabytes.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from lsec import LSEC, load, plot
from lsec.datasets import make_flower

folder = Path(tempfile.mkdtemp())
make_flower(2_000_000, random_state=0, out=folder / "rows.npy")

# %%
# ``labels_out`` is the file of the labels, ``memory_limit`` bounds the workspace of the fit, and
# ``checkpoint`` names a folder in which finished stages are kept, so that an interrupted fit
# continues.

model = LSEC(n_clusters=13, random_state=0, memory_limit="256MiB")
model.fit(folder / "rows.npy", labels_out=folder / "labels.npy", checkpoint=folder / "stages")

labels = np.load(folder / "labels.npy", mmap_mode="r")
print(labels.shape, np.bincount(labels).tolist())

# %%
# Where the time goes, and the rows with their clusters: more than 20,000 rows are counted in
# pixels.

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
plot.timings(model, ax=left)
plot.map(model, folder / "rows.npy", ax=right)

# %%
# A model file holds all that ``predict`` needs, and no pickle.

model.save(folder / "flower.lsec")
make_flower(100_000, random_state=1, out=folder / "new.npy")
new_labels = load(folder / "flower.lsec").predict(folder / "new.npy")
print(f"{(folder / 'flower.lsec').stat().st_size / 1e6:.1f} MB", new_labels[:10])
