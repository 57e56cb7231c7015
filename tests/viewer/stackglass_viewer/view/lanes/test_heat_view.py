"""The heat map: cells by their heat, a drag from cell to cell, arrow keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.timed_stacks import MS, make_stretches
from stackglass_viewer.model.chart.heat_map import build_heat_map
from stackglass_viewer.model.chart.stretches import Precision
from stackglass_viewer.presenter.document.lanes_picture import UNTIMED
from stackglass_viewer.presenter.document.time_chart import HeatPicture
from stackglass_viewer.view.lanes.bar import TimeBar
from stackglass_viewer.view.lanes.heat_view import HeatView
from stackglass_viewer.view.lanes.span_brush import SpanBrush
from stackglass_viewer.view.widgets.theme import load_theme

WaitUntil = Callable[[Callable[[], bool]], None]
LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier
TEXT = """
    A f 0 500
    A g 1000 1040
    B h 1000 1020
    A f 2000 2300
"""
LENGTH = 2300 * MS


@pytest.fixture
def brush(qt: QApplication, heard: Any) -> SpanBrush:
    made = SpanBrush()
    made.chosen.connect(heard.hear)
    made.chosen.connect(made.show)
    return made


@pytest.fixture
def view(brush: SpanBrush) -> Iterator[HeatView]:
    made = HeatView(brush, load_theme("light"))
    made.resize(800, 20 + 50 * 4)  # a cell is 24 × 4 pixels
    stretches = make_stretches(TEXT)
    made.show_picture(HeatPicture(build_heat_map(stretches, [0, 1]), 0, LENGTH))
    made.show()
    QTest.qWaitForWindowExposed(made)
    yield made
    made.close()
    made.deleteLater()


def place_of(column: int, row: int) -> QPoint:
    return QPoint(180 + column * 24 + 12, 20 + row * 4 + 2)


def colour_at(view: HeatView, column: int, row: int) -> str:
    return view.grab().toImage().pixelColor(place_of(column, row)).name()


def test_the_hotter_a_cell_the_more_of_the_accent_it_has(view: HeatView) -> None:
    theme = load_theme("light")
    assert colour_at(view, 1, 0) == theme.accent
    assert colour_at(view, 1, 2) == theme.flame_background
    assert colour_at(view, 0, 0) not in (theme.accent, theme.flame_background)
    assert colour_at(view, 0, 0) == colour_at(view, 2, 3)


def test_a_drag_chooses_the_cells_from_one_to_another(
    view: HeatView, brush: SpanBrush, heard: Any
) -> None:
    QTest.mousePress(view, LEFT, pos=place_of(1, 10))
    QTest.mouseMove(view, place_of(0, 40))
    assert brush.span == (800 * MS, 1220 * MS)
    QTest.mouseRelease(view, LEFT, pos=place_of(0, 40))
    QTest.mousePress(view, LEFT, pos=place_of(1, 0))
    QTest.mouseMove(view, QPoint(5000, 5000))
    QTest.mouseRelease(view, LEFT, pos=QPoint(5000, 5000))
    assert heard.values == [(800 * MS, 1220 * MS), (1000 * MS, LENGTH)]


def test_a_click_chooses_a_cell(view: HeatView, heard: Any) -> None:
    QTest.mouseClick(view, LEFT, pos=place_of(1, 1))
    QTest.mouseClick(view, LEFT, pos=QPoint(20, 40))
    assert heard.values == [(1020 * MS, 1040 * MS)]


def test_cells_beside_the_span_are_faded(view: HeatView, brush: SpanBrush) -> None:
    before = colour_at(view, 0, 5), colour_at(view, 2, 5)
    brush.show((0, 1000 * MS))
    after = colour_at(view, 0, 5), colour_at(view, 2, 5)
    assert (after[0] == before[0], after[1] == before[1]) == (True, False)


def test_keys_begin_at_the_hottest_cell(
    view: HeatView, brush: SpanBrush, heard: Any, wait_until: WaitUntil
) -> None:
    QTest.keyClick(view, KEY.Key_Right)
    assert brush.span == (1000 * MS, 1020 * MS)
    QTest.keyClick(view, KEY.Key_Down)
    QTest.keyClick(view, KEY.Key_Right, SHIFT)
    assert brush.span == (1020 * MS, 2040 * MS)
    wait_until(lambda: bool(heard.values))
    assert heard.values == [(1020 * MS, 2040 * MS)]
    QTest.keyClick(view, KEY.Key_Up)
    QTest.keyClick(view, KEY.Key_Escape)
    assert brush.span == (1020 * MS, 2040 * MS), "what was drawn is given up"


def test_the_pointer_says_how_many_threads_were_busy(view: HeatView, heard: Any) -> None:
    view.pointed.connect(heard.hear)
    QTest.mouseMove(view, place_of(1, 0))
    assert heard.last == "1.00 s to 1.02 s: 2 threads busy"
    QTest.mouseMove(view, QPoint(20, 40))
    assert heard.last == ""


@pytest.mark.parametrize(
    ("heat", "words"),
    [(0.5, "0.5 threads"), (1, "1 thread"), (9.96, "10 threads"), (123, "123 threads")],
)
def test_numbers_of_busy_threads_are_words_one_reads(
    view: HeatView, heat: float, words: str
) -> None:
    assert view.picture is not None
    cells = view.picture.heat.heat.copy()
    cells[...] = heat
    view.show_picture(replace(view.picture, heat=replace(view.picture.heat, heat=cells)))
    assert view.describe(0).endswith(f": {words} busy")


def test_seconds_without_exact_times_say_so(view: HeatView) -> None:
    stretches = replace(make_stretches(TEXT), precision=Precision(1000 * MS, 2000 * MS))
    picture = HeatPicture(build_heat_map(stretches, [0, 1]), 0, LENGTH)
    view.show_picture(picture)
    assert view.describe(10).endswith(UNTIMED)
    second = view.describe(50)
    assert second.startswith("1.00 s to 2.00 s: ")
    assert second.endswith("on average, of times that are known to the second")
    assert view.describe(70) == second
    assert "on average" not in view.describe(100)
    assert colour_at(view, 1, 10) == colour_at(view, 1, 40)
    line = view.grab().toImage()
    assert line.pixelColor(180 + 2 * 24, 20 + 2) != line.pixelColor(180 + 2 * 24 + 3, 20 + 2)
    assert "Left of the line" in picture.about
    exact = HeatPicture(build_heat_map(make_stretches(TEXT), [0, 1]), 0, LENGTH)
    assert exact.about == ""


def test_the_bar_says_what_is_left_of_the_line(qt: QApplication) -> None:
    bar = TimeBar()
    stretches = replace(make_stretches(TEXT), precision=Precision(0, 2000 * MS))
    picture = HeatPicture(build_heat_map(stretches, [0, 1]), 0, LENGTH)
    bar.show_heat(picture)
    assert "Left of the line" not in bar.text
    bar.choose("heat")
    assert bar.text.startswith(f"{picture.about}  ·  Drag over the cells")
