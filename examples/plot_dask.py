"""
Rows on a Dask cluster
======================

Dask arrays and data frames are fitted where their chunks are. The labels are the same, bit for bit,
as those of the same rows in memory.
"""

# %%
# A cluster of two workers in this process; ``Client("tcp://...")`` connects to a real one. The
# example needs the extra ``dask``.

import dask.array as da
import matplotlib.pyplot as plt
from dask.distributed import Client

from lsec import LSEC, plot
from lsec.datasets import make_concentric_circles

client = Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None)

# %%
# Half a million rows in ten chunks. Chunks stay on their workers; only sums and samples travel.

in_memory, _ = make_concentric_circles(500_000, random_state=0)
X = da.from_array(in_memory, chunks=(50_000, 2))
model = LSEC(n_clusters=3, n_landmarks=500, random_state=0).fit(X)
print(model.labels_)

# %%
# The labels are a Dask array with the chunks of the rows. The same fit without Dask gives the same
# labels.

labels = model.labels_.compute()
local = LSEC(n_clusters=3, n_landmarks=500, random_state=0).fit(in_memory)
print("same labels:", (labels == local.labels_).all())
client.close()

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
plot.map(local, in_memory, ax=left)
plot.timings(local, ax=right)
