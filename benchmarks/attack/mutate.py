"""Changes to values, arrays and bytes that readers must survive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

WHOLE = (-(2**63), -(2**31) - 1, -2, -1, 0, 1, 2, 3, 255, 256, 65_536, 2**31 - 1, 2**31, 2**62)
NUMBERS: tuple[Any, ...] = (*WHOLE, 2**64, 10**30, 0.0, -0.0, 0.5, 1e-320, 1e38, 1e300, -1e308)
OTHERS: tuple[Any, ...] = (None, True, False, "", "x", "../x", "a" * 5000, "\x00", [], {}, [[]])
DEPTH = 400  # of nested lists, less than JSON itself allows
DTYPES = [*(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "bool"]
DTYPES += ["float16", "float32", "float64"]


def nodes_of(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every holder and key of a document, so that ``holder[key]`` can be replaced."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from nodes_of(inner)


def hostile_value(value: Any, rng: np.random.Generator) -> Any:
    """A value like another one, or of another kind altogether."""
    way = rng.random()
    if way < 0.4 and isinstance(value, (int, float)) and not isinstance(value, bool):
        near = [value - 1, value + 1, -value, 2 * value, value / 2, float(value), str(value)]
        return near[int(rng.integers(len(near)))]
    if way < 0.4 and isinstance(value, list) and value:
        return [value * 2, value[:-1], value[::-1], value[0]][int(rng.integers(4))]
    if way < 0.42:
        deep: Any = 0
        for _ in range(DEPTH):
            deep = [deep]
        return deep
    kinds = NUMBERS if way < 0.75 else OTHERS
    return kinds[int(rng.integers(len(kinds)))]


def mutate_array(array: Any, others: Sequence[Any], rng: np.random.Generator) -> Any:
    """An array with other values, of another shape or type, or another array."""
    way = int(rng.integers(10))
    if way <= 4:
        return with_hostile_numbers(array, rng)
    if way == 5:
        return array.astype(DTYPES[int(rng.integers(len(DTYPES)))])
    if way == 6:
        return others[int(rng.integers(len(others)))]
    if way == 7:
        return rng.permutation(array)
    if way == 8:
        shapes = [array[:-1], array[:0], array[None], array.T, array.ravel(), array[::-1]]
        return shapes[int(rng.integers(len(shapes)))]
    return np.concatenate([array, array[: int(rng.integers(1, 3))]])


def with_hostile_numbers(array: Any, rng: np.random.Generator) -> Any:
    """An array in which one value, some, or all are extreme or nearly right."""
    changed = np.array(array)
    flat = changed.reshape(-1)
    if not flat.size:
        return changed
    count = int(rng.choice([1, 1, 2, max(1, flat.size // 3), flat.size]))
    where = rng.integers(0, flat.size, count)
    with np.errstate(all="ignore"):
        if rng.random() < 0.4:
            near = rng.choice([-1, 1, 2], count).astype(flat.dtype)
            flat[where] = flat[where] + near if rng.random() < 0.5 else flat[where] * near
        elif flat.dtype.kind == "f":
            info = np.finfo(flat.dtype)
            extreme = [np.nan, np.inf, -np.inf, info.max, -info.max, info.tiny, -1, 0, 1, 1e30]
            flat[where] = rng.choice(np.array(extreme, np.float64)).astype(flat.dtype)
        else:
            whole = np.iinfo(flat.dtype)
            flat[where] = rng.choice([whole.min, whole.max, 0, 1, whole.max // 2])
    return changed


def mutate_bytes(content: bytes, rng: np.random.Generator) -> bytes:
    """Bytes that are flipped, overwritten, lost, inserted, repeated or swapped."""
    data = bytearray(content)
    for _ in range(int(rng.choice([1, 1, 2, 8, 64]))):
        if not data:
            break
        at, length = int(rng.integers(len(data))), int(rng.choice([1, 2, 4, 8, 100, 5000]))
        way = int(rng.integers(6))
        if way == 0:
            data[at] ^= 1 << int(rng.integers(8))
        elif way == 1:
            data[at : at + length] = bytes([int(rng.choice([0, 1, 127, 128, 255]))]) * length
        elif way == 2:
            del data[at : at + length]
        elif way == 3:
            data[at:at] = rng.bytes(min(length, 100))
        elif way == 4:
            data[at:at] = data[at : at + length]
        else:
            del data[at:]
    return bytes(data)
