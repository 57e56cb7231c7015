"""Lanes of threads: what is asked for, and what mouse and keys ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.timed_stacks import MS, make_stretches
from stackglass_viewer.model.graph.colours import colour_frames
from stackglass_viewer.presenter.document.lanes_picture import LanesPicture, LanesViewport
from stackglass_viewer.presenter.document.time_chart import TimeChart
from stackglass_viewer.presenter.document.time_chart_data import Timed
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.view.lanes.span_brush import SpanBrush
from stackglass_viewer.view.lanes.view import LanesView, move_span
from stackglass_viewer.view.widgets.theme import load_theme

WaitUntil = Callable[[Callable[[], bool]], None]
LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
NONE = Qt.KeyboardModifier.NoModifier
PALETTE = choose_palette("module", is_dark=False)
TEXT = "A load 0 1000\nB spin 200 400\nC wait 500 600"


class Lanes:
    """Lanes over a second, a pixel for each millisecond."""

    def __init__(self, wait_until: WaitUntil, text: str = TEXT) -> None:
        self.wait_until = wait_until
        self.brush = SpanBrush()
        self.view = LanesView(self.brush, load_theme("light"))
        self.chart = TimeChart()
        self.pictures: list[LanesPicture] = []
        self.wishes: list[LanesViewport] = []
        self.view.viewport_changed.connect(self.wishes.append)
        self.view.viewport_changed.connect(self.chart.set_viewport)
        self.view.lane_chosen.connect(self.chart.choose_lane)
        self.view.zoomed.connect(self.chart.zoom)
        self.view.panned.connect(self.chart.pan)
        self.view.all_requested.connect(self.chart.show_all)
        self.chart.picture_changed.connect(self._show)
        self.brush.chosen.connect(self.brush.show)
        self.view.resize(1180, 200)
        self.view.show()
        QTest.qWaitForWindowExposed(self.view)
        self.chart.watch(True)
        stretches = make_stretches(text)
        tree = stretches.tree
        colours = colour_frames(tree.frame_name, tree.frame_file, PALETTE)
        self.chart.set_timed(Timed(stretches, colours, PALETTE.root, (), False))
        wait_until(lambda: bool(self.pictures))

    def _show(self, picture: LanesPicture) -> None:
        self.pictures.append(picture)
        self.view.show_picture(picture)

    @property
    def picture(self) -> LanesPicture:
        return self.pictures[-1]

    def drag(self, begin_ms: int, end_ms: int) -> None:
        port = self.view.viewport()
        QTest.mousePress(port, LEFT, pos=place_of(begin_ms))
        QTest.mouseMove(port, place_of((begin_ms + end_ms) // 2))
        QTest.mouseMove(port, place_of(end_ms))
        QTest.mouseRelease(port, LEFT, pos=place_of(end_ms))

    def wheel(self, notches: int, at_ms: int, modifiers: Qt.KeyboardModifier) -> None:
        place = QPointF(place_of(at_ms))
        event = QWheelEvent(
            place, place, QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton,
            modifiers, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QGuiApplication.sendEvent(self.view.viewport(), event)

    def close(self) -> None:
        self.chart.leave()
        self.chart.wait()
        self.view.close()
        self.view.deleteLater()


def place_of(at_ms: int, lane: int = 0) -> QPoint:
    return QPoint(180 + at_ms, 20 + lane * 24 + 12)


@pytest.fixture
def lanes(qt: QApplication, wait_until: WaitUntil) -> Iterator[Lanes]:
    made = Lanes(wait_until)
    yield made
    made.close()


def test_it_asks_for_what_is_in_sight(lanes: Lanes) -> None:
    assert lanes.wishes[-1] == LanesViewport(0, 9, 1000, 20)
    image = lanes.view.viewport().grab().toImage()
    background = load_theme("light").flame_background
    assert image.pixelColor(place_of(300, 1)).name() != background
    assert image.pixelColor(place_of(450, 1)).name() == background


def test_a_drag_draws_a_span_and_moves_its_ends(lanes: Lanes, heard: Any) -> None:
    lanes.brush.chosen.connect(heard.hear)
    lanes.drag(300, 500)
    lanes.drag(501, 800)
    lanes.drag(299, 600)
    assert heard.values == [
        (300 * MS, 500 * MS), (300 * MS, 800 * MS), (600 * MS, 800 * MS),
    ]  # fmt: skip


def test_what_lies_beside_the_span_is_faded(lanes: Lanes) -> None:
    port = lanes.view.viewport()
    before = port.grab().toImage().pixelColor(place_of(900)).name()
    lanes.drag(300, 500)
    image = port.grab().toImage()
    assert image.pixelColor(place_of(900)).name() != before
    assert image.pixelColor(place_of(400)).name() == before


def test_a_click_chooses_a_thread_and_no_span(lanes: Lanes) -> None:
    QTest.mouseClick(lanes.view.viewport(), LEFT, pos=place_of(300, 2))
    lanes.wait_until(lambda: lanes.picture.chosen == 2)
    QTest.mouseClick(lanes.view.viewport(), LEFT, pos=QPoint(20, 20 + 24 + 3))
    lanes.wait_until(lambda: lanes.picture.chosen == 1)
    QTest.mouseClick(lanes.view.viewport(), LEFT, pos=place_of(300, 5))
    assert lanes.brush.span is None


def test_the_wheel_zooms_and_moves_time(lanes: Lanes) -> None:
    lanes.wheel(3, 500, CTRL)
    lanes.wait_until(lambda: lanes.view.is_zoomed)
    begin, end = lanes.picture.window
    assert end - begin == pytest.approx(1000 * MS / 1.25**3, abs=2)
    assert (begin + end) / 2 == pytest.approx(500 * MS, abs=MS)
    lanes.wheel(-1, 500, SHIFT)
    lanes.wait_until(lambda: lanes.picture.window[0] > begin)
    QTest.mouseDClick(lanes.view.viewport(), LEFT, pos=place_of(500))
    lanes.wait_until(lambda: not lanes.view.is_zoomed)


def test_keys_choose_threads_and_draw_a_span(lanes: Lanes) -> None:
    QTest.keyClick(lanes.view, KEY.Key_Down)
    lanes.wait_until(lambda: lanes.picture.chosen == 1)
    QTest.keyClick(lanes.view, KEY.Key_Up)
    lanes.wait_until(lambda: lanes.picture.chosen == 0)
    QTest.keyClick(lanes.view, KEY.Key_Right)
    assert lanes.brush.span == (450 * MS, 550 * MS)
    QTest.keyClick(lanes.view, KEY.Key_Left)
    QTest.keyClick(lanes.view, KEY.Key_Right, SHIFT)
    assert lanes.brush.span == (440 * MS, 550 * MS)
    QTest.keyClick(lanes.view, KEY.Key_Escape)
    assert lanes.brush.span is None
    QTest.keyClick(lanes.view, KEY.Key_Plus)
    lanes.wait_until(lambda: lanes.view.is_zoomed)
    begin = lanes.picture.window[0]
    QTest.keyClick(lanes.view, KEY.Key_D)
    lanes.wait_until(lambda: lanes.picture.window[0] > begin)
    QTest.keyClick(lanes.view, KEY.Key_0)
    lanes.wait_until(lambda: not lanes.view.is_zoomed)


def test_the_pointer_says_what_a_thread_did(lanes: Lanes, heard: Any) -> None:
    lanes.view.pointed.connect(heard.hear)
    port = lanes.view.viewport()
    QTest.mouseMove(port, place_of(300, 1))
    assert heard.last == "B at 300 ms: spin, busy 100%"
    QTest.mouseMove(port, QPoint(30, 60))
    assert heard.last == ""
    QTest.mousePress(port, LEFT, pos=place_of(300))
    QTest.mouseMove(port, place_of(320))
    QTest.mouseMove(port, place_of(400))
    assert heard.last == "300 ms to 400 ms (100 ms)"
    QTest.mouseRelease(port, LEFT, pos=place_of(400))


def test_many_threads_are_scrolled(qt: QApplication, wait_until: WaitUntil) -> None:
    lanes = Lanes(wait_until, "\n".join(f"T{at} f 0 {1000 - at}" for at in range(40)))
    lanes.view.verticalScrollBar().setValue(20 * 24)
    wait_until(lambda: lanes.picture.first_lane == 20)
    QTest.mouseClick(lanes.view.viewport(), LEFT, pos=place_of(300, 1))
    wait_until(lambda: lanes.picture.lanes[lanes.picture.chosen].name == "T21")
    lanes.wheel(100, 300, NONE)
    assert lanes.view.verticalScrollBar().value() == 0
    QTest.keyClick(lanes.view, KEY.Key_Down)
    assert lanes.view.verticalScrollBar().value() > 0, "the chosen thread is in sight"
    lanes.close()


def test_a_span_stays_within_the_time() -> None:
    whole = (0, 100)
    assert move_span((10, 30), 5, False, whole) == (15, 35)
    assert move_span((10, 30), -50, False, whole) == (0, 20)
    assert move_span((10, 30), 500, False, whole) == (80, 100)
    assert move_span((10, 30), 500, True, whole) == (10, 100)
    assert move_span((10, 30), -500, True, whole) == (10, 11)


def test_a_touchpad_pans_by_less_than_a_notch(lanes: Lanes, heard: Any) -> None:
    lanes.view.panned.connect(heard.hear)
    place = QPointF(place_of(500))
    for across, down in ((-12, 3), (-3, 12)):
        event = QWheelEvent(
            place, place, QPoint(), QPoint(across, down), Qt.MouseButton.NoButton,
            NONE, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QGuiApplication.sendEvent(lanes.view.viewport(), event)
    assert heard.values == pytest.approx([0.01 * 1000 * MS])  # the second one scrolls the lanes
