"""Native level: how many C frames are shown between Python frames."""

from __future__ import annotations

from typing import Literal, get_args

NativeLevel = Literal["all", "libraries", "python"]

NATIVE_LEVELS: tuple[NativeLevel, ...] = get_args(NativeLevel)


def read_level(text: str) -> NativeLevel:
    """Return the level of a stored text; "all" if the text is no level."""
    return next((level for level in NATIVE_LEVELS if level == text), "all")
