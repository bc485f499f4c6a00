"""A folder of made-up cells: the printed numbers with noise, the same on every call."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.harness.store import Records, write_table
from benchmarks.pages.names import METHODS, RANKED, printed_name
from benchmarks.paper import STUDIES
from benchmarks.paper.printed import data_sets, lsec_paper
from lsec.datasets import (
    make_circles_gaussians,
    make_concentric_circles,
    make_flower,
    make_smiling_face,
    make_two_bananas,
)

MEMBERS = (5, 10, 20, 30, 40, 50)
GROWTH = {
    "N": ((10_000, 100_000, 1_000_000), 0.95),
    "d": ((2, 16, 128, 512), 0.7),
    "p": ((250, 500, 1000, 2000), 1.3),
    "K": ((3, 6, 12), 1.2),
    "m": ((5, 10, 20, 40), 0.9),
}
PEERS = ("KMeans", "MiniBatchKMeans", "HDBSCAN", "Birch", "Leiden")
MAKERS = {
    "tb": make_two_bananas,
    "sf": make_smiling_face,
    "cc": make_concentric_circles,
    "cg": make_circles_gaussians,
    "fl": make_flower,
}
MACHINE = {"cpu": "Abacus 3000", "cores": "2", "memory": "15.6 GiB", "os": "Debian 12"}
VERSIONS = {"python": "3.11.7", "numpy": "2.1.0", "lsec": "0.1.0"}


class Folder:
    """Writes records, plan and pictures as `python -m benchmarks paper` does."""

    def __init__(self, path: Path, group: str = "full", random_state: int = 0):
        self.path, self.group = path, group
        self.planned = dict(Records("plan", path))
        self.records = {study: Records(study, path) for study in STUDIES}
        self.random = np.random.default_rng(random_state)

    def plan(self, study: str, data: str, method: str, seed: int, **more) -> tuple[str, dict]:
        place = {"study": study, "data": data, "method": method, "seed": seed}
        varied = more.get("varied") or {"name": "", "value": ""}
        key = f"{study}-{data}-{method}-{varied['name']}{varied['value']}-{seed}"
        self.planned[key] = place
        return key, dict(place)

    def cell(self, study: str, data: str, method: str, seed: int, **more) -> dict:
        """Write one record; `more` overrides any field."""
        key, record = self.plan(study, data, method, seed, **more)
        known = data_sets().get(data)
        record |= {
            "group": self.group,
            "data_title": known.title if known else data,
            "parameters": {},
            "varied": None,
            "status": "ok",
            "reason": "",
            "n_rows": known.rows if known else 1000,
            "machine": MACHINE,
            "versions": VERSIONS,
            "date": f"2026-01-{10 + seed:02d}",
        }
        record |= self.numbers(data, method) | more
        self.records[study].add(key, record)
        return record

    def numbers(self, data: str, method: str, faster: float = 40.0) -> dict[str, float]:
        """The printed scores with noise, and times so many times faster than print."""
        paper = lsec_paper().get((data, printed_name(method)))
        noise = self.random.normal(size=4)
        acc = paper.acc.mean if paper and paper.acc else 60.0
        nmi = paper.nmi.mean if paper and paper.nmi else 55.0
        seconds = (paper.seconds if paper and paper.seconds else 200.0) / faster
        seconds *= float(np.exp(0.1 * noise[2]))
        better = 1.5 if method == "LSEC+" else 0.0
        return {
            "acc": float(np.clip(acc + better + noise[0], 0, 99.9)),
            "nmi": float(np.clip(nmi + better + noise[1], 0, 99.9)),
            "nmi_max": float(np.clip(nmi - 2 + noise[1], 0, 99.9)),
            "ari": float(np.clip(nmi - 5 + noise[3], 0, 99.9)),
            "purity": float(np.clip(acc + 4 + noise[0], 0, 99.9)),
            "seconds": seconds,
            "generation_seconds": seconds / 2,
            "cpu_seconds": 1.8 * seconds,
            "peak_bytes": int(3e8 + 4e6 * seconds),
            "before_bytes": int(2e8),
        }

    def lost(self, study: str, data: str, method: str, seed: int, status: str, reason: str):
        empty = dict.fromkeys(("acc", "nmi", "ari", "seconds", "cpu_seconds", "peak_bytes"))
        self.cell(study, data, method, seed, status=status, reason=reason, **empty)

    def picture(self, data: str, n_points: int = 20_000):
        X, y = MAKERS[data](n_points, random_state=0)
        labels = np.where(self.random.random(n_points) < 0.01, 0, y)
        folder = self.path / "pictures"
        folder.mkdir(exist_ok=True)
        np.savez_compressed(folder / f"{data}.npz", X=X.astype(np.float32), labels=labels, y=y)

    def close(self) -> Path:
        write_table(self.path / "plan.csv.gz", self.planned)
        for records in self.records.values():
            records.compact()
        return self.path


def full_folder(path: Path, seeds: int = 3, picture_points: int = 20_000) -> Path:
    """Every study, with one refused, one failed and one absent run, and some not run."""
    folder = Folder(path)
    for data in data_sets():
        for method in METHODS:
            for seed in range(seeds):
                if (data, method) == ("covertype", "LWEA"):
                    reason = "linkage of 180,000 micro-clusters needs 121 GiB; 12 GiB are free"
                    folder.lost("table", data, method, seed, "refused", reason)
                elif (data, method) == ("fl", "PTGP"):
                    folder.plan("table", data, method, seed)
                else:
                    folder.cell("table", data, method, seed)
    _members(folder, seeds)
    _ablations(folder, seeds)
    _growth(folder, seeds)
    _peers(folder, seeds)
    for data in MAKERS:
        folder.picture(data, picture_points)
    return folder.close()


def _members(folder: Folder, seeds: int):
    for data in ("mnist", "covertype", "tb", "sf"):
        for method in (*RANKED, "LWEA", "LSEC+"):
            if method == "EAC" and data != "mnist":
                continue
            for m in MEMBERS:
                for seed in range(seeds):
                    numbers = folder.numbers(data, method)
                    numbers["acc"] -= 20 / m
                    numbers["nmi"] -= 30 / m
                    numbers["seconds"] *= m / 20
                    varied = {"name": "m", "value": m}
                    folder.cell("members", data, method, seed, varied=varied, **numbers)


def _ablations(folder: Folder, seeds: int):
    studies = {"reuse": ("reuse_neighbors", True, False)}
    studies["discretization"] = ("discretization", "light", "kmeans")
    for study, (name, ours, other) in studies.items():
        for data in ("mnist", "covertype", "tb", "sf"):
            for value in (ours, other):
                for seed in range(seeds):
                    numbers = folder.numbers(data, "LSEC")
                    numbers["seconds"] *= 1.0 if value == ours else 2.3
                    varied = {"name": name, "value": value}
                    folder.cell(study, data, "LSEC", seed, varied=varied, **numbers)


def _growth(folder: Folder, seeds: int):
    for name, (values, power) in GROWTH.items():
        for value in values:
            for seed in range(seeds):
                numbers = folder.numbers("tb", "LSEC")
                numbers["seconds"] *= (value / values[0]) ** power
                varied = {"name": name, "value": value}
                folder.cell("growth", "tb", "LSEC", seed, varied=varied, **numbers)


def _peers(folder: Folder, seeds: int):
    for data in ("pendigits", "mnist"):
        for method in PEERS:
            for seed in range(seeds):
                if method == "HDBSCAN" and data == "mnist":
                    folder.lost("peers", data, method, seed, "timeout", "more than 600 s")
                elif method == "Leiden":
                    reason = "igraph is not installed. Get it with: pip install 'lsec[bench]'"
                    folder.lost("peers", data, method, seed, "absent", reason)
                else:
                    folder.cell("peers", data, method, seed)


def smoke_folder(path: Path) -> Path:
    """Two data sets, of which one is cut down, and three methods, with one seed."""
    folder = Folder(path, group="smoke")
    for method in ("KCC", "LSEC", "LSEC+"):
        folder.cell("table", "pendigits", method, 0)
        folder.cell("table", "tb", method, 0, n_rows=20_000, data_title="TB-20k")
    return folder.close()
