"""An exploration as one HTML file that needs nothing else.

::

    facts      JSON: names, the merge tree, what is known of its groups
    columns    one number or more for each drawn row, compressed, in base64:
               positions, coordinates, groups, confidence, features
    program    page/*.js, one after the other; it begins when the first columns have been read

Features, in their order, and names of rows are left out as soon as the file would be too large.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from lsec.colors import NOISE, PALETTE, cluster_colors
from lsec.explorer.exploration import Exploration
from lsec.output.atomic import open_atomically
from lsec.typing import AnyArray, Float64

MOST_BYTES = 14_500_000  # of columns in base64; the rest of the page has some 100 kB
MOST_COLORS = 16 * len(PALETTE)
FIRST_COLUMNS = ("groups", "x", "y", "positions")  # which the first picture needs
STEPS = 65535  # of coordinates
PROGRAM = ("data.js", "tree.js", "map.js", "cards.js", "selection.js", "main.js")


def write_page(path: Path, exploration: Exploration) -> None:
    """Write an exploration as an HTML file, which appears when it is complete."""
    with open_atomically(path) as file:
        file.write(render(exploration).encode())


def render(exploration: Exploration) -> str:
    """An exploration as HTML."""
    columns = Columns.of(exploration)
    facts = _facts(exploration, columns)
    texts = {name: encoded.decode() for name, encoded in columns.encoded.items()}
    data = [f'<script type="text/plain" id="column-{n}">{t}</script>' for n, t in texts.items()]
    n_first = len(FIRST_COLUMNS)
    parts = {
        "title": escape(f"{facts['nClusters']} clusters of {exploration.n_rows:,} rows"),
        "style": _part("page.css"),
        "facts": script_json(facts),
        "firstColumns": "\n".join(data[:n_first]),
        "columns": "\n".join(data[n_first:]),
        "program": "\n".join(_part(name) for name in PROGRAM),
    }
    head, *rest = _part("page.html").split("{{")
    return head + "".join(parts[name] + text for name, text in (p.split("}}", 1) for p in rest))


@dataclass(frozen=True)
class Columns:
    """Compressed columns by name, as many as fit into the page."""

    encoded: dict[str, bytes]
    n_features: int
    has_names: bool

    @classmethod
    def of(cls, exploration: Exploration) -> Columns:
        """The columns of an exploration, the necessary ones first."""
        e = exploration
        noise = len(e.tree.counts)
        encoded = {
            "groups": _encode(np.where(e.groups < 0, noise, e.groups).astype(np.uint16)),
            "x": _encode(_steps(e.coordinates[:, 0])),
            "y": _encode(_steps(e.coordinates[:, 1])),
            "positions": _encode(np.diff(e.positions, prepend=0).astype(np.uint32)),
            "confidence": _encode(np.rint(255 * e.confidence).astype(np.uint8)),
        }
        left = MOST_BYTES - sum(map(len, encoded.values()))
        names = b"" if e.names is None else _compress(json.dumps(e.names).encode())
        has_names = e.names is not None and len(names) <= left
        if has_names:
            encoded["names"] = names
            left -= len(names)
        for number, feature in enumerate(e.features):
            column = _encode(feature.steps)
            if len(column) > left:
                return cls(encoded, number, has_names)
            encoded[f"feature-{number}"] = column
            left -= len(column)
        return cls(encoded, len(e.features), has_names)


def script_json(value: Any) -> str:
    r"""JSON that may stand in a script element: nothing in it ends the element.

    >>> print(script_json({"name": "</script>"}))
    {"name": "\u003c/script>"}
    """
    return json.dumps(value).replace("<", "\\u003c")


def _facts(exploration: Exploration, columns: Columns) -> dict[str, Any]:
    """All but the columns, as JSON values."""
    e, tree = exploration, exploration.tree
    on_cards = np.union1d(e.typical, e.unsure)
    names = None if e.names is None else {int(i): e.names[i] for i in on_cards}
    return {
        "nRows": e.n_rows,
        "nDrawn": len(e.positions),
        "axes": e.axes,
        "nClusters": tree.n_clusters,
        "pairs": tree.pairs.tolist(),
        "counts": tree.counts.tolist(),
        "groupConfidence": _rounded(tree.confidence),
        "features": [
            {"name": f.name, "low": f.low, "high": f.high, "drawn": i < columns.n_features}
            for i, f in enumerate(e.features)
        ],
        "nFeatures": e.n_features,
        "profile": _rounded(tree.profile),
        "typical": e.typical.tolist(),
        "unsure": e.unsure.tolist(),
        "cardNames": names,
        "hasNames": columns.has_names,
        "colors": cluster_colors(MOST_COLORS),
        "noiseColor": NOISE,
        "low": [float(c.min()) for c in e.coordinates.T],
        "high": [float(c.max()) for c in e.coordinates.T],
    }


def _steps(values: Float64) -> AnyArray:
    """Coordinates (r,) as steps between their ends, uint16."""
    low, high = float(values.min()), float(values.max())
    half = (values / 2 - low / 2) / ((high / 2 - low / 2) or 1.0)  # huge values would overflow
    return np.rint(STEPS * half).astype(np.uint16)


def _encode(column: AnyArray) -> bytes:
    """Compress a column, little endian, as base64."""
    return _compress(column.astype(column.dtype.newbyteorder("<")).tobytes())


def _compress(data: bytes) -> bytes:
    return b64encode(zlib.compress(data))


def _rounded(values: Float64) -> list[Any]:
    """Values as JSON, to three digits after the point."""
    found: list[Any] = np.round(values, 3).tolist()
    return found


def _part(name: str) -> str:
    """Text of a file of the page."""
    return (files("lsec.explorer") / "page" / name).read_text(encoding="utf-8")
