"""Colors of clusters that people with any kind of color vision can tell apart."""

from __future__ import annotations

# Okabe and Ito's colors first. Each following one is the farthest from those before it in the
# perceptual space OKLab, with full color vision and with simulated deuteranopia and protanopia.
PALETTE = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#6C0030",
    "#2400A8", "#30FCE4", "#6C00FC", "#6C543C", "#8478FC", "#00486C", "#90C090", "#CC0C9C",
    "#FC486C", "#B4CCFC", "#303CCC", "#9C486C", "#B41800", "#FCA8C0", "#E430E4",
)  # fmt: skip
NOISE = "#BBBBBB"
INK, PALE_INK = "#222222", "#666666"
SHADES = (1.0, 0.62, 1.45, 0.8)  # lightness of the palette, each time it is used again


def cluster_colors(n_clusters: int) -> list[str]:
    """Color of every cluster, as "#RRGGBB"; beyond the palette, it repeats in other shades.

    >>> cluster_colors(2)
    ['#0072B2', '#E69F00']
    """
    n = len(PALETTE)
    return [shade(PALETTE[i % n], SHADES[i // n % len(SHADES)]) for i in range(n_clusters)]


def shade(color: str, lightness: float) -> str:
    """Return a color that is darker (lightness < 1) or paler (> 1); 2 is white.

    >>> shade("#804020", 0.5), shade("#804020", 1.5), shade("#804020", 1.0)
    ('#402010', '#C0A090', '#804020')
    """
    channels = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    if lightness > 1:
        mixed = [round(c + (255 - c) * (lightness - 1)) for c in channels]
    else:
        mixed = [round(c * lightness) for c in channels]
    return "#" + "".join(f"{c:02X}" for c in mixed)
