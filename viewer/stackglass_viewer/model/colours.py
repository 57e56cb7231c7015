"""A colour for every function: its module chooses the hue, its name the shade.

The same function has the same colour in every profile and every run.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.index import UInt32s, freeze


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of a theme, 0xAARRGGBB. ``hues`` are told apart; ``shades`` vary one hue."""

    hues: tuple[int, ...]
    shades: tuple[float, ...]  # lightness is multiplied by each; 1.0 = as it is
    pseudo: int  # frames in angle brackets: <native>, <lost samples>
    root: int


def module_of(name: str, file: str) -> str:
    """What a function belongs to: its package's first name, else the folder of its file.

    >>> module_of("http.client.HTTPConnection.request", "/usr/lib/python3.11/http/client.py")
    'http'
    >>> module_of("github.com/me/app/db.(*Conn).Query", "")
    'github.com/me/app/db'
    """
    head, slash, last = name.rpartition("/")
    first = last.partition(".")[0] if "." in last else ""
    if slash:
        return f"{head}/{first or last}"
    return first or file.rpartition("/")[0]


def colour_frames(names: Sequence[str], files: Sequence[str], palette: Palette) -> UInt32s:
    """(n_frames,) 0xAARRGGBB."""
    shaded = [[_shade(hue, shade) for shade in palette.shades] for hue in palette.hues]
    colours = np.empty(len(names), dtype=np.uint32)
    for frame, (name, file) in enumerate(zip(names, files, strict=True)):
        colours[frame] = _choose(name, file, palette, shaded)
    freeze(colours)
    return colours


def _choose(name: str, file: str, palette: Palette, shaded: list[list[int]]) -> int:
    if name.startswith("<") and name.endswith(">"):
        return palette.pseudo
    hue = zlib.crc32(module_of(name, file).encode(errors="replace")) % len(palette.hues)
    shade = zlib.crc32(name.encode(errors="replace")) % len(palette.shades)
    return shaded[hue][shade]


def _shade(colour: int, factor: float) -> int:
    parts = [min(255, round(((colour >> shift) & 0xFF) * factor)) for shift in (16, 8, 0)]
    return (colour & 0xFF000000) | parts[0] << 16 | parts[1] << 8 | parts[2]
