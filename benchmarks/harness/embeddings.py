"""Made-up embeddings and documents, with known clusters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

BLOCK_ROWS = 2**14
ZIPF_OFFSET = 10.0
TOPIC_WORDS, TOPIC_FACTOR = 0.01, 15.0  # share of the words of a topic, and how much likelier
MEAN_LENGTH = 80.0  # words of a document


def make_unit_clusters(
    n_samples: int,
    n_features: int,
    n_clusters: int,
    length: float,
    decay: float,
    random_state: int,
    out: Path,
) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors around Gaussian centers, written block by block.

    Variances of both noise and centers fall off by a power of the number of the column, so that
    no few directions hold most of the variance.

    Parameters
    ----------
    length : float
        Length of the centers relative to that of the noise.
    decay : float
        The power; 0 for noise that is the same in all directions.
    out : path
        The .npy file to write.

    Returns
    -------
    X : float32 (n_samples, n_features)
        Mapped to the file.
    y : int32 (n_samples,)
    """
    rng = np.random.default_rng(random_state)
    variances = np.arange(1, n_features + 1) ** -decay
    deviations = np.sqrt(variances / variances.sum()).astype(np.float32)
    shape = n_clusters, n_features
    centers = length * deviations * rng.standard_normal(shape, np.float32)
    y = rng.integers(0, n_clusters, n_samples, dtype=np.int32)
    X = np.lib.format.open_memmap(out, "w+", np.float32, (n_samples, n_features))
    for low in range(0, n_samples, BLOCK_ROWS):
        of_rows = centers[y[low : low + BLOCK_ROWS]]
        rows = of_rows + deviations * rng.standard_normal(of_rows.shape, np.float32)
        X[low : low + BLOCK_ROWS] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return X, y


def make_documents(
    n_samples: int, n_words: int, n_topics: int, random_state: int
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """TF-IDF of documents of Zipf-distributed words; a topic makes some words likelier.

    Returns
    -------
    X : float64 CSR (n_samples, n_words)
        Rows of length one.
    y : int64 (n_samples,)
    """
    from sklearn.feature_extraction.text import TfidfTransformer

    rng = np.random.default_rng(random_state)
    likely = 1 / (np.arange(n_words) + ZIPF_OFFSET)
    y = np.arange(n_samples) % n_topics
    lengths = 1 + rng.poisson(rng.gamma(4.0, MEAN_LENGTH / 4.0, n_samples))
    words = np.empty(lengths.sum(), np.int64)
    of_word = np.repeat(np.arange(n_samples), lengths)
    for topic in range(n_topics):
        own = likely.copy()
        own[rng.choice(n_words, round(TOPIC_WORDS * n_words), replace=False)] *= TOPIC_FACTOR
        of_topic = y[of_word] == topic
        words[of_topic] = rng.choice(n_words, np.count_nonzero(of_topic), p=own / own.sum())
    counts = sparse.csr_matrix((np.ones(len(words)), (of_word, words)), (n_samples, n_words))
    return TfidfTransformer().fit_transform(counts), y
