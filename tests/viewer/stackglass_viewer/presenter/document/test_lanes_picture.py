"""Lanes as pixels, and in words."""

from __future__ import annotations

import numpy as np

from harness.timed_stacks import MS, make_stretches
from stackglass_viewer.model.chart.lanes import measure_lanes
from stackglass_viewer.model.chart.stretches import Lane
from stackglass_viewer.presenter.document.lanes_picture import (
    LanesPicture,
    describe_at,
    name_lane,
    paint_lanes,
)
from stackglass_viewer.presenter.document.time_chart_data import ActivityKind, Timed

RED, GREEN, BLUE, GREY = 0xFFFF0000, 0xFF00FF00, 0xFF0000FF, 0xFF808080
KINDS = (ActivityKind(("state", "running"), RED), ActivityKind(("state", "waiting"), GREEN))
TEXT = """
    T main;work 0 30
    T main;read 30 100
    T main;rest 150 200
"""


def make_picture(
    kinds: tuple[ActivityKind, ...], lane_px: int = 10, n_bins: int = 4
) -> LanesPicture:
    """Bins of 50 ms: work and read; read; rest is left; nothing."""
    stretches = make_stretches(TEXT + "T x 200 200", kinds={"work": 0, "read": 1})
    colours = np.array([BLUE] * len(stretches.tree.frame_name), dtype=np.uint32)
    timed = Timed(stretches, colours, GREY, kinds)
    window = (0, 200 * MS)
    activity = measure_lanes(stretches, range(1), len(kinds), window, n_bins)
    pixels = paint_lanes(timed, activity, lane_px)
    names = stretches.tree.frame_name
    return LanesPicture(stretches.lanes, 0, 0, pixels, window, window, activity, kinds, names)


def test_a_bar_has_a_part_for_each_kind() -> None:
    pixels = make_picture(KINDS).pixels[0]
    from_below = pixels[::-1, 0].tolist()
    assert from_below == [RED] * 6 + [GREEN] * 4
    assert pixels[:, 1].tolist() == [GREEN] * 10
    assert pixels[:, 2].tolist() == [0] * 10
    assert pixels[:, 3].tolist() == [GREY] * 10, "of no kind"


def test_without_kinds_a_bar_has_the_colour_of_its_function() -> None:
    pixels = make_picture(()).pixels[0]
    assert pixels[:, 0].tolist() == [BLUE] * 10
    assert pixels[:, 2].tolist() == [0] * 10


def test_what_is_there_is_seen_however_little_it_is() -> None:
    stretches = make_stretches("T f 0 1\nT f 1000 1001")
    timed = Timed(stretches, np.array([BLUE], dtype=np.uint32), GREY, ())
    activity = measure_lanes(stretches, range(1), 0, (0, 1001 * MS), 10)
    pixels = paint_lanes(timed, activity, 20)[0]
    assert (pixels[-1] != 0).tolist() == [True] + [False] * 8 + [True]
    assert not pixels[:-1].any()


def test_a_moment_in_words() -> None:
    picture = make_picture(KINDS)
    assert describe_at(picture, 0, 20 * MS) == "T at 20.0 ms: work, running 60.0%, waiting 40.0%"
    assert describe_at(picture, 0, 120 * MS) == "T at 120 ms: nothing"
    assert describe_at(picture, 0, 900 * MS) == "T at 900 ms"
    assert describe_at(make_picture(()), 0, 160 * MS) == "T at 160 ms: rest, busy 100%"


def test_a_lane_that_is_not_painted_has_a_name_alone() -> None:
    picture = make_picture(KINDS)
    beside = LanesPicture(
        (Lane("U"), *picture.lanes),
        0,
        1,
        picture.pixels,
        picture.window,
        picture.whole,
        picture.activity,
        KINDS,
        picture.functions,
    )
    assert describe_at(beside, 0, 0) == "U at 0 ns"
    assert describe_at(beside, 1, 0) == "T at 0 ns: work, running 60.0%, waiting 40.0%"


def test_a_name_is_safe_to_show() -> None:
    assert name_lane(Lane("a\nb", process="p")) == "a\ufffdb (p)"
