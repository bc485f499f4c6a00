"""
How many clusters?
==================

``n_clusters="auto"`` estimates the number of clusters from the ensemble. It is a hint, not an
answer: ``evidence_`` has the scores of all candidates, and the pictures below show what they rest
on.
"""

# %%
# Eleven clusters: two circles with nine clouds of points in and between them. The estimate is a
# score for every candidate; the largest one wins.

import matplotlib.pyplot as plt
import numpy as np

from lsec import LSEC, EnsembleClustering, plot
from lsec.datasets import make_circles_gaussians

X, y = make_circles_gaussians(20_000, random_state=0)
model = LSEC(n_clusters="auto", random_state=0).fit(X)
best = np.argsort(-model.evidence_.scores)[:4]
print(f"estimate: {model.n_clusters_}; the best four: {model.evidence_.candidates[best].tolist()}")

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
plot.evidence(model, ax=left)
plot.map(model, X, ax=right)

# %%
# A second opinion is the consensus CDF (Monti et al., 2003). A number of clusters that exists is
# stable: members with as many clusters put two rows together either always or never, and the curve
# is flat in the middle. The members here are spectral clusterings of six clouds of points: the
# curve of k = 6 is flat, and the area hardly grows beyond it.

rng = np.random.default_rng(0)
angle = np.arange(6) * np.pi / 3
centers = np.column_stack([np.cos(angle), np.sin(angle)]) * np.array([[4], [5], [4], [5], [4], [5]])
clouds = centers[rng.integers(0, 6, 5_000)] + 0.7 * rng.normal(size=(5_000, 2))
models = [
    EnsembleClustering(k, generator="dncsc", base_clusters=(k, k), random_state=0).fit(clouds)
    for k in range(3, 9)
]

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
left.scatter(*clouds.T, s=2, linewidths=0)
plot.cdf(models, ax=right)

# %%
# If the number matters, compare several fits with different seeds. If it does not, ``labels_at``
# gives any number of clusters from a single fit, see :ref:`sphx_glr_gallery_plot_layers.py`.
