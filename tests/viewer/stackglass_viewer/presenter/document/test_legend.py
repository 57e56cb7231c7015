"""Colours by label: states keep theirs, other values theirs as long as a tab is open."""

from __future__ import annotations

import numpy as np

from stackglass.wire.thread_states import IDLE, RUNNING, WAITING_FOR_LOCK
from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.graph.label_colours import LabelledRows
from stackglass_viewer.model.profile.label_table import LabelIndex
from stackglass_viewer.presenter.document.legend import (
    LabelColours,
    Legend,
    choose_colour_key,
    limit_width,
)
from stackglass_viewer.presenter.settings.palettes import choose_palette

PALETTES = [choose_palette(name, dark) for name in ("module", "safe") for dark in (True, False)]
NONE = np.empty(0, dtype=np.int32)
TREE = CallTree(
    parent=np.array([-1, 0], dtype=np.int32),
    frame=np.array([-1, 0], dtype=np.int32),
    depth=np.array([0, 1], dtype=np.int32),
    is_recursive=np.zeros(2, dtype=np.bool_),
    frame_name=("f",),
    frame_file=("",),
    sample_node=NONE,
)


def paint(
    colours: LabelColours, key: str, sums: dict[str, int], palette: int = 0
) -> tuple[list[int], Legend]:
    """One sample of ``f`` for each value."""
    n = len(sums)
    index = LabelIndex(
        tuple((key, value) for value in sums),
        np.arange(n, dtype=np.int32),
        np.arange(n, dtype=np.int32),
        n,
    )
    weights = np.array(list(sums.values()), dtype=np.int64)
    rows = LabelledRows(np.ones(n, dtype=np.int32), np.arange(n, dtype=np.int32), weights)
    boxes, legend = colours.paint(TREE, rows, index, key, PALETTES[palette])
    return boxes.tolist(), legend


def name_colours(legend: Legend) -> dict[str, int]:
    return {entry.label[1]: entry.colour for entry in legend.entries}


def test_a_box_has_the_colour_of_its_legend() -> None:
    boxes, legend = paint(LabelColours(), "state", {RUNNING: 25, WAITING_FOR_LOCK: 75})
    found = name_colours(legend)
    assert list(found) == [WAITING_FOR_LOCK, RUNNING]
    assert boxes == [PALETTES[0].root, found[WAITING_FOR_LOCK]]
    assert [entry.share for entry in legend.entries] == [0.75, 0.25]


def test_states_have_the_same_colours_in_every_tab() -> None:
    _, first = paint(LabelColours(), "state", {RUNNING: 1, "of the program": 2, IDLE: 3})
    _, second = paint(LabelColours(), "state", {IDLE: 1, WAITING_FOR_LOCK: 2, RUNNING: 3})
    first_colours, second_colours = name_colours(first), name_colours(second)
    assert first_colours[RUNNING] == second_colours[RUNNING]
    assert first_colours[IDLE] == second_colours[IDLE] == PALETTES[0].pseudo
    assert len({*first_colours.values(), *second_colours.values()}) == 4


def test_a_value_keeps_its_colour_when_others_grow() -> None:
    for palette in range(len(PALETTES)):
        colours = LabelColours()
        _, before = paint(colours, "route", {"/a": 3, "/b": 2}, palette)
        _, after = paint(colours, "route", {"/c": 9, "/b": 5, "/a": 1}, palette)
        assert name_colours(before).items() <= name_colours(after).items()
        assert len(set(name_colours(after).values())) == 3


def test_values_of_nearly_the_same_share_keep_their_places() -> None:
    colours = LabelColours()
    for sums, order in (
        ({"/a": 500, "/b": 260, "/c": 240}, "/a /b /c"),
        ({"/a": 500, "/b": 240, "/c": 260}, "/a /b /c"),
        ({"/a": 500, "/b": 150, "/c": 350}, "/a /c /b"),
        ({"/b": 150, "/c": 350, "/d": 400}, "/c /d /b"),
        ({"/b": 50, "/c": 350, "/d": 600}, "/d /c /b"),
    ):
        _, legend = paint(colours, "route", sums)
        assert [entry.label[1] for entry in legend.entries] == order.split(), sums


def test_short_texts_leave_their_room_to_longer_ones() -> None:
    assert limit_width([30, 100, 80], 300) == 100, "all of them fit"
    assert limit_width([30, 100, 80], 180) == 75
    assert limit_width([30, 100, 80], 60) == 20
    assert limit_width([30, 100], -5) == limit_width([], 60) == 0


def test_the_wall_clock_is_coloured_by_state_unless_the_user_chose() -> None:
    assert choose_colour_key(None, is_wall=True) == "state"
    assert choose_colour_key(None, is_wall=False) == ""
    assert choose_colour_key("", is_wall=True) == ""
    assert choose_colour_key("route", is_wall=False) == "route"
