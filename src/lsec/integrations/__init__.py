"""lsec as a part of other libraries: thin functions that speak their language.

::

    scanpy      clusters of an AnnData
    toponymy    layers of clusters for topics, with their tree

None of these libraries is imported here. BERTopic needs nothing: it takes an `LSEC` as it is.
"""

from lsec.integrations import scanpy, toponymy

__all__ = ["scanpy", "toponymy"]
