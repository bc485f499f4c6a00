"""Tasks of the study of a Dask cluster."""

from __future__ import annotations

import hashlib
from pathlib import Path


def fit_both(clock, folder: str, parameters: dict, chunk: int, repeats: int) -> dict:
    """Fit LSEC on threads and on a cluster of two processes, in turns; warm."""
    import dask.array as da
    import numpy as np
    from distributed import Client, LocalCluster, wait

    from lsec import LSEC

    path = Path(folder) / "X.npy"
    X = np.load(path)
    few = X[: min(len(X), 600_000)]
    hashes, stages = {}, {}
    with (
        LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        held = da.from_array(X, chunks=(chunk, X.shape[1])).persist()
        wait(held)
        lazy = da.from_array(np.load(path, mmap_mode="r"), chunks=(chunk, X.shape[1]))
        LSEC(**parameters).fit(few)
        LSEC(**parameters).fit(da.from_array(few, chunks=(len(few) // 4 + 1, X.shape[1])))
        rows = {"threads": X, "cluster": held, "cluster, lazy chunks": lazy}
        for _ in range(repeats):
            for name, source in rows.items():
                with clock.lap(name):
                    model = LSEC(**parameters).fit(source)
                    wait(model.labels_)
                digest = hashlib.sha256(np.asarray(model.labels_).tobytes())
                hashes[name] = digest.hexdigest()[:16]
                stages[name] = model.timings_
    return {"n_rows": len(X), "hashes": hashes, "stages": stages}
