"""Printed results of the papers: mean and standard deviation over 20 runs, in per cent.

`LSEC_PAPER`: H. Li, X. Ye, A. Imakura, T. Sakurai, "LSEC: Large-scale spectral ensemble
clustering", arXiv 2106.09852; ACC by one-to-one matching, NMI by the geometric mean.
`USENC_PAPER`: D. Huang et al., "Ultra-scalable spectral clustering and ensemble clustering",
IEEE TKDE 32(6), 2020; NMI by the maximum, and accuracy in the sense of purity.
"""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """A printed mean and its standard deviation; `misprint` marks a mean that cannot be right."""

    mean: float
    sd: float
    misprint: bool = False


class Scores(NamedTuple):
    """The two printed scores of a method on a data set."""

    acc: Printed
    nmi: Printed


def _scores(acc: tuple, nmi: tuple) -> Scores:
    return Scores(Printed(*acc), Printed(*nmi))


LSEC_PAPER = {
    "LSEC": {
        "pendigits": _scores((88.26, 2.10), (84.65, 1.81)),
        "usps": _scores((80.97, 5.31), (83.51, 1.34)),
        "letters": _scores((36.33, 0.89), (48.71, 0.63)),
        "mnist": _scores((80.19, 3.74), (79.42, 1.45)),
        "covertype": _scores((23.42, 1.86), (11.64, 1.76)),
        "tb": _scores((99.72, 2.31), (97.19, 9.43)),
        "sf": _scores((85.17, 9.18), (84.88, 6.55)),
        "cc": _scores((95.61, 11.67), (95.57, 10.70)),
        "cg": _scores((97.57, 3.49), (95.25, 1.32)),
        "fl": _scores((82.81, 3.21), (91.32, 2.44)),
    },
    "DnCSC": {
        "pendigits": _scores((82.27, 1.33), (82.01, 0.21)),
        "usps": _scores((82.55, 1.96), (82.86, 1.08)),
        "letters": _scores((33.54, 1.21), (45.37, 0.85)),
        "mnist": _scores((74.24, 2.14), (72.00, 0.51)),
        "covertype": _scores((23.48, 1.86), (8.30, 0.30)),
        "tb": _scores((99.62, 0.02), (96.42, 0.18)),
        "sf": _scores((9.43, 0.31, True), (81.24, 0.32)),
        "cc": _scores((99.98, 0.00), (99.78, 0.01)),
        "cg": _scores((66.83, 4.46), (80.91, 3.59)),
        "fl": _scores((81.90, 5.61), (87.67, 3.18)),
    },
    "USENC": {
        "pendigits": _scores((87.02, 1.65), (83.24, 1.11)),
        "usps": _scores((78.25, 2.39), (82.09, 1.65)),
        "letters": _scores((37.03, 1.28), (46.40, 0.20)),
        "mnist": _scores((75.48, 3.01), (75.11, 0.58)),
        "covertype": _scores((21.34, 1.06), (9.34, 1.21)),
        "tb": _scores((99.75, 0.01), (97.45, 0.04)),
        "sf": _scores((76.54, 2.88), (77.57, 2.12)),
        "cc": _scores((99.99, 0.00), (99.91, 0.00)),
        "cg": _scores((82.34, 5.59), (86.28, 2.30)),
        "fl": _scores((78.16, 3.21), (90.38, 2.45)),
    },
}

# On its own 11,000-row USPS; `acc` holds the purity and `nmi` the NMI by the maximum.
USENC_PAPER = {"usps_balanced": _scores((78.17, 3.05), (73.89, 1.82))}

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
