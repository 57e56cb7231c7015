"""Colours of lanes: a state has one colour, wherever it is shown."""

from __future__ import annotations

import pytest

from stackglass.wire.thread_states import (
    IDLE,
    IN_CALL,
    RUNNING,
    SUSPENDED,
    UNKNOWN,
    WAITING_FOR_GIL,
    WAITING_FOR_LOCK,
    WAITING_FOR_PROCESSOR,
)
from stackglass_viewer.model.memory_trace.slices import (
    AWAIT,
    CALL,
    GIL,
    LOCK,
    REGION,
    STATE,
    TASKS,
    Slice,
)
from stackglass_viewer.presenter.document.legend import colour_state
from stackglass_viewer.presenter.memory_trace.lane_colours import colour_lanes, list_state_colours
from stackglass_viewer.presenter.memory_trace.lane_picture import lay_out_lanes
from stackglass_viewer.presenter.settings.palettes import choose_palette

STATES = (
    RUNNING,
    WAITING_FOR_LOCK,
    WAITING_FOR_GIL,
    IN_CALL,
    WAITING_FOR_PROCESSOR,
    SUSPENDED,
    IDLE,
)


@pytest.mark.parametrize("name", ["module", "safe"])
@pytest.mark.parametrize("is_dark", [False, True])
def test_states_have_the_colours_of_the_wall_profile(name: str, is_dark: bool) -> None:
    palette = choose_palette(name, is_dark)
    slices = [Slice(1, at, at + 1, STATE, state) for at, state in enumerate(STATES)]
    colours = colour_lanes(lay_out_lanes(slices), palette)
    assert colours == tuple(colour_state(state, palette) for state in STATES)
    assert len(set(colours)) == len(STATES)


@pytest.mark.parametrize(
    ("category", "state"),
    [
        (GIL, WAITING_FOR_GIL),
        (LOCK, WAITING_FOR_LOCK),
        (CALL, IN_CALL),
        (TASKS, SUSPENDED),
        (AWAIT, SUSPENDED),
    ],
)
def test_a_lane_of_waits_has_the_colour_of_its_state(category: str, state: str) -> None:
    palette = choose_palette("module", False)
    table = lay_out_lanes([Slice(1, 0, 9, category, "app.LOCK"), Slice(1, 0, 9, REGION, RUNNING)])
    wait, region = colour_lanes(table, palette)
    assert wait == colour_state(state, palette)
    assert region != colour_state(RUNNING, palette)  # a name, not a state


def test_the_key_lists_the_states_that_are_shown() -> None:
    palette = choose_palette("safe", False)
    slices = [
        Slice(1, 0, 9, STATE, UNKNOWN),
        Slice(1, 9, 10, STATE, IDLE),
        Slice(1, 0, 9, AWAIT, "a: app.LOCK"),
        Slice(1, 0, 9, REGION, RUNNING),
        Slice(1, 10, 12, STATE, WAITING_FOR_GIL),
    ]
    assert list_state_colours(lay_out_lanes(slices), palette) == (
        (WAITING_FOR_GIL, colour_state(WAITING_FOR_GIL, palette)),
        (SUSPENDED, colour_state(SUSPENDED, palette)),
        (IDLE, palette.pseudo),
        (UNKNOWN, palette.pseudo),
    )
    assert list_state_colours(lay_out_lanes(slices[3:4]), palette) == ()


def test_a_state_that_is_not_known_has_the_colour_of_what_does_not_matter() -> None:
    palette = choose_palette("module", True)
    assert colour_lanes(lay_out_lanes([Slice(1, 0, 9, STATE, UNKNOWN)]), palette) == (
        palette.pseudo,
    )
