"""Groups of a heap map: keys that share a colour and an entry of the legend.

Types and lines of code are grouped by name, and the largest groups come first. Sizes and ages are
grouped in ranges, in ascending order.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from enum import Enum
from pathlib import PurePath
from typing import NamedTuple

from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.heap_map import MapKey
from stackglass_viewer.model.memory_trace.site_table import name_site
from stackglass_viewer.model.memory_trace.source import TraceNames
from stackglass_viewer.model.memory_trace.trace_index import TypeRates
from stackglass_viewer.model.units import make_printable

UNKNOWN_TYPE = "type not known"
NO_STACK = "no stack recorded"
OLDER = "older than the trace"


class Colouring(Enum):
    """What the colours of a map mean."""

    TYPE = "type"
    SITE = "site"
    SIZE = "size"
    AGE = "age"
    NONE = "none"

    @property
    def map_key(self) -> MapKey:
        """The key that the map is drawn with."""
        return _MAP_KEYS[self]


_MAP_KEYS = {
    Colouring.TYPE: MapKey.TYPE,
    Colouring.SITE: MapKey.SITE,
    Colouring.SIZE: MapKey.SIZE_CLASS,
    Colouring.AGE: MapKey.AGE,
    Colouring.NONE: MapKey.SIZE_CLASS,
}


def suggest_colouring(rates: TypeRates, has_stacks: bool) -> Colouring:
    """Return TYPE; if the type of most bytes is unknown, SITE or, without stacks, SIZE."""
    size = rates.size.sum(axis=1)
    unknown = int(size[rates.type == 0].sum())
    if 2 * unknown <= int(size.sum()):
        return Colouring.TYPE
    return Colouring.SITE if has_stacks else Colouring.SIZE


class Group(NamedTuple):
    """One entry of the legend."""

    text: str
    about: str = ""  # the full text, for a tool tip; "" = ``text``


_KIB = 1 << 10
_SIZES = (
    (32, "up to 32 B"),
    (64, "to 64 B"),
    (128, "to 128 B"),
    (256, "to 256 B"),
    (512, "to 512 B"),
    (4 * _KIB, "to 4 KiB"),
    (64 * _KIB, "to 64 KiB"),
    (1 << 62, "over 64 KiB"),
)
_AGES = (  # the last age class of each range; class n ends at 2^n µs
    (10, "under 1 ms"),
    (14, "to 16 ms"),
    (17, "to 130 ms"),
    (20, "to 1 s"),
    (23, "to 8 s"),
    (27, "to 2 min"),
    (1 << 30, "over 2 min"),
)
_OLDER = Group(OLDER, "Born before the trace began: their age is not known")
_IN_USE = Group("in use", "Cells with live objects, whatever they are")
_RAMP_DARK = (0xFF5A4FCF, 0xFF3F7FD6, 0xFF2FA7B8, 0xFF3EBB86, 0xFF86CB57, 0xFFCBD34C, 0xFFF7DF63)
_RAMP_LIGHT = (0xFFD9B514, 0xFF9BBF2E, 0xFF4BAA6A, 0xFF23909B, 0xFF2B6CB0, 0xFF47409E, 0xFF4B1D6B)
_LIGHT_SHADE = 0.8  # factor for the hues of a light palette, which are meant for dark text
_MUTED = 0.45  # share of the hue in the colour of groups that have none of their own


def make_namer(colouring: Colouring, names: TraceNames) -> Callable[[int], Group]:
    """Return a function that names the group of a key. Any thread."""
    if colouring is Colouring.TYPE:
        return lambda key: Group(make_printable(names.name_type(key)) or UNKNOWN_TYPE)
    if colouring is Colouring.SITE:
        return lambda key: name_line(name_site(names, key, 0, False)) if key else Group(NO_STACK)
    if colouring is Colouring.SIZE:
        return lambda key: Group(next(text for end, text in _SIZES if key <= end))
    if colouring is Colouring.AGE:
        return lambda key: Group(next(text for end, text in _AGES if key <= end)) if key else _OLDER
    return lambda _key: _IN_USE


def list_ranges(colouring: Colouring) -> tuple[str, ...]:
    """Return the texts of ranges in their order; () for groups by name."""
    if colouring is Colouring.SIZE:
        return tuple(text for _, text in _SIZES)
    if colouring is Colouring.AGE:
        return (OLDER, *(text for _, text in _AGES))
    return ()


def choose_colour(
    text: str, colouring: Colouring, ranking: tuple[str, ...], palette: Palette
) -> int:
    """Return 0xAARRGGBB, the colour of a group. ``ranking``: names of groups, the largest first;
    as many as there are hues have a hue of their own."""
    if text in (UNKNOWN_TYPE, NO_STACK, OLDER):
        return palette.pseudo
    hues = list_hues(palette)
    if colouring is Colouring.NONE:
        return hues[5 % len(hues)]
    ranges = [each for each in list_ranges(colouring) if each != OLDER]
    if ranges:
        ramp = _RAMP_DARK if palette.is_dark else _RAMP_LIGHT
        share = ranges.index(text) / (len(ranges) - 1)
        return _pick(ramp, share)
    if text in ranking[: len(hues)]:
        return hues[ranking.index(text)]
    return mix(hues[zlib.crc32(text.encode()) % len(hues)], palette.pseudo, _MUTED)


def list_hues(palette: Palette) -> tuple[int, ...]:
    """Return hues that stand out from the window's background."""
    if palette.is_dark:
        return palette.hues
    return tuple(mix(hue, 0xFF000000, _LIGHT_SHADE) for hue in palette.hues)


def mix(colour: int, other: int, share: float) -> int:
    """Return a mix of ``share`` of ``colour`` and the rest of ``other``."""
    parts = (
        round(((colour >> shift) & 0xFF) * share + ((other >> shift) & 0xFF) * (1 - share))
        for shift in (16, 8, 0)
    )
    red, green, blue = parts
    return 0xFF000000 | red << 16 | green << 8 | blue


def _pick(ramp: tuple[int, ...], share: float) -> int:
    position = share * (len(ramp) - 1)
    low = min(int(position), len(ramp) - 2)
    return mix(ramp[low + 1], ramp[low], position - low)


def name_line(line: LineName) -> Group:
    """Return the group of a line of code, with a short name and the full one."""
    function = make_printable(line.function)
    if not line.file:
        return Group(function)
    number = f":{line.number}" if line.number else ""
    short = function.rpartition(".<locals>.")[2].rpartition(".")[2] or function
    name = make_printable(PurePath(line.file).name)
    return Group(f"{short} ({name}{number})", f"{function} ({make_printable(line.file)}{number})")
