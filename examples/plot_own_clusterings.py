"""
Combining your own clusterings
==============================

``lsec.consensus`` needs labels only. They may come from any program, and some may be missing.
"""

# %%
# Twenty k-means clusterings, each with another number of clusters, of two bananas that no k-means
# clustering can separate. Every column of the label matrix is one clustering.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans

from lsec import consensus, plot
from lsec.colors import cluster_colors
from lsec.datasets import make_two_bananas
from lsec.metrics import clustering_accuracy

X, y = make_two_bananas(5_000, random_state=0)
base = np.column_stack([KMeans(k, n_init=1, random_state=k).fit_predict(X) for k in range(20, 40)])
result = consensus(base, n_clusters=2, method="lwgp", random_state=0, full_output=True)
kmeans = KMeans(2, n_init=10, random_state=0).fit_predict(X)

figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharex=True, sharey=True)
shown = {
    "one of the members: 20 clusters": base[:, 0],
    f"k-means with 2 clusters: {clustering_accuracy(y, kmeans):.1%} right": kmeans,
    f"consensus of all members: {clustering_accuracy(y, result.labels):.1%} right": result.labels,
}
for ax, (title, labels) in zip(axes, shown.items(), strict=True):
    ax.scatter(*X.T, c=np.array(cluster_colors(20))[labels], s=3, linewidths=0)
    ax.set_title(title)

# %%
# Missing labels are negative or NaN, for example of a clustering that was fitted to a sample. They
# count neither for nor against: here a third of all labels is removed at random.

rng = np.random.default_rng(0)
gappy = np.where(rng.random(base.shape) < 1 / 3, -1, base)
print(f"{clustering_accuracy(y, consensus(gappy, 2, 'lwgp', random_state=0)):.1%} right")

# %%
# Rows that all clusterings label alike form a micro-cluster, so that the cost does not depend on
# the number of rows. The picture shows how often the members put two rows together, in the order of
# the merge tree; it is exact for any number of rows.

print(f"{len(X)} rows, {len(result.micro)} micro-clusters")
plot.coassociation(result)

# %%
# All nine consensus functions accept the same label matrix.

methods = ("linkage", "bipartite", "lwgp", "lwea", "eac", "ptgp", "pta", "kcc", "sec")
for method in methods:
    labels = consensus(result.micro, 2, method, random_state=0)
    print(f"{method:<10} {clustering_accuracy(y, labels):.1%}")
