"""Zooming, panning and the way back."""

from __future__ import annotations

import pytest

from stackglass_viewer.presenter.document.navigation import Navigation, View


def test_zoom_keeps_the_point_under_the_pointer() -> None:
    navigation = Navigation()
    navigation.zoom_at(0.25, 2.0)
    view = navigation.view
    assert view.span == pytest.approx(0.5)
    assert (0.25 - view.left) / view.span == pytest.approx(0.25)


def test_zooming_out_never_shows_more_than_everything() -> None:
    navigation = Navigation()
    navigation.zoom_at(0.9, 4.0)
    navigation.zoom_at(0.1, 0.01)
    assert navigation.view == View()


def test_panning_stops_at_the_edges() -> None:
    navigation = Navigation()
    navigation.zoom_at(0.5, 4.0)
    navigation.pan(-10.0, -10.0)
    assert navigation.view.left == 0.0
    assert navigation.view.top_px == 0.0
    navigation.pan(10.0, 0.0)
    assert navigation.view.right == 1.0


def test_following_keeps_the_same_part_of_a_frame_that_moved() -> None:
    navigation = Navigation()
    navigation.show(0.5, 0.75, 0.0)
    navigation.follow(0.5, 1.0, 0.2, 0.4)
    assert navigation.view.left == pytest.approx(0.2)
    assert navigation.view.right == pytest.approx(0.3)


def test_scrolling_ends_at_the_last_row() -> None:
    navigation = Navigation()
    navigation.scroll_to(5000.0)
    navigation.limit_scroll(1000.0, 400.0)
    assert navigation.view.top_px == 600.0
    navigation.limit_scroll(100.0, 400.0)
    assert navigation.view.top_px == 0.0
