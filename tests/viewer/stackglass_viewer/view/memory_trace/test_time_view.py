"""Time views: clicks, brushes, wheel and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.view.memory_trace.curve_view import CurveView
from stackglass_viewer.view.memory_trace.time_view import (
    GUTTER_PX,
    TimeView,
    shorten_address,
)
from stackglass_viewer.view.widgets.theme import load_theme

S = 1_000_000_000
LEFT = Qt.MouseButton.LeftButton


class Hand:
    """A view of ten seconds, 1000 pixels wide, and what its user wanted."""

    def __init__(self, view: TimeView) -> None:
        self.view = view
        view.resize(GUTTER_PX + 1000 + 8, 104 if isinstance(view, CurveView) else 120)
        view.show_window(MapWindow(0, 10 * S, 0, 100))
        self.moments: list[int] = []
        self.brushes: list[tuple[int, int, float, float]] = []
        self.zooms: list[tuple[object, object]] = []
        self.pans: list[tuple[float, float]] = []
        self.dropped: list[bool] = []
        view.moment_chosen.connect(self.moments.append)
        view.brush_drawn.connect(self.brushes.append)
        view.zoomed.connect(lambda at, factors: self.zooms.append((at, factors)))
        view.panned.connect(lambda right, down: self.pans.append((right, down)))
        view.brush_dropped.connect(lambda: self.dropped.append(True))

    def drag(self, first: QPoint, last: QPoint, button: Qt.MouseButton = LEFT) -> None:
        QTest.mousePress(self.view, button, pos=first)
        QTest.mouseMove(self.view, (first + last) / 2)
        QTest.mouseMove(self.view, last)
        QTest.mouseRelease(self.view, button, pos=last)

    def turn_wheel(self, x: int, modifiers: Qt.KeyboardModifier) -> None:
        place = QPointF(x, 60)
        event = QWheelEvent(
            place,
            place,
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            modifiers,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        self.view.wheelEvent(event)


@pytest.fixture
def hand(qt: QApplication) -> Hand:
    return Hand(CurveView(load_theme("dark")))


def at(x: int, y: int = 60) -> QPoint:
    return QPoint(GUTTER_PX + x, y)


def test_a_click_chooses_a_moment(hand: Hand) -> None:
    QTest.mouseClick(hand.view, LEFT, pos=at(700))
    assert hand.moments == [7 * S]
    assert not hand.brushes


def test_a_drag_draws_a_brush_in_either_direction(hand: Hand) -> None:
    hand.drag(at(600), at(200))
    assert hand.brushes == [(2 * S, 6 * S, 0.0, 1.0)]
    assert not hand.moments


def test_a_brush_is_at_least_a_pixel_wide(hand: Hand) -> None:
    hand.drag(at(200, 40), at(200, 80))
    assert hand.brushes == [(2 * S, 2 * S + S // 100, 0.0, 1.0)]


def test_a_drag_over_the_captions_of_a_curve_draws_nothing(hand: Hand) -> None:
    hand.drag(QPoint(10, 40), QPoint(10, 90))
    assert not hand.brushes
    hand.drag(QPoint(10, 40), at(300))
    assert hand.brushes == [(0, 3 * S, 0.0, 1.0)]


class Map(TimeView):
    """As the heap map, without a trace."""

    is_two_dimensional = True


def test_a_drag_along_the_addresses_is_a_brush_over_all_the_time(qt: QApplication) -> None:
    hand = Hand(Map(load_theme("dark")))
    hand.drag(QPoint(20, 30), QPoint(24, 90))
    hand.drag(QPoint(20, 90), at(500, 30))
    assert hand.brushes == [(0, 10 * S, 0.25, 0.75)] * 2
    hand.drag(at(500, 90), at(200, 30))
    assert hand.brushes[2:] == [(2 * S, 5 * S, 0.25, 0.75)]


def test_a_drag_on_the_ruler_moves_the_cursor(hand: Hand) -> None:
    hand.drag(at(100, 5), at(300, 5))
    assert hand.moments == [1 * S, 2 * S, 3 * S]
    assert not hand.brushes


def test_the_middle_button_moves_the_picture(hand: Hand) -> None:
    hand.drag(at(500), at(400), Qt.MouseButton.MiddleButton)
    assert sum(right for right, _ in hand.pans) == pytest.approx(0.1)


def test_the_wheel_zooms_at_the_pointer_and_moves_with_shift(hand: Hand) -> None:
    hand.turn_wheel(GUTTER_PX + 250, Qt.KeyboardModifier.NoModifier)
    ((place, factors),) = hand.zooms
    assert place == (0.25, pytest.approx(40 / 84, abs=0.02))
    assert factors == (1.25, 1.0)
    hand.turn_wheel(GUTTER_PX + 250, Qt.KeyboardModifier.ShiftModifier)
    assert hand.pans == [(-0.1, 0.0)]


def test_keys_move_the_cursor_zoom_and_drop_the_brush(hand: Hand) -> None:
    hand.view.show_cursor(5 * S)
    QTest.keyClick(hand.view, Qt.Key.Key_Right)
    QTest.keyClick(hand.view, Qt.Key.Key_Left)
    assert hand.moments == [5 * S + S // 100, 5 * S - S // 100]
    QTest.keyClick(hand.view, Qt.Key.Key_Minus)
    assert hand.zooms == [((0.5, 0.5), (0.8, 1.0))]
    QTest.keyClick(hand.view, Qt.Key.Key_Escape)
    assert not hand.dropped
    hand.view.show_brush((1, 2))
    QTest.keyClick(hand.view, Qt.Key.Key_Escape)
    assert hand.dropped == [True]


def test_escape_gives_up_the_brush_that_is_being_drawn(hand: Hand) -> None:
    hand.view.show_brush((1 * S, 2 * S))
    QTest.mousePress(hand.view, LEFT, pos=at(200))
    QTest.mouseMove(hand.view, at(400))
    QTest.keyClick(hand.view, Qt.Key.Key_Escape)
    QTest.mouseRelease(hand.view, LEFT, pos=at(600))
    assert (hand.brushes, hand.moments, hand.dropped) == ([], [], [])
    QTest.keyClick(hand.view, Qt.Key.Key_Escape)
    assert hand.dropped == [True]


@pytest.mark.parametrize(
    ("address", "text"),
    [(0x7F1234567890, "…1234567890"), (0x1234567890, "0x1234567890"), (0x7000, "0x7000")],
)
def test_only_a_cut_address_has_an_ellipsis(address: int, text: str) -> None:
    assert shorten_address(address) == text
