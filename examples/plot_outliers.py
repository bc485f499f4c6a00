"""
Rows that belong nowhere
========================

By default every row gets a cluster. With ``noise``, the rows that the members agree least on are
labeled -1, as in DBSCAN and HDBSCAN.
"""

# %%
# Two bananas with 3 % of points anywhere around them. ``noise=0.05`` labels at most a twentieth of
# the rows -1.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import NearestNeighbors

from lsec import LSEC, plot
from lsec.datasets import make_two_bananas

rng = np.random.default_rng(0)
X, y = make_two_bananas(9_700, random_state=0)
low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
X = np.concatenate([X, rng.uniform(low, high, (300, 2)).astype(X.dtype)])
model = LSEC(n_clusters=2, noise=0.05, random_state=0).fit(X)
print(f"{(model.labels_ == -1).mean():.1%} of the rows are noise")

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.4), layout="constrained")
plot.map(model, X, color="confidence", ax=left)
plot.map(model, X, ax=right)

# %%
# Confidence is low between clusters and where they touch. It is not a density: a point far from all
# others, but much nearer to one cluster than to the other, is not in doubt. Where such points
# matter, find them by their density first, and cluster the others.

distance = NearestNeighbors(n_neighbors=10).fit(X).kneighbors(X)[0][:, -1]
dense = distance <= np.quantile(distance, 0.97)
model = LSEC(n_clusters=2, random_state=0).fit(X[dense])

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
plot.map(model, X[dense], ax=ax)
ax.scatter(*X[~dense].T, s=6, linewidths=0, color="tab:gray")
ax.set_title("gray: the 3 % with the least density")

# %%
# ``noise=("confidence", 0.8)`` marks all rows below a confidence instead of a share. New rows are
# treated like those of the fit.

strict = LSEC(n_clusters=2, noise=("confidence", 0.8), random_state=0).fit(X)
print(f"{(strict.labels_ == -1).mean():.1%} of the rows have a confidence below 0.8")
print(strict.predict(np.array([[0.5, 0.25], [0.0, 1.0]], dtype=X.dtype)))
