"""
What tells clusters apart
=========================

After the clusters comes the question what they are. ``lsec.plot.profiles`` shows the features in
which each cluster differs from all rows.
"""

# %%
# Measurements of 569 tumors, thirty features of different units. They are standardized first: LSEC
# never scales features by itself.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from lsec import LSEC, plot
from lsec.metrics import clustering_accuracy

X, diagnosis = load_breast_cancer(return_X_y=True, as_frame=True)
X = StandardScaler().set_output(transform="pandas").fit_transform(X)
model = LSEC(n_clusters=2, random_state=0).fit(X)
accuracy = clustering_accuracy(diagnosis, model.labels_)
print(f"{accuracy:.1%} of the tumors are in the cluster of their diagnosis")

# %%
# The mean of every feature in every cluster, in standard deviations from the mean of all rows.

figure, ax = plt.subplots(figsize=(10, 4), layout="constrained")
plot.profiles(model, X, ax=ax)

# %%
# The tumors in two principal directions, by cluster and by confidence.

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained")
plot.map(model, X, ax=left)
plot.map(model, X, color="confidence", ax=right)

# %%
# With few rows the result depends on chance: compare several seeds.

for seed in range(5):
    labels = LSEC(n_clusters=2, random_state=seed).fit_predict(X)
    print(f"seed {seed}: {clustering_accuracy(diagnosis, labels):.1%}")
