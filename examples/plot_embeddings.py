"""
Embeddings with cosine
======================

Embeddings of texts or images are long vectors whose direction carries the meaning. With
``metric="cosine"`` their length does not matter.
"""

# %%
# Made-up embeddings: 5,000 rows of 256 numbers in twenty topics. Topics differ in direction only.
# The length of a row says nothing, and varies the more, the larger ``spread`` is.

import matplotlib.pyplot as plt
import numpy as np

from lsec import LSEC, plot
from lsec.metrics import clustering_accuracy

rng = np.random.default_rng(0)
n_topics, n_rows, n_features = 20, 5_000, 256
topic = rng.integers(0, n_topics, n_rows)
rows = rng.normal(size=(n_topics, n_features))[topic] + 2 * rng.normal(size=(n_rows, n_features))
directions = rows / np.linalg.norm(rows, axis=1, keepdims=True)


def embeddings(spread):
    """Rows of the same directions with random lengths."""
    return (directions * rng.lognormal(0, spread, (n_rows, 1))).astype(np.float32)


# %%
# Rows of more than 64 features are projected to their principal directions, so that wide rows cost
# little more than narrow ones.

spreads = (0, 0.5, 1, 1.5)
accuracy = {"euclidean": [], "cosine": []}
for spread in spreads:
    X = embeddings(spread)
    for metric, found in accuracy.items():
        model = LSEC(n_clusters=n_topics, metric=metric, n_base=10, random_state=0).fit(X)
        found.append(clustering_accuracy(topic, model.labels_))

figure, ax = plt.subplots(layout="constrained")
for metric, found in accuracy.items():
    ax.plot(spreads, found, "o-", label=metric)
ax.set(xlabel="spread of the lengths (standard deviation of their logarithm)", ylabel="accuracy")
ax.set_ylim(0, 1.03)
ax.legend(frameon=False)

# %%
# How often the members put two rows together, in the order of the merge tree: twenty blocks.

plot.coassociation(model)
