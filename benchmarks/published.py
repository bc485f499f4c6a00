"""Printed results of the papers: mean and standard deviation over 20 runs, in percent.

`LSEC_PAPER`: H. Li, X. Ye, A. Imakura, T. Sakurai, "LSEC: Large-scale spectral ensemble
clustering", arXiv 2106.09852; ACC by one-to-one matching, NMI by the geometric mean.
`USENC_PAPER`: D. Huang et al., "Ultra-scalable spectral clustering and ensemble clustering",
IEEE TKDE 32(6), 2020; NMI by the maximum, and accuracy in the sense of purity.
"""

from __future__ import annotations

from typing import NamedTuple

from lsec.report.printed import Printed, lsec_paper

__all__ = ["LSEC_PAPER", "POOLS", "USENC_PAPER", "Printed", "Scores"]


class Scores(NamedTuple):
    """The two printed scores of a method on a data set."""

    acc: Printed
    nmi: Printed


# By the names of the estimators.
LSEC_PAPER = {
    name: {
        data: Scores(cell.acc, cell.nmi)
        for (data, method), cell in lsec_paper().items()
        if method == title and cell.acc and cell.nmi
    }
    for name, title in (("LSEC", "LSEC"), ("DnCSC", "DnC-SC"), ("USENC", "U-SENC"))
}

# On its own 11,000-row USPS; `acc` holds the purity and `nmi` the NMI by the maximum.
USENC_PAPER = {"usps_balanced": Scores(Printed(78.17, 3.05), Printed(73.89, 1.82))}

# True-k NMI by the maximum on pools of base clusterings. `lw_`: D. Huang, C.-D. Wang, J.-H. Lai,
# "Locally weighted ensemble clustering", IEEE TCYB 48(5), 2018, Table V (`bipartite`: its HBGF;
# for MF its SEC and KCC repeat another data set's and are left out). `pt_`: D. Huang, J.-H. Lai,
# C.-D. Wang, "Robust ensemble clustering using probability trajectories", IEEE TKDE 28(5), 2016,
# Table 9 (average linkage).
_LW = ("lwea", "lwgp", "eac", "bipartite", "kcc", "sec")
_PT = ("pta", "ptgp", "eac")
POOLS = {
    "lw_vs": dict(zip(_LW, (0.133, 0.132, 0.129, 0.127, 0.126, 0.116), strict=True)),
    "lw_spf": dict(zip(_LW, (0.151, 0.152, 0.114, 0.129, 0.079, 0.073), strict=True)),
    "lw_semeion": dict(zip(_LW, (0.655, 0.642, 0.616, 0.621, 0.507, 0.466), strict=True)),
    "lw_mf": dict(zip(_LW[:4], (0.659, 0.682, 0.597, 0.636), strict=True)),
    "lw_is": dict(zip(_LW, (0.621, 0.629, 0.599, 0.609, 0.506, 0.437), strict=True)),
    "lw_ls": dict(zip(_LW, (0.616, 0.644, 0.559, 0.618, 0.442, 0.380), strict=True)),
    "lw_mnist": dict(zip(_LW, (0.646, 0.635, 0.592, 0.607, 0.480, 0.423), strict=True)),
    "lw_odr": dict(zip(_LW, (0.829, 0.816, 0.781, 0.810, 0.667, 0.604), strict=True)),
    "pt_mf": dict(zip(_PT, (0.614, 0.613, 0.578), strict=True)),
    "pt_is": dict(zip(_PT, (0.607, 0.611, 0.605), strict=True)),
    "pt_odr": dict(zip(_PT, (0.804, 0.813, 0.772), strict=True)),
    "pt_ls": dict(zip(_PT, (0.622, 0.625, 0.569), strict=True)),
}
