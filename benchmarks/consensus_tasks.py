"""Tasks of the studies of consensus functions."""

from __future__ import annotations

import os
from pathlib import Path
from time import perf_counter


def make_labels(clock, folder: str, estimator: str, parameters: dict) -> dict:
    """Fit an ensemble and keep its base labels."""
    import numpy as np

    import lsec

    X = np.load(Path(folder) / "X.npy")
    model = getattr(lsec, estimator)(**parameters).fit(X)
    np.save(Path(folder) / "labels.npy", model.base_labels_)
    return {"n_micro_clusters": model.n_micro_clusters_}


def join(clock, folder: str, method: str, n_clusters: int, seed: int) -> dict:
    """Join stored base labels, warm: micro-clusters and the consensus function under the clock."""
    import numpy as np

    from lsec import MicroClusters, consensus
    from lsec.bench.tasks import scores

    labels = np.load(Path(folder) / "labels.npy")
    consensus(labels[:2000], n_clusters, method, random_state=seed)
    with clock.lap("micro-clusters"):
        micro = MicroClusters.from_labels(labels)
    with clock.lap("join"):
        result = consensus(micro, n_clusters, method, random_state=seed, full_output=True)
    joined = result.labels
    with clock.lap("confidence"):
        confidence = result.confidence
    return {
        "n_rows": labels.shape[0],
        "input_bytes": labels.nbytes,
        "n_micro_clusters": len(micro),
        "confidence": float(confidence.mean()),
        **scores(folder, joined),
    }


def join_all(clock, folder: str, parameters: dict, methods: list[str], seed: int) -> dict:
    """Fit LSEC once and join its members by every function."""
    import numpy as np

    from lsec import LSEC, consensus
    from lsec.bench.tasks import scores

    X = np.load(Path(folder) / "X.npy")
    with clock.lap("fit"):
        model = LSEC(**parameters, random_state=seed).fit(X)
    micro = model.micro_clusters_
    joined = {}
    for method in methods:
        start = perf_counter()
        try:
            labels = consensus(micro, parameters["n_clusters"], method, random_state=seed)
        except ValueError as refusal:
            joined[method] = {"refused": str(refusal)}
            continue
        joined[method] = {"seconds": perf_counter() - start, **scores(folder, labels)}
    return {"n_micro_clusters": len(micro), "joined": joined, "input_bytes": X.nbytes}


def pool(clock, name: str, methods: list[str], n_draws: int, n_members: int) -> dict:
    """Mean NMI (by the maximum) of consensus functions over draws from a pool of clusterings."""
    import numpy as np

    from lsec import MicroClusters, consensus
    from lsec.metrics import normalized_mutual_information

    path = Path(os.environ.get("LSEC_DATA", "")) / "pools" / f"{name}.npz"
    if not path.is_file():
        return {"not_run": f"there is no pools/{name}.npz in the folder that LSEC_DATA names"}
    with np.load(path) as file:
        members, y = file["members"], file["y"]
    n_clusters = len(np.unique(y))
    rng = np.random.default_rng(0)
    found: dict[str, list[float]] = {method: [] for method in methods}
    with clock.lap("all"):
        for draw in range(n_draws):
            chosen = rng.choice(members.shape[1], n_members, replace=False)
            micro = MicroClusters.from_labels(members[:, chosen])
            for method in methods:
                labels = consensus(micro, n_clusters, method, random_state=draw)
                found[method].append(normalized_mutual_information(y, labels, average="max"))
    return {"nmi_max": found, "n_rows": len(y), "n_clusters": n_clusters}


def join_family(clock, name: str, seed: int, methods: list[str], rows: int, members: dict) -> dict:
    """Fit LSEC to a family; join its members with the true number of clusters, and choose it."""
    from benchmarks.families import make
    from lsec import LSEC, consensus
    from lsec.metrics import clustering_accuracy, normalized_mutual_information

    X, y = make(name, seed, rows)
    k = int(y.max()) + 1
    with clock.lap("fit"):
        micro = LSEC(k, random_state=seed, **members).fit(X).micro_clusters_
    found = {}
    for method in methods:
        labels = consensus(micro, k, method, random_state=seed)
        free = consensus(micro, "auto", method, random_state=seed, full_output=True)
        found[method] = {
            "acc": 100 * clustering_accuracy(y, labels),
            "nmi": 100 * normalized_mutual_information(y, labels),
            "chosen": free.n_clusters,
        }
    return {"n_clusters": k, "n_micro_clusters": len(micro), "joined": found}
