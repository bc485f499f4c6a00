"""Colors of clusters."""

from lsec.colors import PALETTE, cluster_colors, shade


def test_a_hundred_clusters_have_a_color_each_but_few():
    colors = cluster_colors(100)
    assert colors[: len(PALETTE)] == list(PALETTE)
    assert len(set(colors)) >= 4 * len(PALETTE)


def test_shades_go_from_black_to_white():
    assert shade("#336699", 0) == "#000000" and shade("#336699", 2) == "#FFFFFF"
