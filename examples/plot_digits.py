"""
Handwritten digits, and how sure the ensemble is
================================================

Every row has a confidence: how strongly the members of the ensemble agree with its label. Rows of
low confidence are those that a person would look at.
"""

# %%
# PenDigits are 10,992 digits written on a tablet. A row holds eight points along the pen, so that
# it can be drawn.

import matplotlib.pyplot as plt
import numpy as np

from lsec import LSEC, plot
from lsec.datasets import load_pendigits
from lsec.metrics import clustering_accuracy, normalized_mutual_information

X, y = load_pendigits(return_X_y=True)
model = LSEC(n_clusters=10, random_state=0).fit(X)
print(f"clustering accuracy (ACC)           {clustering_accuracy(y, model.labels_):.3f}")
print(f"normalized mutual information (NMI) {normalized_mutual_information(y, model.labels_):.3f}")

# %%
# The most typical digits of every cluster, chosen by ``typical_rows``, and the least certain ones.
# The dot is where the pen starts.


def draw(ax, row, color):
    """The line of the pen."""
    x, height = row.reshape(8, 2).T
    ax.plot(x, height, color=color, linewidth=2)
    ax.plot(x[0], height[0], "o", color=color, markersize=4)
    ax.set(xlim=(-10, 110), ylim=(-10, 110), aspect="equal")
    ax.axis("off")


figure, axes = plt.subplots(6, 10, figsize=(9, 6), layout="constrained")
for cluster, typical in enumerate(model.typical_rows(3)):
    in_cluster = np.flatnonzero(model.labels_ == cluster)
    unsure = in_cluster[np.argsort(model.confidence_[in_cluster], kind="stable")[:3]]
    for ax, row in zip(axes[:, cluster], [*typical, *unsure], strict=True):
        draw(ax, X[row], "tab:blue" if ax in axes[:3] else "tab:orange")
    axes[0, cluster].set_title(str(cluster))
figure.suptitle("Clusters 0 to 9: typical digits (blue) and the least certain (orange)")

# %%
# Confidence is no probability, but it orders the rows: labels that all members agree on are nearly
# always right. Digits count as right if they belong to the most frequent class of their cluster.

majority = np.array([np.bincount(y[model.labels_ == c]).argmax() for c in range(10)])
right = majority[model.labels_] == y
parts = np.array_split(np.argsort(model.confidence_, kind="stable"), 10)

figure, ax = plt.subplots(layout="constrained")
ax.bar(range(1, 11), [right[part].mean() for part in parts])
ax.set_xticks(range(1, 11))
ax.set(xlabel="tenth of the rows, from least to most certain", ylabel="share of right labels")

# %%
# By cluster: the median, the middle half and the middle nine tenths of the rows.

plot.confidence(model)
