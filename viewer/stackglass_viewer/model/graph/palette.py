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
    grown: int = 0xFFE0705A  # difference: everything in the box has grown
    level: int = 0xFFC3C9D3  # difference: gains and losses in the box are equal
    shrunk: int = 0xFF6FA3E8  # difference: everything in the box has shrunk
    hue_of: HueOf = "package"  # functions of one package, module or file share a hue
    native: tuple[int, ...] = (0xFFC7B9A0,)  # hues of machine code; each library has one
    is_dark: bool = True  # made for a dark window
