"""The legend of the heap map."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

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
