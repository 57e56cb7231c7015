"""A colour for every function: its package, module or file chooses the hue, its name the shade.

The same function has the same colour in every profile and every run.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, UInt32s, freeze
from stackglass_viewer.model.graph.palette import HueOf, Palette
from stackglass_viewer.model.profile.native_frames import find_library
from stackglass_viewer.model.profile.packages import package_of


def module_of(name: str, file: str) -> str:
    """Return the module of a function: its name up to the part that its file is named after, else
    its package.

    >>> module_of("http.client.HTTPConnection.request", "/usr/lib/python3.11/http/client.py")
    'http.client'
    """
    path = PurePosixPath(file)
    stem = path.parent.name if path.stem == "__init__" else path.stem
    parts = name.split(".")
    if "/" not in name and stem in parts[:-1]:
        return ".".join(parts[: parts.index(stem) + 1])
    return package_of(name, file)


def _name_hue(name: str, file: str, hue_of: HueOf) -> str:
    """Return the package, module or file that a function shares its hue with."""
    if hue_of == "file" and file:
        return file
    return package_of(name, file) if hue_of == "package" else module_of(name, file)


def colour_frames(names: Sequence[str], files: Sequence[str], palette: Palette) -> UInt32s:
    """Return the colour of each frame: (n_frames,) 0xAARRGGBB."""
    shaded = [[_shade(hue, shade) for shade in palette.shades] for hue in palette.hues]
    native = [[_shade(hue, shade) for shade in palette.shades] for hue in palette.native]
    colours = np.empty(len(names), dtype=np.uint32)
    for frame, (name, file) in enumerate(zip(names, files, strict=True)):
        library = find_library(name)
        colours[frame] = (
            _pick(library, name, native) if library else _choose(name, file, palette, shaded)
        )
    freeze(colours)
    return colours


def colour_changes(total: Int64s, width: Int64s, palette: Palette) -> UInt32s:
    """Return the colour of each box of a difference, from shrunk over level to grown: (n_nodes,)
    0xAARRGGBB.

    ``total`` (n_nodes,) is the sum of the changes of a node and all below it, ``width`` the sum of
    their absolute values. A box with equal gains and losses is level, however wide.
    """
    share = np.clip(total / np.maximum(width, 1), -1.0, 1.0)
    strength = np.abs(share)
    mixed = np.full(len(total), 0xFF000000, dtype=np.uint32)
    for shift in (0, 8, 16):
        level, grown, shrunk = (
            (colour >> shift) & 0xFF for colour in (palette.level, palette.grown, palette.shrunk)
        )
        part = level + (np.where(share > 0, grown, shrunk) - level) * strength
        mixed |= np.round(part).astype(np.uint32) << np.uint32(shift)
    freeze(mixed)
    return mixed


def _choose(name: str, file: str, palette: Palette, shaded: list[list[int]]) -> int:
    if name.startswith("<") and name.endswith(">"):
        return palette.pseudo
    return _pick(_name_hue(name, file, palette.hue_of), name, shaded)


def _pick(hue: str, name: str, shaded: list[list[int]]) -> int:
    shades = shaded[zlib.crc32(hue.encode(errors="replace")) % len(shaded)]
    return shades[zlib.crc32(name.encode(errors="replace")) % len(shades)]


def _shade(colour: int, factor: float) -> int:
    parts = [min(255, round(((colour >> shift) & 0xFF) * factor)) for shift in (16, 8, 0)]
    return (colour & 0xFF000000) | parts[0] << 16 | parts[1] << 8 | parts[2]
