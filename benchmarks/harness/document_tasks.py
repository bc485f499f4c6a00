"""The task that clusters documents: sparse rows, a model file and labels for rows."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.harness.embeddings import make_documents
from benchmarks.harness.tasks import agreement, build

if TYPE_CHECKING:
    from benchmarks.harness.process import Clock

FEW_DOCUMENTS = 2000
SINGULAR_VECTORS = 100


def cluster_documents(
    clock: Clock, documents: dict[str, int], estimator: str, parameters: dict
) -> dict[str, Any]:
    """Draw documents, cluster their TF-IDF and label them again; warm."""
    X, y = make_documents(**documents)
    few = X[:FEW_DOCUMENTS]
    build_for_documents(estimator, parameters).fit(few).predict(few)
    with clock.lap("fit"):
        model = build_for_documents(estimator, parameters).fit(X)
    with clock.lap("predict"):
        labels = model.predict(X)
    sizes = {"n_rows": X.shape[0], "n_columns": X.shape[1], "file_bytes": file_bytes(model)}
    held = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    return {**sizes, "input_bytes": held, **agreement(y, labels)}


def build_for_documents(estimator: str, parameters: dict) -> Any:
    """An estimator of lsec, or k-means of the leading singular vectors."""
    if estimator != "TruncatedSVD + KMeans":
        return build(estimator, parameters)
    from sklearn.cluster import KMeans
    from sklearn.decomposition import TruncatedSVD
    from sklearn.pipeline import make_pipeline

    seed = parameters["random_state"]
    reduced = TruncatedSVD(SINGULAR_VECTORS, random_state=seed)
    return make_pipeline(reduced, KMeans(n_init=10, **parameters))


def file_bytes(model: Any) -> int:
    """Size of the file that a fitted model is saved to."""
    import joblib

    with TemporaryDirectory(prefix="lsec-benchmark-model-") as folder:
        path = Path(folder) / "model"
        if hasattr(model, "save"):
            model.save(path)
        else:
            joblib.dump(model, path)
        return path.stat().st_size
