"""Compound widgets: the entry takes the focus, and Tab passes no part."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QWidget

from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.tab_order import order_tabs


class Shown:
    """A window: a button, a compound of two that are entered at the second, and another button."""

    def __init__(self) -> None:
        self.window = QWidget()
        layout = QHBoxLayout(self.window)
        self.before = QPushButton("before")
        self.compound = CompoundWidget()
        inner = QHBoxLayout(self.compound)
        self.first, self.entry = QPushButton("first"), QPushButton("entry")
        self.after = QPushButton("after")
        for button in (self.first, self.entry):
            inner.addWidget(button)
        for widget in (self.before, self.compound, self.after):
            layout.addWidget(widget)
        self.window.show()
        self.window.activateWindow()

    @property
    def focused(self) -> str:
        widget = self.window.focusWidget()
        return widget.text() if isinstance(widget, QPushButton) else type(widget).__name__

    def go_round(self, n: int, key: Qt.Key = Qt.Key.Key_Tab) -> list[str]:
        texts = []
        for _ in range(n):
            focused = self.window.focusWidget()
            assert focused is not None
            QTest.keyClick(focused, key)
            texts.append(self.focused)
        return texts


@pytest.fixture
def shown(qt: QApplication) -> Iterator[Shown]:
    made = Shown()
    yield made
    made.window.close()
    made.window.deleteLater()


def test_the_entry_takes_the_focus(shown: Shown) -> None:
    shown.compound.set_entry(shown.entry)
    shown.compound.setFocus()
    assert shown.focused == "entry"


def test_an_entry_that_is_made_late_takes_the_focus_from_the_widget(shown: Shown) -> None:
    shown.compound.setFocus()
    assert shown.focused == "CompoundWidget"
    shown.compound.set_entry(shown.entry)
    assert shown.focused == "entry"


def test_a_widget_that_qt_gives_the_focus_passes_it_on(shown: Shown) -> None:
    assert QTest.qWaitForWindowActive(shown.window)
    shown.compound.set_entry(shown.entry)
    QWidget.setFocus(shown.compound)
    assert shown.focused == "entry"


def test_an_entry_that_is_made_late_leaves_the_focus_elsewhere(shown: Shown) -> None:
    shown.after.setFocus()
    shown.compound.set_entry(shown.entry)
    assert shown.focused == "after"


def test_the_entry_of_an_entry(shown: Shown) -> None:
    outer = CompoundWidget()
    assert outer.entry is None
    outer.set_entry(shown.compound)
    assert outer.entry is shown.compound
    shown.compound.set_entry(shown.entry)
    assert outer.entry is shown.entry
    outer.setFocus()
    assert shown.focused == "entry"
    outer.deleteLater()


def test_tab_goes_through_all_parts_in_turn(shown: Shown) -> None:
    """Also if the widget itself comes earlier in the order than its parts."""
    shown.compound.set_entry(shown.entry)
    order_tabs(shown.before, shown.after, shown.first, shown.entry)
    shown.before.setFocus()
    assert shown.go_round(4) == ["after", "first", "entry", "before"]
    assert shown.go_round(4, Qt.Key.Key_Backtab) == ["entry", "first", "after", "before"]
