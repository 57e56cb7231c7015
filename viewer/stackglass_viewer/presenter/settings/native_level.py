"""Native level: how much of C code is shown between the Python functions that it runs under."""

from __future__ import annotations

from typing import Literal, get_args

NativeLevel = Literal["all", "libraries", "python"]

NATIVE_LEVELS: tuple[NativeLevel, ...] = get_args(NativeLevel)


def read_level(text: str) -> NativeLevel:
    """Of a setting; what is none means all."""
    return next((level for level in NATIVE_LEVELS if level == text), "all")
