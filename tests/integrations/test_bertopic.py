"""BERTopic takes an LSEC in place of HDBSCAN."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lsec import LSEC

pytest.importorskip("hdbscan")  # without it, BERTopic predicts no new documents
bertopic = pytest.importorskip("bertopic")
WORDS = (
    ["sun", "rain", "wind", "cloud", "storm", "snow"],
    ["goal", "team", "match", "coach", "player", "league"],
    ["bread", "cheese", "soup", "apple", "salad", "butter"],
)


@pytest.fixture(scope="module")
def documents():
    """Documents of three topics, their embeddings and their topics."""
    rng = np.random.default_rng(0)
    topics = np.repeat([0, 1, 2], 120)
    texts = [" ".join(rng.choice(WORDS[topic], 8)) for topic in topics]
    return texts, np.eye(3)[topics] + 0.05 * rng.normal(size=(360, 3)), topics


@pytest.fixture(scope="module")
def fitted(documents):
    from bertopic.dimensionality import BaseDimensionalityReduction

    texts, embeddings, _ = documents
    model = bertopic.BERTopic(
        hdbscan_model=LSEC(3, n_base=8, noise=0.05, random_state=0),
        umap_model=BaseDimensionalityReduction(),
        embedding_model=None,
    )
    found = model.fit_transform(texts, embeddings)
    return model, *found


def test_topics_are_the_clusters(documents, fitted):
    _, embeddings, truth = documents
    model, topics, probabilities = fitted
    clusters = model.hdbscan_model
    labels = LSEC(3, n_base=8, noise=0.05, random_state=0).fit_predict(embeddings)
    assert_array_equal(np.array(topics) < 0, labels < 0)
    for topic in (0, 1, 2):
        rows = np.array(topics) == topic
        assert len(set(truth[rows].tolist())) == 1
        words = {word for word, _ in model.get_topic(topic) if word}
        assert words <= set(WORDS[truth[rows][0]])
    assert_allclose(probabilities, clusters.probabilities_)


def test_new_documents_are_predicted(documents, fitted):
    texts, embeddings, truth = documents
    model, topics, _ = fitted
    new, _ = model.transform(texts[::10], embeddings[::10])
    assert_array_equal(new, np.array(topics)[::10])
    assert len(set(truth[::10].tolist())) == 3
