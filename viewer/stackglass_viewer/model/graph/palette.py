"""Palettes: the colours that graphs are drawn in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HueOf = Literal["package", "module", "file"]


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a theme, 0xAARRGGBB. ``hues`` are distinguishable; ``shades`` vary one hue."""

    hues: tuple[int, ...]
    shades: tuple[float, ...]  # lightness is multiplied by each; 1.0 = as it is
    pseudo: int  # frames in angle brackets: <native>, <lost samples>
    root: int
    grown: int = 0xFFE0705A  # of differences: all of a box has grown,
    level: int = 0xFFC3C9D3  # as much has grown as has shrunk,
    shrunk: int = 0xFF6FA3E8  # all of it has shrunk
    hue_of: HueOf = "package"  # what has a hue of its own
    native: tuple[int, ...] = (0xFFC7B9A0,)  # of machine code, by library
    is_dark: bool = True  # for a dark window
