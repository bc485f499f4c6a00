"""
Text from sparse TF-IDF
=======================

Documents as sparse rows of word weights, compared by their direction (``metric="cosine"``). A dense
copy of all rows never exists.
"""

# %%
# The documents are the docstrings of SciPy's functions and classes, and their topics the
# subpackages, so that the example needs no download.

import importlib
import inspect

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from lsec import LSEC
from lsec.metrics import contingency_table, normalized_mutual_information

packages = ["fft", "linalg", "ndimage", "optimize", "signal", "sparse", "special", "stats"]
texts, topics, names = [], [], []
for topic, package in enumerate(packages):
    module = importlib.import_module(f"scipy.{package}")
    for name in module.__all__:
        text = inspect.getdoc(getattr(module, name)) or ""
        if len(text) > 400:
            texts.append(text)
            topics.append(topic)
            names.append(name)
topics = np.array(topics)

vectorizer = TfidfVectorizer(
    min_df=5, max_df=0.3, stop_words="english", sublinear_tf=True, token_pattern=r"[a-z]{3,}"
)
X = vectorizer.fit_transform(texts)
print(f"{X.shape[0]} documents, {X.shape[1]} words, {X.nnz / X.shape[0] / X.shape[1]:.1%} not zero")

# %%
# Small topics are close to each other among so few documents. Here the consensus function
# ``"lwgp"``, which trusts base clusters that others confirm, agrees better with the subpackages
# than the default.

model = LSEC(n_clusters=12, metric="cosine", consensus="lwgp", n_base=40, random_state=0).fit(X)
print(f"NMI with the subpackages {normalized_mutual_information(topics, model.labels_):.2f}")

# %%
# Clusters and subpackages. Clusters are named after the words with the largest mean weight.

words = vectorizer.get_feature_names_out()
table = contingency_table(topics, model.labels_)
titles = []
for cluster in range(model.n_clusters_):
    weights = np.asarray(X[model.labels_ == cluster].mean(axis=0)).ravel()
    titles.append(", ".join(words[np.argsort(-weights)[:4]]))

order = np.argsort(table.argmax(axis=0), kind="stable")
figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
ax.imshow(np.sqrt(table[:, order].T), cmap="Blues", aspect="auto")
for row, cluster in enumerate(order):
    for column, count in enumerate(table[:, cluster]):
        if count:
            shade = "white" if count > table.max() / 3 else "black"
            ax.text(column, row, str(count), ha="center", va="center", color=shade)
ax.set_xticks(range(len(packages)), packages, rotation=30, ha="right")
ax.set_yticks(range(model.n_clusters_), [titles[cluster] for cluster in order])
ax.set_xlabel("subpackage of SciPy")

# %%
# The most typical documents of every cluster.

for cluster, rows in enumerate(model.typical_rows(5)):
    print(f"{titles[cluster]}: {', '.join(names[row] for row in rows)}")
