"""Compiled functions: arrays in, arrays out, no Python objects, no threads of their own.

Arguments are marked IN, OUT, INOUT or SCRATCH. Every kernel has a plain NumPy
counterpart in the tests.

- `compiled`: the decorator of all of them
- `assign`: nearest center of rows stored as columns, sums by label
- `neighbors`: routing and nearest landmarks, rows stored as columns
- `products`: the same for many features, by matrix products
- `affinity`: exp(-v) and the affinities of a chunk of rows
- `gram`: fixed-point Gram matrices of all members of a landmark set
- `labels`: base labels and embeddings from tables over landmarks
- `distinct`: distinct rows of a label matrix
- `agreement`: how often micro-clusters share a base cluster
- `agglomerate`: hierarchical clustering of a distance matrix
- `trajectories`: random walks on a graph of micro-clusters
"""
