"""Contents of frozen structures as plain values, for comparisons number by number."""

from __future__ import annotations

import dataclasses

import numpy as np

_PLAIN = (str, bytes, int, float, bool, type(None), range)


def list_values(value: object, depth: int = 12) -> object:
    """Return the content of a structure as plain values. Raises TypeError if it cannot be read."""
    assert depth, "a structure contains itself"
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tolist())
    if dataclasses.is_dataclass(value):
        fields = (each.name for each in dataclasses.fields(value))
        return {name: list_values(getattr(value, name), depth - 1) for name in fields}
    if isinstance(value, dict):
        return {key: list_values(each, depth - 1) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [list_values(each, depth - 1) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted(repr(each) for each in value)
    if isinstance(value, _PLAIN) or callable(value):
        return value if not callable(value) else type(value).__name__
    if isinstance(value, np.generic):
        return value.item()
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    held = vars(value) if hasattr(value, "__dict__") else {}
    names = sorted({*slots, *held} - {"__weakref__", "__dict__"})
    if not names:
        raise TypeError(f"the content of a {type(value).__name__} cannot be read")
    return {name: list_values(getattr(value, name, None), depth - 1) for name in names}
