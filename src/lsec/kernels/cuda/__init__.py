"""Kernels of the sweeps in CUDA C++, compiled when they are first used, and the device they run on.

Every kernel gives the bits of its counterpart on the CPU: terms are added in the same order, no
product is fused with a sum, and sums over rows are integers.

- `common.cuh`: types, affinities, sorted lists of the K nearest
- `frame.cu`: rows into the working frame; the check for NaN and infinity
- `routes.cu`: nearest landmarks of rows with few features
- `scan.cu`: nearest landmarks of rows with many features, and nearest centers
- `gram.cu`: fixed-point Gram matrices of all members of a landmark set
- `labels.cu`: base labels
- `distinct.cu`: distinct rows of labels

`device` is the only module that imports the GPU library, CuPy.
"""
