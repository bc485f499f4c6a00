"""Tasks of the study of rows that are larger than memory."""

from __future__ import annotations

import hashlib
from pathlib import Path

ROWS_AT_ONCE = 2**20


def make_files(clock, folder: str, source: str, rows: int, parquet: bool) -> dict:
    """Write a synthetic data set to ``X.npy`` (and ``X.parquet``) and ``y.npy``."""
    import numpy as np

    from lsec import datasets

    place = Path(folder)
    _, y = getattr(datasets, source)(rows, random_state=0, out=place / "X.npy")
    np.save(place / "y.npy", y)
    if parquet:
        _copy_to_parquet(place)
    return {}


def _copy_to_parquet(place: Path) -> None:
    import numpy as np
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    X = np.load(place / "X.npy", mmap_mode="r")
    names = [f"x{j}" for j in range(X.shape[1])]
    schema = pa.schema([(name, pa.float32()) for name in names])
    with ParquetWriter(place / "X.parquet", schema) as writer:
        for low in range(0, len(X), ROWS_AT_ONCE):
            part = np.asarray(X[low : low + ROWS_AT_ONCE])
            columns = {name: part[:, j] for j, name in enumerate(names)}
            writer.write_table(pa.table(columns, schema))


def fit_stored(clock, folder: str, kind: str, parameters: dict) -> dict:
    """Fit LSEC to an array (kind "array") or to a file, labels to a file; warm."""
    import numpy as np

    from lsec import LSEC
    from lsec.metrics import clustering_accuracy, normalized_mutual_information

    place = Path(folder)
    few = np.load(place / "X.npy", mmap_mode="r")[:600_000]
    LSEC(**parameters).set_params(n_base=5).fit(np.array(few))
    X = np.load(place / "X.npy") if kind == "array" else place / f"X.{kind}"
    out = place / f"labels-{kind}.npy"
    with clock.lap("fit"):
        model = LSEC(**parameters).fit(X, labels_out=out)
    labels = np.load(out, mmap_mode="r")
    y = np.load(place / "y.npy", mmap_mode="r")
    digest = hashlib.sha256()
    for low in range(0, len(labels), ROWS_AT_ONCE):
        digest.update(labels[low : low + ROWS_AT_ONCE].tobytes())
    return {
        "n_rows": len(labels),
        "labels": digest.hexdigest()[:16],
        "n_micro_clusters": model.n_micro_clusters_,
        "timings": model.timings_,
        "acc": 100 * clustering_accuracy(y, labels),
        "nmi": 100 * normalized_mutual_information(y, labels),
    }
