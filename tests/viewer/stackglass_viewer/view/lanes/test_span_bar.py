"""The chip of the span that is shown: there while a part of the time is shown, and drops it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from stackglass_viewer.view.lanes.span_bar import SpanBar
from stackglass_viewer.view.widgets.theme import load_theme

MS = 1_000_000


def test_it_names_the_span_and_drops_it(qt: QApplication, heard: Any) -> None:
    bar = SpanBar(load_theme("dark"))
    bar.dropped.connect(heard.hear)
    assert not bar.has_span
    bar.show_span((1250 * MS, 1500 * MS))
    (chip,) = bar.findChildren(QToolButton)
    assert (bar.has_span, bar.isVisible()) == (True, True)
    assert chip.text() == "\u200e1.25 s to 1.50 s (250 ms)"
    assert chip.accessibleName() == "Show all of the time, not only 1.25 s to 1.50 s (250 ms)"
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton)
    assert len(heard.values) == 1
    bar.show_span(None)
    assert (bar.has_span, bar.isVisible()) == (False, False)
    bar.deleteLater()
