"""
Layers: coarser and finer clusters of one fit
=============================================

A consensus has a merge tree. ``labels_at(k)`` cuts it into any number of clusters without another
fit, and finer clusters always divide coarser ones.
"""

# %%
# A flower of thirteen clusters, cut into seven, thirteen and thirty.

import matplotlib.pyplot as plt
import numpy as np

from lsec import LSEC, plot
from lsec.colors import cluster_colors
from lsec.datasets import make_flower

X, y = make_flower(30_000, random_state=0)
model = LSEC(n_clusters=13, random_state=0).fit(X)

figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for ax, k in zip(axes, (7, 13, 30), strict=True):
    ax.scatter(*X.T, c=np.array(cluster_colors(k))[model.labels_at(k)], s=0.5, linewidths=0)
    ax.set_title(f"{k} clusters")
    ax.axis("off")

# %%
# How clusters split from left to right. A cluster is as high as its share of the rows.

plot.layers(model, [2, 4, 7, 13, 20, 30])

# %%
# The merge tree itself. ``model.tree_.linkage`` is a SciPy linkage matrix.

plot.dendrogram(model)

# %%
# New rows get labels of any layer as well; at the number of clusters of the fit they are those of
# ``predict``.

new, _ = make_flower(1_000, random_state=1)
print((model.labels_at(13, new) == model.predict(new)).all())
