"""Legend of a graph that is coloured by a label: its values, their colours and shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stackglass.wire.thread_states import (
    IDLE,
    IN_CALL,
    RUNNING,
    SUSPENDED,
    WAITING_FOR_GIL,
    WAITING_FOR_LOCK,
    WAITING_FOR_PROCESSOR,
)
from stackglass_viewer.model.columns.index import UInt32s, freeze
from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.graph.label_colours import (
    BoxLabels,
    LabelledRows,
    find_box_labels,
)
from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.profile.label_table import Label, LabelIndex
from stackglass_viewer.presenter.settings.palettes import spread_hues

STATE = "state"
IDLE_LABEL: Label = (STATE, IDLE)
RUNNING_LABEL: Label = (STATE, RUNNING)
STATES = (
    RUNNING,
    WAITING_FOR_LOCK,
    WAITING_FOR_GIL,
    IN_CALL,
    WAITING_FOR_PROCESSOR,
    SUSPENDED,
)
"""The states in the order of the palette's colours. Idle threads have the pseudo-frames' colour."""

# An entry passes another one if its share is larger than the other's times this, plus this.
_CLEARLY, _CLEARLY_SHARE = 1.2, 0.02


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One value of the label."""

    label: Label
    colour: int  # 0xAARRGGBB
    share: float  # of the graph, 0 … 1


@dataclass(frozen=True, slots=True)
class Legend:
    """What the colours of a graph mean: the label's largest values."""

    key: str
    entries: tuple[LegendEntry, ...]
    others: float  # share of the values without a colour, and of samples without the label


class LabelColours:
    """Colours of label values, which stay the same as long as the tab is open. For one thread."""

    def __init__(self) -> None:
        self._places: dict[Label, int] = {}
        self._order: tuple[Label, ...] = ()  # of the last legend

    def paint(
        self, tree: CallTree, rows: LabelledRows, index: LabelIndex, key: str, palette: Palette
    ) -> tuple[UInt32s, Legend]:
        """Return (n_nodes,) 0xAARRGGBB, the colours of boxes, and their legend."""
        boxes = find_box_labels(tree, rows, index, key)
        chosen = [self._choose((key, value), palette) for value in boxes.values]
        table = np.array([*chosen, palette.pseudo], dtype=np.uint32)
        colours: UInt32s = table[boxes.of_node]
        colours[0] = palette.root
        freeze(colours)
        legend = _describe(boxes, chosen)
        legend = replace(legend, entries=_keep_order(legend.entries, self._order))
        self._order = tuple(entry.label for entry in legend.entries)
        return colours, legend

    def _choose(self, label: Label, palette: Palette) -> int:
        key, value = label
        known = colour_state(value, palette) if key == STATE else None
        if known is not None:
            return known
        hues = spread_hues(palette)
        first = len(STATES) if key == STATE else 0
        place = self._places.get(label)
        if place is None:
            n_own = sum(each == key for each, _ in self._places)
            place = self._places[label] = first + n_own
        return hues[place % len(hues)]


def colour_state(state: str, palette: Palette) -> int | None:
    """Return the colour of a thread's state in every view; None = ``state`` is no known state."""
    if state == IDLE:
        return palette.pseudo
    return spread_hues(palette)[STATES.index(state)] if state in STATES else None


def _describe(boxes: BoxLabels, colours: list[int]) -> Legend:
    whole = sum(map(abs, boxes.sums)) + abs(boxes.others)
    entries = tuple(
        LegendEntry((boxes.key, value), colour, abs(total) / whole if whole else 0.0)
        for value, total, colour in zip(boxes.values, boxes.sums, colours, strict=True)
    )
    return Legend(boxes.key, entries, abs(boxes.others) / whole if whole else 0.0)


def _keep_order(
    entries: tuple[LegendEntry, ...], before: tuple[Label, ...]
) -> tuple[LegendEntry, ...]:
    """Return entries in the order ``before``, new ones last. An entry passes another only if its
    share is clearly larger; else two similar ones would change places at every refresh."""
    known = {label: place for place, label in enumerate(before)}
    kept: list[LegendEntry] = []
    for entry in sorted(entries, key=lambda each: known.get(each.label, len(before))):
        place = len(kept)
        while place and entry.share > kept[place - 1].share * _CLEARLY + _CLEARLY_SHARE:
            place -= 1
        kept.insert(place, entry)
    return tuple(kept)


def limit_width(wanted_px: Sequence[int], room_px: int) -> int:
    """Return the greatest width to which texts can be cut so that all of them fit, 0 or more.
    ``wanted_px``: their widths; a text that is shorter leaves its room to the others."""
    left_px, width_px = room_px, 0
    for n_before, each_px in enumerate(sorted(wanted_px)):
        width_px = left_px // (len(wanted_px) - n_before)
        if each_px > width_px:
            return max(width_px, 0)
        left_px -= each_px
    return max(wanted_px, default=0)


def choose_colour_key(wanted: str | None, is_wall: bool) -> str:
    """Return the label key that colours boxes; "" = by function. Unless the user chose one, samples
    of the wall clock are coloured by state."""
    if wanted is None:
        return STATE if is_wall else ""
    return wanted
