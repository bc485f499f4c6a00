"""
A table with categories
=======================

A categorical column is a clustering already: rows of the same category are together. So it can vote
in a consensus, beside clusters of the numeric columns, and a missing value abstains.
"""

# %%
# A made-up table of customers in six groups. Two numeric columns tell three places apart, and in
# each place there are two kinds of customers, who answer six questions differently. A fifth of the
# answers is missing.

import matplotlib.pyplot as plt
import numpy as np

from lsec import LSEC, consensus, plot
from lsec.metrics import clustering_accuracy

rng = np.random.default_rng(0)
n_rows, n_questions = 6_000, 6
place, kind = rng.integers(0, 3, n_rows), rng.integers(0, 2, n_rows)
group = 2 * place + kind
numeric = np.array([[0, 0], [5, 0], [2.5, 4]])[place] + rng.normal(size=(n_rows, 2))
by_chance = rng.integers(0, 3, (n_rows, n_questions))
answers = np.where(rng.random(by_chance.shape) < 0.8, kind[:, None], by_chance)
answers[rng.random(answers.shape) < 0.2] = -1  # missing

# %%
# The clusters of the numeric columns are one more column of the label matrix. It is repeated: a
# column that stands there three times has three votes. For base clusterings with about as many
# clusters as the result, the function ``"kcc"`` suits better than the default.

places = LSEC(n_clusters=3, random_state=0).fit_predict(numeric)
votes = np.column_stack([places, places, places, answers])
joined = consensus(votes, 6, "kcc", random_state=0, full_output=True)

print(f"numeric columns: {clustering_accuracy(group, places):.1%} in the right group")
print(f"all columns:     {clustering_accuracy(group, joined.labels):.1%}")

# %%
# Groups of the same place lie upon each other: only the answers tell them apart.

figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharex=True, sharey=True)
found = {"the groups": group, "numeric columns": places, "all columns": joined.labels}
for ax, (title, labels) in zip(axes, found.items(), strict=True):
    ax.scatter(*numeric.T, c=labels, s=3, linewidths=0, cmap="Paired", vmin=0, vmax=11)
    ax.set_title(title)

# %%
# The agreement of every two votes: three times the place, then six questions.

plot.members(joined)
