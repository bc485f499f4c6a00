"""Fitted attributes with one value per row, which models loaded from files do not have."""

from __future__ import annotations

from typing import Any

FITTED = "timings_"  # the last attribute that every `fit` sets, and that model files keep
REMEDIES = {
    "labels_": "Call predict(X), or labels_at(k, X), for the labels of rows, or fit",
    "confidence_": "Call predict_membership(X) for the membership of rows, or fit",
    "probabilities_": "Call predict_membership(X) for the membership of rows, or fit",
}


class PerRowAttribute:
    """A fitted attribute with one value per row; if it is missing, the error says why."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: object | None, owner: type | None = None) -> Any:
        if model is None:
            return self
        raise AttributeError(missing_attribute(model, self._name))


def missing_attribute(model: object, name: str) -> str:
    """Reason why a fitted attribute with one value per row is missing."""
    kind = type(model).__name__
    if FITTED not in vars(model):
        return f"{kind!r} object has no attribute {name!r} before `fit`."
    return (
        f"This {kind} has no {name}: it was loaded from a file, or fitted with labels_out or on "
        f"Dask, and keeps nothing per row. {REMEDIES.get(name, 'Fit')} it again, "
        f"without labels_out and not on Dask."
    )
