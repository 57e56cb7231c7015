"""Lanes of threads as pixels."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.shop_trace import MS, open_shop
from stackglass_viewer.model.memory_trace.lanes import list_slices
from stackglass_viewer.model.memory_trace.slices import (
    COLLECTION,
    GIL,
    LOCK,
    REGION,
    STATE,
    TASK,
    TASKS,
    Slice,
)
from stackglass_viewer.presenter.memory_trace.lane_picture import (
    caption_lane,
    describe_left_out,
    draw_lanes,
    find_slice,
    lay_out_lanes,
)

SLICES = [
    Slice(1, 0, 100, REGION, "outer"),
    Slice(1, 10, 20, REGION, "inner"),
    Slice(1, 100, 110, REGION, "next"),
    Slice(2, 50, 51, COLLECTION, "generation 0"),
]


def test_what_lies_in_something_else_is_a_lane_below() -> None:
    table = lay_out_lanes(SLICES)
    assert [tuple(lane.head) for lane in table.lanes] == [
        (1, REGION, 0),
        (1, REGION, 1),
        (2, COLLECTION, 0),
    ]
    assert table.lanes[0].begin_ns.tolist() == [0, 100]


@pytest.mark.parametrize(
    ("n_threads", "text"),
    [(200, ""), (201, "1 more lane is not shown"), (1234, "1\u202f034 more lanes are not shown")],
)
def test_lanes_that_are_not_shown_are_counted(n_threads: int, text: str) -> None:
    table = lay_out_lanes([Slice(tid, 0, 100, STATE, "running") for tid in range(n_threads)])
    assert len(table) == 200
    assert describe_left_out(table) == text


def test_every_slice_has_its_pixel() -> None:
    table = lay_out_lanes(SLICES)
    picture = draw_lanes(table, (0, 1000), 10, 2)
    assert picture.name[0].tolist()[:3] == [table.names.index("outer"), 2, -1]
    assert picture.name[2].tolist().count(table.names.index("generation 0")) == 1
    assert draw_lanes(table, (200, 300), 10, 2).name.max() == -1


def test_names_stand_where_there_is_room() -> None:
    table = lay_out_lanes(SLICES)
    picture = draw_lanes(table, (0, 100), 100, 40)
    assert [len(names) for names in picture.names] == [1, 0, 0]
    assert picture.names[0][0].width_px == 100


def test_a_slice_is_found_within_reach() -> None:
    table = lay_out_lanes(SLICES)
    assert find_slice(table, 2, 48, 3) == SLICES[3]
    assert find_slice(table, 2, 40, 3) is None
    assert find_slice(table, 9, 40, 3) is None


def test_a_lane_is_called_by_its_thread_or_by_what_it_shows() -> None:
    slices = [
        Slice(0, 0, 50, TASK, "order"),
        Slice(1, 0, 90, STATE, "running"),
        Slice(1, 0, 90, LOCK, "app.LOCK"),
        Slice(1, 0, 90, TASKS, "a"),
        Slice(1, 0, 80, TASKS, "b"),
        Slice(1, 0, 70, GIL, "held while others wait"),
        Slice(2, 0, 60, COLLECTION, "generation 0"),
        Slice(3, 0, 60, REGION, "load"),
    ]
    unknown = [Slice(0, 0, 90, GIL, "held while others wait")]  # the holder is not known
    assert caption_lane(lay_out_lanes(unknown), 0, "") == "GIL"
    table = lay_out_lanes(slices)
    captions = [
        caption_lane(table, row, f"thread {lane.head.tid}") for row, lane in enumerate(table.lanes)
    ]
    assert captions == [
        "tasks",
        *("thread 1", "GIL", "locks", "suspended", ""),
        "collections",
        "thread 3",
    ]


def test_collections_and_regions_of_a_trace_are_lanes(tmp_path: Path) -> None:
    table = lay_out_lanes(list_slices(open_shop(tmp_path)))
    assert table.names == ("generation 2", "request")
    found = find_slice(table, 0, 5 * MS, 0)
    assert found is None  # the collection is over
    assert find_slice(table, 1, 5 * MS, 0) is not None
