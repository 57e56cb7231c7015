"""Lines of the timeline: no peak is lost, however coarse they get."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.memory.points import AllocationRate, PointLine, thin


def test_points_are_as_reported() -> None:
    line = PointLine()
    for time, value in ((3, 10), (4, 30), (9, 20)):
        line.add(time, value)
    points = line.view()
    assert points.time.tolist() == [3, 4, 9]
    assert points.low.tolist() == points.high.tolist() == [10, 30, 20]


def test_old_points_are_merged_and_keep_their_extremes() -> None:
    line = PointLine(max_points=64)
    values = np.random.default_rng(1).integers(0, 1000, 5000)
    values[17], values[40] = 5000, -5
    for time, value in enumerate(values.tolist()):
        line.add(time, value)
    points = line.view()
    assert len(points.time) <= 64
    assert (points.low.min(), points.high.max()) == (-5, 5000)
    assert np.all(np.diff(points.time) > 0)
    assert points.high[-1] == values[-1]
    assert points.time[-1] == 4999
    begin = 0
    for time, low, high in zip(points.time, points.low, points.high, strict=True):
        assert (low, high) == (values[begin : time + 1].min(), values[begin : time + 1].max())
        begin = time + 1


def test_a_pixel_has_the_lowest_and_the_highest_of_its_time() -> None:
    time = np.arange(1000, dtype=np.int32)
    values = np.random.default_rng(2).integers(0, 10**12, 1000)
    trace = thin(time, values, values, 100, 900, 8)
    inside = values[100:900].reshape(8, 100)
    assert len(trace.time) == 10  # and a neighbour on each side
    assert trace.low[1:-1].tolist() == inside.min(axis=1).tolist()
    assert trace.high[1:-1].tolist() == inside.max(axis=1).tolist()
    assert trace.high[0] == values[99]
    assert trace.high[-1] == max(values[900:902])


def test_few_points_are_shown_as_they_are() -> None:
    time = np.array([5, 10, 20], dtype=np.int32)
    low, high = np.array([1, 2, 3], dtype=np.int64), np.array([1, 5, 3], dtype=np.int64)
    trace = thin(time, low, high, 0, 100, 50)
    assert trace.time.tolist() == [5, 10, 20]
    assert (trace.low.tolist(), trace.high.tolist()) == ([1, 2, 3], [1, 5, 3])
    no_time, none = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
    assert len(thin(no_time, none, none, 0, 100, 50).time) == 0


def test_the_rate_is_of_bins_that_are_over() -> None:
    rate = AllocationRate()
    rate.add(np.array([3, 9, 10, 27]), np.array([100, 200, 50, 7]))
    rate.add(np.array([4]), np.array([1]))  # reported late
    time, values = rate.view(0, 29)
    assert time.tolist() == [5, 15]
    assert values.tolist() == [3010.0, 500.0]
    assert rate.view(0, 30)[1].tolist() == [3010.0, 500.0, 70.0]
    assert rate.view(12, 30)[0].tolist() == [15, 25]


def test_long_sessions_have_longer_bins() -> None:
    rate = AllocationRate(max_bins=1024)
    for second in range(0, 1000, 10):
        rate.add(np.array([second * 100]), np.array([1000]))
    assert rate.span == 160
    time, values = rate.view(0, 100_000)
    assert len(time) <= 1024
    assert round(values.sum() * rate.span / 100) == 100 * 1000
