"""Clusters of an AnnData, as the tools of scanpy write them."""

from __future__ import annotations

from typing import Any

from lsec.estimators.lsec import LSEC


def lsec(
    adata: Any,
    n_clusters: int | str,
    *,
    use_rep: str = "X_pca",
    key_added: str = "lsec",
    copy: bool = False,
    random_state: int = 0,
    **parameters: Any,
) -> Any:
    """Cluster the observations of an AnnData by `LSEC`.

    Parameters
    ----------
    adata : AnnData
    n_clusters : int or "auto"
    use_rep : str, default="X_pca"
        Key of the representation in ``adata.obsm``, or "X" for ``adata.X``.
    key_added : str, default="lsec"
        Name of the results.
    copy : bool, default=False
        Whether to write the results to a copy of `adata`.
    random_state : int, default=0
    **parameters
        Other parameters of `LSEC`, such as ``metric="cosine"``.

    Returns
    -------
    adata : AnnData or None
        The copy, or None. These are set:

        ``adata.obs[key_added]``
            Clusters as a categorical of strings, in natural order; "-1" is noise.
        ``adata.obs[key_added + "_confidence"]``
            Agreement of the members with the cluster.
        ``adata.obsm[key_added + "_membership"]``
            Soft membership in the clusters.
        ``adata.uns[key_added]["params"]``
            The parameters.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from types import SimpleNamespace
    >>> from lsec.datasets import make_smiling_face
    >>> from lsec.integrations import scanpy
    >>> X, y = make_smiling_face(2000, random_state=0)
    >>> names = pd.Index([f"cell {i}" for i in range(2000)])
    >>> adata = SimpleNamespace(  # or an AnnData
    ...     obs=pd.DataFrame(index=names), obs_names=names, obsm={"X_pca": X}, uns={}
    ... )
    >>> scanpy.lsec(adata, 4)
    >>> adata.obs["lsec"].cat.categories.tolist()
    ['0', '1', '2', '3']
    """
    import pandas as pd

    rows = _representation(adata, use_rep)
    adata = adata.copy() if copy else adata
    model = LSEC(n_clusters, random_state=random_state, **parameters).fit(rows)
    labels = model.labels_
    names = [str(label) for label in range(int(labels.min()), model.n_clusters_)]
    clusters = pd.Categorical.from_codes(labels - labels.min(), pd.Index(names))
    adata.obs[key_added] = pd.Series(clusters, index=adata.obs_names)
    adata.obs[f"{key_added}_confidence"] = model.confidence_
    adata.obsm[f"{key_added}_membership"] = model.consensus_.membership
    given = {"n_clusters": n_clusters, "use_rep": use_rep, "random_state": random_state}
    plain = {
        name: value if value is None or isinstance(value, str | int | float) else repr(value)
        for name, value in parameters.items()  # files of AnnData take no tuples
    }
    adata.uns[key_added] = {"params": {**given, **plain}}
    return adata if copy else None


def _representation(adata: Any, use_rep: str) -> Any:
    """Rows of an AnnData."""
    if use_rep == "X":
        return adata.X
    if use_rep not in adata.obsm:
        known = ", ".join(map(repr, adata.obsm)) or "nothing"
        advice = "Run scanpy.pp.pca(adata) first, or pass" if use_rep == "X_pca" else "Pass"
        raise ValueError(
            f"adata.obsm has no {use_rep!r}; it has {known}. {advice} use_rep with one of these, "
            f"or use_rep='X'."
        )
    return adata.obsm[use_rep]
