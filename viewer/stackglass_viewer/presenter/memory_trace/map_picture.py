"""Picture of a heap map: pixels for its cells, a legend of colours, and its resolution in words.

::

    bytes of a cell ─▶ level, 0 … 15: how full it is ─┐
    key of a cell ───▶ group, by name or range ───────┴▶ colour table ─▶ pixels
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Bools, Int64s, UInt32s, freeze
from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.memory_trace.heap_map import HeapMap
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.units import format_value
from stackglass_viewer.presenter.memory_trace.map_groups import (
    Colouring,
    Group,
    choose_colour,
    list_ranges,
    make_namer,
)

MOST_ENTRIES = 10  # of a legend
_LEVELS = 16
_LEAST_ALPHA = 0.34  # opacity of the lowest level: a cell with a single byte is visible
_FADED = 0.10  # factor of the opacity of groups beside the highlighted one
_MOST_NAMED = 1024  # groups of a picture; all smaller ones are one group
_MOST_TABLE = 1 << 24  # keys below it are looked up in an array, others by binary search
_RANKED_SHAPE = (64, 192)  # rows, columns of the map that ranks the groups of a trace

_Slots = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class MapLegendEntry:
    """A group with its colour."""

    group: Group
    colour: int  # 0xAARRGGBB
    share: float  # of all bytes in the picture
    is_visible: bool = True  # whether any cell has its colour: that of the group with most bytes


@dataclass(frozen=True, slots=True)
class MapLegend:
    """What the colours of a picture mean."""

    colouring: Colouring
    entries: tuple[MapLegendEntry, ...]
    n_others: int  # groups that are not listed
    others: float  # their share
    chosen: str = ""  # the highlighted group; "" = none
    is_coarse: bool = False  # shares count each granule for the group with most bytes in it


@dataclass(frozen=True, slots=True, eq=False)
class MapPicture:
    """A map with its pixels and legend. Immutable."""

    heap_map: HeapMap
    pixels: UInt32s  # (rows, columns) 0xAARRGGBB, alpha premultiplied
    legend: MapLegend


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """The groups of a map, the largest first; group n has slot n + 1 of the colour table.
    Immutable."""

    groups: tuple[Group, ...]
    sums: tuple[float, ...]
    slot_of: Callable[[UInt32s], _Slots]


class MapPainter:
    """Paints maps of one trace. For one thread."""

    def __init__(self, trace: MemoryTrace) -> None:
        self._trace = trace
        self._rankings: dict[Colouring, tuple[str, ...]] = {}
        self._named: dict[Colouring, dict[int, Group]] = {}

    def paint(
        self, heap_map: HeapMap, colouring: Colouring, palette: Palette, chosen: str = ""
    ) -> MapPicture:
        """Return the picture of a map. ``chosen``: the highlighted group; "" = none."""
        found = self._find_groups(heap_map, colouring)
        ranking = self._rank(colouring)
        colours = [choose_colour(group.text, colouring, ranking, palette) for group in found.groups]
        is_faded = [bool(chosen) and group.text != chosen for group in found.groups]
        table = _make_table(colours, is_faded, palette.pseudo)
        slots = found.slot_of(heap_map.key)
        slots[heap_map.live_bytes <= 0] = 0
        n_cells = np.bincount(slots.ravel(), minlength=len(found.groups) + 1)
        places = slots * np.uint32(_LEVELS) + _measure_levels(heap_map)
        places[slots == 0] = 0
        pixels = table[places]
        freeze(pixels)
        entries = _list_entries(found, colours, n_cells[1:] > 0)
        legend = _make_legend(colouring, entries, chosen)
        return MapPicture(heap_map, pixels, replace(legend, is_coarse=not heap_map.is_exact))

    def _rank(self, colouring: Colouring) -> tuple[str, ...]:
        """Return the names of groups in the whole trace, the largest first. They give a group the
        same colour in every part of the trace."""
        ranking = self._rankings.get(colouring)
        if ranking is None:
            ranking = ()
            if colouring in (Colouring.TYPE, Colouring.SITE):
                trace = self._trace
                whole = trace.draw_map(trace.whole, _RANKED_SHAPE, colouring.map_key)
                ranking = tuple(group.text for group in self._find_groups(whole, colouring).groups)
            self._rankings[colouring] = ranking
        return ranking

    def _find_groups(self, heap_map: HeapMap, colouring: Colouring) -> _Groups:
        keys, sums = heap_map.key_bytes
        order = np.argsort(-sums, kind="stable")
        named = self._named.setdefault(colouring, {})
        namer = make_namer(colouring, self._trace.names)
        texts: dict[str, int] = {}
        groups: list[Group] = []
        totals: list[float] = []
        slots = np.zeros(len(keys), dtype=np.uint32)
        for at in order.tolist():
            key = int(keys[at])
            if len(groups) < _MOST_NAMED and key not in named:
                named[key] = namer(key)
            group = named.get(key, Group("others"))
            place = texts.setdefault(group.text, len(groups))
            if place == len(groups):
                groups.append(group)
                totals.append(0.0)
            totals[place] += float(sums[at])
            slots[at] = place + 1
        best = sorted(range(len(groups)), key=lambda place: -totals[place])
        new_place = np.zeros(len(groups) + 1, dtype=np.uint32)
        for place, old in enumerate(best):
            new_place[old + 1] = place + 1
        return _Groups(
            tuple(groups[old] for old in best),
            tuple(totals[old] for old in best),
            _make_lookup(keys, new_place[slots]),
        )


def _make_lookup(keys: UInt32s, slots: _Slots) -> Callable[[UInt32s], _Slots]:
    if not len(keys):
        return lambda key: np.zeros(key.shape, dtype=np.uint32)
    if int(keys[-1]) < _MOST_TABLE:
        table = np.zeros(int(keys[-1]) + 1, dtype=np.uint32)
        table[keys] = slots
        return lambda key: np.take(table, key, mode="clip")
    return lambda key: slots[np.minimum(np.searchsorted(keys, key), len(keys) - 1)]


def _measure_levels(heap_map: HeapMap) -> _Slots:
    """Return (rows, columns) the level of each cell, from 1."""
    room = np.diff(heap_map.row_position).astype(np.float32)
    scale = (_LEVELS - 1) / np.maximum(room, 1)
    levels = np.ceil(heap_map.live_bytes.astype(np.float32) * scale[:, np.newaxis])
    return np.clip(levels, 1, _LEVELS - 1).astype(np.uint32)


def _make_table(colours: list[int], is_faded: list[bool], grey: int) -> UInt32s:
    """Return the colour table, flat: ``_LEVELS`` colours for each slot; slot 0 is transparent."""
    table = np.zeros((len(colours) + 1, _LEVELS), dtype=np.uint32)
    levels: Int64s = np.arange(_LEVELS)
    full = _LEAST_ALPHA + (1 - _LEAST_ALPHA) * levels / (_LEVELS - 1)
    for slot, (colour, faded) in enumerate(zip(colours, is_faded, strict=True), 1):
        alpha = full * _FADED if faded else full
        mixed = np.round(alpha * 255).astype(np.uint32) << np.uint32(24)
        for shift in (16, 8, 0):
            part = ((grey if faded else colour) >> shift) & 0xFF
            mixed |= np.round(part * alpha).astype(np.uint32) << np.uint32(shift)
        table[slot] = mixed
    return table.ravel()


def _list_entries(found: _Groups, colours: list[int], is_visible: Bools) -> list[MapLegendEntry]:
    total = max(sum(found.sums), 1.0)
    return [
        MapLegendEntry(group, colour, size / total, visible)
        for group, colour, size, visible in zip(
            found.groups, colours, found.sums, is_visible.tolist(), strict=True
        )
    ]


def _make_legend(colouring: Colouring, entries: list[MapLegendEntry], chosen: str) -> MapLegend:
    shown = entries[:MOST_ENTRIES]
    if chosen and chosen not in [entry.group.text for entry in shown]:
        shown += [entry for entry in entries if entry.group.text == chosen]
    others = len(entries) - len(shown)
    share = max(1 - sum(entry.share for entry in shown), 0.0) if others else 0.0
    ranges = list_ranges(colouring)
    if ranges:
        shown.sort(key=lambda entry: ranges.index(entry.group.text))
    return MapLegend(colouring, tuple(shown), others, share, chosen)


def describe_cells(heap_map: HeapMap) -> tuple[str, str]:
    """Return the resolution of a map, in a few words and in sentences."""
    size = format_value(heap_map.row_bytes, "bytes")
    time = format_value(heap_map.column_ns, "nanoseconds")
    limits = (
        f"A cell is {size} of addresses at one moment. Blocks that are born and freed between two "
        f"moments, {time} apart, are not in the map."
    )
    if heap_map.is_exact:
        return f"1 cell = {size} × {time}", limits
    return (
        f"Coarse: 1 cell = {size} × {time}",
        f"{limits} This is a first picture from the trace's index: neighbouring cells are alike. "
        "The exact picture follows; zooming in shows details, too.",
    )
