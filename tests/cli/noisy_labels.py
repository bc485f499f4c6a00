"""Noisy copies of known classes as base labels, in memory and in files of every format."""

import numpy as np
import pandas as pd

NAMES = [f"base{j}" for j in range(8)]
CLASSES = np.repeat(np.arange(4), 75)


def noisy_copies():
    """Labels int64 (300, 8): the classes under other names, with noise."""
    rng = np.random.default_rng(0)
    copies = np.stack([rng.permutation(5)[CLASSES] for _ in NAMES], axis=1)
    return np.where(rng.random(copies.shape) < 0.15, rng.integers(0, 5, copies.shape), copies)


LABELS = noisy_copies()
GAPPY = np.where(np.random.default_rng(1).random(LABELS.shape) < 0.1, -1, LABELS)
FRAME = pd.DataFrame(LABELS, columns=NAMES)


def write_all(labels, stem):
    """Write labels in all formats; missing ones in the way of the format."""
    frame = pd.DataFrame(labels, columns=NAMES).astype("Int64").mask(labels < 0)
    np.save(f"{stem}.npy", labels)
    frame.to_csv(f"{stem}.csv", index=False)
    frame.to_csv(f"{stem}-bare.csv", index=False, header=False)
    frame.to_parquet(f"{stem}.parquet", row_group_size=100)
