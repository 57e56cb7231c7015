"""Colours of lanes: states as in the wall profile, and a hue by name for everything else."""

from __future__ import annotations

import zlib

from stackglass.wire.thread_states import (
    IDLE,
    IN_CALL,
    SUSPENDED,
    UNKNOWN,
    WAITING_FOR_GIL,
    WAITING_FOR_LOCK,
)
from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.memory_trace.slices import AWAIT, CALL, GIL, LOCK, STATE, TASKS
from stackglass_viewer.presenter.document.legend import STATES, colour_state
from stackglass_viewer.presenter.memory_trace.lane_picture import LaneTable
from stackglass_viewer.presenter.memory_trace.map_groups import list_hues

_STATE_OF = {
    GIL: WAITING_FOR_GIL,
    LOCK: WAITING_FOR_LOCK,
    CALL: IN_CALL,
    TASKS: SUSPENDED,
    AWAIT: SUSPENDED,
}
"""The state that gives a lane of waits its colour, by category."""


def colour_lanes(table: LaneTable, palette: Palette) -> tuple[int, ...]:
    """Return a colour for each name of the table, 0xAARRGGBB."""
    return tuple(
        _colour(category, name, palette)
        for category, name in zip(table.categories, table.names, strict=True)
    )


def list_state_colours(table: LaneTable, palette: Palette) -> tuple[tuple[str, int], ...]:
    """Return the states in the lanes with their colours, in the order of the legend."""
    kinds = zip(table.categories, table.names, strict=True)
    states = {
        name if category == STATE else _STATE_OF.get(category, "") for category, name in kinds
    }
    return tuple(
        (state, _colour(STATE, state, palette))
        for state in (*STATES, IDLE, UNKNOWN)
        if state in states
    )


def _colour(category: str, name: str, palette: Palette) -> int:
    state = name if category == STATE else _STATE_OF.get(category, "")
    colour = colour_state(state, palette)
    if colour is not None:
        return colour
    if category == STATE:
        return palette.pseudo
    hues = list_hues(palette)
    return hues[zlib.crc32(name.encode()) % len(hues)]
