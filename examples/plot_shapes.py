"""
Shapes that k-means cannot find
===============================

k-means separates clusters by straight lines. LSEC follows the shape of the data.
"""

# %%
# A flower of thirteen clusters: petals, leaves and rings of 50,000 points. Both methods know the
# number of clusters.

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans

from lsec import LSEC, plot
from lsec.datasets import make_flower
from lsec.metrics import clustering_accuracy

X, y = make_flower(50_000, random_state=0)
model = LSEC(n_clusters=13, random_state=0).fit(X)
kmeans = KMeans(n_clusters=13, n_init=3, random_state=0).fit(X)

# %%
# The accuracy is the share of points in the right cluster, under the best matching of clusters and
# classes.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5))
left.scatter(*X.T, c=kmeans.labels_, s=0.5, cmap="tab20")
left.set_title(f"k-means: {clustering_accuracy(y, kmeans.labels_):.1%}")
plot.map(model, X, ax=right)
right.set_title(f"LSEC: {clustering_accuracy(y, model.labels_):.1%}")
figure.tight_layout()
