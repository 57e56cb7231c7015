"""What a screen reader gets of the curve of a memory trace."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.presenter.memory_trace.curve import Curve
from stackglass_viewer.view.memory_trace.curve_view import CurveView
from stackglass_viewer.view.widgets.theme import load_theme

MIB = 1 << 20
S = 1_000_000_000


@pytest.fixture
def view(qt: QApplication) -> Iterator[CurveView]:
    """Four seconds from 10 s on, which the ruler counts from."""
    made = CurveView(load_theme("light"))
    made.resize(600, 104)
    made.set_zero(10 * S)
    made.show_window(MapWindow(10 * S, 14 * S, 0, 1))
    yield made
    made.deleteLater()


def show_curve(view: CurveView) -> None:
    live = np.array([1, 2, 8, 4], dtype=np.int64) * MIB
    view.show_curve(Curve(MapWindow(10 * S, 14 * S, 0, 1), live, live, (12 * S, 9 * MIB)))


def read(view: CurveView) -> list[tuple[str, str]]:
    interface = QAccessible.queryAccessibleInterface(view)
    assert interface is not None
    children = [interface.child(index) for index in range(interface.childCount())]
    text = QAccessible.Text
    return [(each.text(text.Name), each.text(text.Value)) for each in children if each is not None]


def test_without_a_curve_there_are_no_points(view: CurveView) -> None:
    assert read(view) == []


def test_cursor_peak_and_marks_are_read(view: CurveView) -> None:
    show_curve(view)
    view.show_cursor(13 * S + S // 2)
    points = read(view)
    assert points[:2] == [
        ("Cursor at 3.50 s", "4.00 MiB in use"),
        ("Peak at 2.00 s", "9.00 MiB in use"),
    ]
    assert ("1.00 s", "2.00 MiB in use") in points[2:]


def test_a_cursor_out_of_sight_is_said(view: CurveView) -> None:
    show_curve(view)
    view.show_cursor(20 * S)
    assert read(view)[0] == ("Cursor at 10.0 s", "not in view")


def test_the_point_below_the_pointer_is_found(view: CurveView) -> None:
    show_curve(view)
    view.show_cursor(11 * S)
    interface = QAccessible.queryAccessibleInterface(view)
    assert interface is not None
    peak = interface.child(1)
    assert peak is not None
    place = peak.rect().center()
    found = interface.childAt(place.x(), place.y())
    assert found is not None
    assert found.text(QAccessible.Text.Name) == "Peak at 2.00 s"
