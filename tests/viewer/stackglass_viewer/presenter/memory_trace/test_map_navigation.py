"""Zoom and pan in a heap map."""

from __future__ import annotations

from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.presenter.memory_trace.map_navigation import MapNavigation

WHOLE = MapWindow(1_000_000, 2_000_000, 0, 1 << 20)


def test_zooming_keeps_the_point_where_it_is() -> None:
    navigation = MapNavigation(WHOLE)
    navigation.zoom((0.25, 0.5), (2.0, 4.0))
    assert navigation.window == MapWindow(1_125_000, 1_625_000, 393_216, 655_360)
    assert navigation.is_zoomed
    navigation.zoom((0.25, 0.5), (0.5, 0.25))
    assert not navigation.is_zoomed


def test_it_stays_in_the_trace() -> None:
    navigation = MapNavigation(WHOLE)
    navigation.zoom((0.0, 0.0), (10.0, 1.0))
    navigation.pan(-5.0, 0.0)
    assert navigation.window.begin_ns == WHOLE.begin_ns
    navigation.pan(100.0, 0.0)
    assert navigation.window.end_ns == WHOLE.end_ns
    navigation.zoom((0.5, 0.5), (1e-9, 1e-9))
    assert navigation.window == WHOLE


def test_a_window_has_a_least_size() -> None:
    navigation = MapNavigation(WHOLE)
    navigation.zoom((0.5, 0.5), (1e12, 1e12))
    window = navigation.window
    assert (window.end_ns - window.begin_ns, window.high - window.low) == (1_000, 256)


def test_a_time_is_kept_in_sight() -> None:
    navigation = MapNavigation(WHOLE)
    assert not navigation.follow(1_500_000)
    navigation.zoom((0.0, 0.0), (10.0, 1.0))
    assert navigation.follow(1_500_000)
    assert navigation.window.begin_ns == 1_500_000
    assert not navigation.follow(1_550_000)
    assert navigation.follow(1_200_000)
    assert navigation.window.begin_ns <= 1_200_000 < navigation.window.end_ns
