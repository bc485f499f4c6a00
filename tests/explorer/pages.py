"""Read a page back, as its program does."""

import json
import re
import zlib
from base64 import b64decode
from dataclasses import dataclass
from functools import cached_property

import numpy as np

TYPES = {"x": "<u2", "y": "<u2", "groups": "<u2", "positions": "<u4"}


@dataclass(frozen=True)
class Page:
    """The text of a page, and the data in it."""

    text: str

    @cached_property
    def facts(self):
        found = re.search(r'<script type="application/json" id="facts">(.*?)</script>', self.text)
        return json.loads(found[1])

    def column(self, name):
        found = re.search(rf'id="column-{name}">(.*?)</script>', self.text)
        data = zlib.decompress(b64decode(found[1]))
        if name == "names":
            return json.loads(data)
        values = np.frombuffer(data, TYPES.get(name, "u1"))
        return np.cumsum(values, dtype=np.int64) if name == "positions" else values

    @property
    def groups(self):
        return self.column("groups").astype(int)

    def coordinates(self):
        low, high = np.array(self.facts["low"]), np.array(self.facts["high"])
        steps = np.column_stack([self.column("x"), self.column("y")])
        return low + steps / 65535 * (high - low)

    def labels_at(self, k):
        """Labels of the drawn rows: clusters of groups that the first mergers leave."""
        g = len(self.facts["counts"])
        cluster = np.arange(g)
        for low, high in self.facts["pairs"][: g - k]:
            cluster[cluster == cluster[high]] = cluster[low]
        return np.append(np.unique(cluster, return_inverse=True)[1], -1)[self.groups]
