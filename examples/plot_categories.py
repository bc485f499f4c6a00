"""
A table with categories
=======================

A categorical column is a clustering already: rows of the same category are together. With
``categorical_features``, such columns vote in the consensus beside the members, which are fitted to
the numeric columns, and a missing value abstains.
"""

# %%
# A made-up table of customers in six groups. Two numeric columns tell three places apart, and in
# each place there are two kinds of customers, who answer six questions differently. A fifth of the
# answers is missing.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lsec import LSEC, plot
from lsec.metrics import align_labels, clustering_accuracy

rng = np.random.default_rng(0)
n_rows, n_questions = 6_000, 6
place, kind = rng.integers(0, 3, n_rows), rng.integers(0, 2, n_rows)
group = 2 * place + kind
numeric = np.array([[0, 0], [5, 0], [2.5, 4]])[place] + rng.normal(size=(n_rows, 2))
by_chance = rng.integers(0, 3, (n_rows, n_questions))
answers = np.where(rng.random(by_chance.shape) < 0.8, kind[:, None], by_chance)
words = np.array(["yes", "no", "perhaps"], dtype=object)[answers]
words[rng.random(words.shape) < 0.2] = None

table = pd.DataFrame(numeric, columns=["east", "north"])
table[[f"question {i}" for i in range(1, n_questions + 1)]] = words
print(table.head())

# %%
# ``"from_dtype"`` takes the columns of words. Without them, groups of the same place cannot be told
# apart.

places = LSEC(n_clusters=6, random_state=0).fit_predict(table[["east", "north"]])
model = LSEC(n_clusters=6, categorical_features="from_dtype", random_state=0).fit(table)

print(f"numeric columns: {clustering_accuracy(group, places):.1%} in the right group")
print(f"all columns:     {clustering_accuracy(group, model.labels_):.1%}")

# %%
# Groups of the same place lie upon each other: only the answers tell them apart.

figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharex=True, sharey=True)
found = {"the groups": group, "numeric columns": places, "all columns": model.labels_}
for ax, (title, labels) in zip(axes, found.items(), strict=True):
    shown = align_labels(labels, group)  # the numbers, and so the colors, of the groups
    ax.scatter(*numeric.T, c=shown, s=3, linewidths=0, cmap="Paired", vmin=0, vmax=11)
    ax.set_title(title)

# %%
# What tells the clusters apart: every answer is a feature of its own.

plot.profiles(model, table)

# %%
# The agreement of every two votes: first the members, then the questions, each as often as it
# counts (``categorical_weight``).

plot.members(model)
