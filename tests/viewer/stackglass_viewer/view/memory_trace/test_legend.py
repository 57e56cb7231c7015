"""The legend of the heap map."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from harness.accessible import find_current, find_part_at, list_parts
from stackglass_viewer.presenter.memory_trace.map_groups import Colouring, Group
from stackglass_viewer.presenter.memory_trace.map_picture import MapLegend, MapLegendEntry
from stackglass_viewer.view.memory_trace.legend import LegendEntries
from stackglass_viewer.view.widgets.theme import load_theme

ENTRIES = tuple(MapLegendEntry(Group(f"type {n}"), 0xFF808080, 0.1) for n in range(10))
NO_KEYS = Qt.KeyboardModifier.NoModifier
LEGEND = MapLegend(Colouring.TYPE, ENTRIES, 3, 0.0)


@pytest.fixture
def legend(qt: QApplication) -> LegendEntries:
    made = LegendEntries(load_theme("light"), "heap map")
    made.resize(280, 200)
    made.show_legend(LEGEND)
    return made


def test_a_click_chooses_a_group(legend: LegendEntries) -> None:
    chosen: list[str] = []
    legend.group_chosen.connect(chosen.append)
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton, pos=QPoint(20, 25))
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton, pos=QPoint(20, 199))
    assert chosen == ["type 1", ""]


@pytest.mark.parametrize(("height_px", "n_rows"), [(300, 10), (100, 4), (10, 1)])
def test_what_has_no_room_is_counted(legend: LegendEntries, height_px: int, n_rows: int) -> None:
    legend.resize(280, height_px)
    assert len(legend._list_rows(LEGEND)) == n_rows
    legend.grab()


def test_a_type_of_rust_is_no_markup(
    legend: LegendEntries, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _view: said.append(text))
    entry = MapLegendEntry(Group("<I as IntoIterator>::into_iter"), 0xFF808080, 0.1)
    legend.show_legend(MapLegend(Colouring.TYPE, (entry,), 0, 0.0))
    place = QPointF(20, 5)
    none = Qt.MouseButton.NoButton
    moved = QMouseEvent(QEvent.Type.MouseMove, place, place, none, none, NO_KEYS)
    legend.mouseMoveEvent(moved)
    assert "&lt;I as IntoIterator&gt;::into_iter" in said[-1]


def press(legend: LegendEntries, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(legend, key)


def test_keys_move_through_the_groups_and_highlight_one(legend: LegendEntries) -> None:
    chosen: list[str] = []
    legend.group_chosen.connect(chosen.append)
    assert legend.focusPolicy() & Qt.FocusPolicy.TabFocus
    enter = Qt.Key.Key_Return
    press(legend, Qt.Key.Key_Down, Qt.Key.Key_Down, enter, Qt.Key.Key_Up, Qt.Key.Key_Enter)
    press(legend, Qt.Key.Key_Home, Qt.Key.Key_Up, enter)
    n_rows = len(legend._list_rows(LEGEND))
    press(legend, Qt.Key.Key_End, Qt.Key.Key_Down, enter)
    assert chosen == ["type 2", "type 1", "type 0", f"type {n_rows - 1}"]


def test_esc_ends_the_highlight_and_nothing_else(legend: LegendEntries) -> None:
    chosen: list[str] = []
    legend.group_chosen.connect(chosen.append)
    press(legend, Qt.Key.Key_Escape)
    assert chosen == []
    legend.show_legend(replace(LEGEND, chosen="type 3"))
    press(legend, Qt.Key.Key_Escape)
    assert chosen == [""]


def test_keys_begin_at_the_row_that_was_clicked(legend: LegendEntries) -> None:
    chosen: list[str] = []
    legend.group_chosen.connect(chosen.append)
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton, pos=QPoint(20, 25))
    press(legend, Qt.Key.Key_Down, Qt.Key.Key_Return)
    assert chosen == ["type 1", "type 2"]


def test_screen_readers_get_the_groups_in_sight(legend: LegendEntries) -> None:
    legend.resize(280, 100)
    legend.show_legend(replace(LEGEND, chosen="type 1"))
    assert list_parts(legend) == [
        ("type 0", "10.0%"),
        ("type 1", "10.0%, highlighted"),
        ("type 2", "10.0%"),
        ("type 3", "10.0%"),
    ]
    assert find_current(legend) == "type 0"
    press(legend, Qt.Key.Key_Down)
    assert find_current(legend) == "type 1"
    assert find_part_at(legend, 20, 45) == "type 2"
    assert find_part_at(legend, 20, 90) == ""
    legend.resize(280, 10)  # the row that keys act on has no room any more
    assert find_current(legend) == "type 0"


def test_an_empty_legend_leaves_keys_to_others(legend: LegendEntries) -> None:
    legend.show_legend(MapLegend(Colouring.NONE, (), 0, 0.0))
    press(legend, Qt.Key.Key_Down, Qt.Key.Key_Return)
    assert list_parts(legend) == []
    assert find_current(legend) == ""
    legend.grab()


def test_the_keys_row_has_a_frame(legend: LegendEntries) -> None:
    legend.show()
    legend.clearFocus()
    without = legend.grab().toImage()
    legend.setFocus()
    QApplication.processEvents()
    assert legend.hasFocus()
    with_frame = legend.grab().toImage()
    accent = load_theme("light").accent
    assert with_frame.pixelColor(100, 0).name() == accent
    assert without.pixelColor(100, 0).name() != accent
    legend.hide()
