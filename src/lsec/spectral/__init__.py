"""Spectral base clusterings from landmarks: pure functions of arrays and small dataclasses.

::

    sample ─► landmarks ─► neighbors ─► gram ─► transfer_cut ─► base_clustering ─► ensemble
              (per set)    (per row)    (sums   (per member)    (per member:       (labels of
                                        over                     tables that        all members)
                                        rows)                    label any row)

Notation: N rows x_i, p landmarks l_r, K nearest landmarks N_K(x_i), c base clusters. The files
and the pipeline cite these equations by number; Algorithms 1 and 2 are those of [1]_.

1. Landmark share of a part: p_j = p r_j / sum r, with r_j its sum of squared distances.
2. Neighbors: N_K(x_i), the K nearest of all landmarks; in up to four features, of the candidates
   of the landmark of x_i's part.
3. Affinity: b_ir = exp(-(rate |x_i - l_r|^2)^power) for r in N_K(x_i), else 0; Gaussian (power 1)
   with rate = 1 / (2 sigma^2) and sigma the mean distance to the K nearest landmarks.
4. Gram matrix: W = B' D^-1 B, with D the row sums of B.
5. Transfer cut: E^-1/2 W E^-1/2 U = U Lambda, with E the row sums of W; V = E^-1/2 U [2]_.
6. Embedding: u_i = b_i V / |b_i V|.
7. Base label: the nearest of the centers that light-k-means finds among the u_i of a sample, in
   LSEC by direction.
8. Consensus: equations 4 to 7 with B the indicator of base clusters, on micro-clusters.

References
----------
.. [1] Li, H., Ye, X., Imakura, A., Sakurai, T. "LSEC: Large-scale spectral ensemble
   clustering", Intelligent Data Analysis 27(1), 2023, arXiv:2106.09852.
.. [2] Li, Z., Wu, X.-M., Chang, S.-F. "Segmentation using superpixels: A bipartite graph
   partitioning approach", CVPR, 2012.
"""
