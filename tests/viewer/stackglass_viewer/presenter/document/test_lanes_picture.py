"""Lanes as pixels, and in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from harness.timed_stacks import MS, make_stretches
from stackglass_viewer.model.chart.lanes import measure_lanes
from stackglass_viewer.model.chart.stretches import Lane
from stackglass_viewer.presenter.document.lanes_picture import (
    UNTIMED,
    LanesPicture,
    count_bins,
    describe_at,
    describe_scale,
    find_full,
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


def test_lanes_of_functions_have_the_scale_of_the_busiest() -> None:
    stretches = make_stretches("T f 0 4\nU f 100 102\nU f 390 400")
    timed = Timed(stretches, np.array([BLUE], dtype=np.uint32), GREY, ())
    activity = measure_lanes(stretches, range(2), 0, (0, 400 * MS), 4)  # 4 % and 2 %, 10 %
    full = find_full(activity)
    assert full == 0.1
    pixels = paint_lanes(timed, activity, 20, full)
    heights = (pixels != 0).sum(axis=1).tolist()
    assert heights == [[0, 4, 0, 20], [8, 0, 0, 0]]
    picture = replace(make_picture(()), full=full)
    assert describe_scale(picture) == "Full height: 10% busy"
    assert describe_scale(make_picture(())) == ""


def test_states_fill_a_lane() -> None:
    stretches = make_stretches("T f 0 4", kinds={"f": 0})
    activity = measure_lanes(stretches, range(1), 1, (0, 400 * MS), 4)
    assert find_full(activity) == 1
    timed = Timed(stretches, np.array([BLUE], dtype=np.uint32), GREY, KINDS)
    assert (count_bins(timed, 100), count_bins(replace(timed, kinds=()), 100)) == (100, 34)


def test_a_short_call_beside_the_middle_of_a_bin_has_its_colour() -> None:
    stretches = make_stretches("T f 0 10\nT g 190 200\nT f 200 210")
    colours = np.array([BLUE, RED], dtype=np.uint32)
    activity = measure_lanes(stretches, range(1), 0, (0, 200 * MS), 2)
    assert activity.frame.tolist() == [[0, 1]]
    pixels = paint_lanes(Timed(stretches, colours, GREY, ()), activity, 10)[0]
    assert pixels[-1].tolist() == [BLUE, RED]


def test_time_before_the_kept_times_is_not_idle() -> None:
    picture = replace(make_picture(()), timed_from_ns=130 * MS)
    assert describe_at(picture, 0, 120 * MS) == f"T at 120 ms: {UNTIMED}"
    assert describe_at(picture, 0, 160 * MS) == "T at 160 ms: rest, busy 100%"


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
