"""Rows of tables, as a screen reader asks for them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QStandardItem, QStandardItemModel
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from stackglass_viewer.view.widgets import accessible_parts
from stackglass_viewer.view.widgets.accessible_rows import RowTable, offer_rows

CTRL = Qt.KeyboardModifier.ControlModifier
NAME, VALUE = QAccessible.Text.Name, QAccessible.Text.Value


@pytest.fixture
def table(qt: QApplication) -> Iterator[RowTable]:
    made = RowTable()
    offer_rows(made, lambda: (1,))
    model = QStandardItemModel(0, 3, made)
    model.setHorizontalHeaderLabels(["Flat", "Function", "File"])
    for texts in (("3 ms", "serve", "web.py"), ("–", "main", ""), ("1 ms", "", "a.py")):
        model.appendRow([QStandardItem(text) for text in texts])
    made.setModel(model)
    made.setSelectionBehavior(RowTable.SelectionBehavior.SelectRows)
    made.show()
    yield made
    made.deleteLater()


def read(table: RowTable) -> list[tuple[str, str]]:
    asked = QAccessible.queryAccessibleInterface(table)
    rows = [asked.child(row) for row in range(asked.childCount())]
    return [(row.text(NAME), row.text(VALUE)) for row in rows]


def test_a_row_begins_with_its_name(table: RowTable) -> None:
    assert QAccessible.queryAccessibleInterface(table).role() == QAccessible.Role.List
    assert read(table) == [
        ("serve", "Flat 3 ms, File web.py"),
        ("main", ""),
        ("Flat 1 ms", "File a.py"),
    ]


def test_what_is_painted_is_read(table: RowTable) -> None:
    model = table.model()
    model.setData(model.index(1, 0), "2,000 s", Qt.ItemDataRole.AccessibleTextRole)
    assert read(table)[1] == ("main", "Flat 2,000 s")
    model.removeRow(0)
    assert [name for name, _ in read(table)] == ["main", "Flat 1 ms"]


def test_a_row_that_stays_is_the_same_after_a_refresh(table: RowTable) -> None:
    """Qt's own cells are gone then, and cannot be read any more."""
    row = QAccessible.queryAccessibleInterface(table).child(0)
    model = table.model()
    model.layoutAboutToBeChanged.emit()
    model.layoutChanged.emit()
    assert row.isValid()
    assert row.text(NAME) == "serve"


def test_the_row_that_keys_lead_to_is_announced(
    table: RowTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[QAccessible.Event, int]] = []

    class Recorded:
        """In the place of Qt's registry of what screen readers are sent."""

        Event = QAccessible.Event

        @staticmethod
        def isActive() -> bool:
            return True

        @staticmethod
        def updateAccessibility(event: QAccessibleEvent) -> None:
            sent.append((event.type(), event.child()))

    monkeypatch.setattr(accessible_parts, "QAccessible", Recorded)
    monkeypatch.setattr(table, "hasFocus", lambda: True)
    table.selectRow(2)
    table.selectRow(1)
    assert sent == [(QAccessible.Event.Focus, 2), (QAccessible.Event.Focus, 1)]
    assert table.selectionModel().isRowSelected(1)


@pytest.mark.parametrize("held", [Qt.KeyboardModifier.ShiftModifier, CTRL], ids=["Shift", "Ctrl"])
def test_a_held_key_does_not_change_what_the_program_selects(
    table: RowTable, held: Qt.KeyboardModifier
) -> None:
    """A row that a refresh selects, while the user holds a key for something else."""
    button = QPushButton()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, held)
    button.deleteLater()
    assert QApplication.keyboardModifiers() == held
    table.selectRow(2)
    table.selectRow(1)
    assert [index.row() for index in table.selectionModel().selectedRows()] == [1]


def test_keys_that_a_field_hands_on(qt: QApplication) -> None:
    table = RowTable()
    keys = [True]
    offer_rows(table, lambda: (0,), lambda: keys[0])
    model = QStandardItemModel(2, 1, table)
    table.setModel(model)
    table.show()
    table.selectRow(1)
    asked = QAccessible.queryAccessibleInterface(table)
    assert [asked.child(row).state().focused for row in (0, 1)] == [False, True]
    keys[0] = False
    assert not asked.child(1).state().focused
    table.deleteLater()


def test_focus_chooses_no_row_after_a_reset(table: RowTable) -> None:
    """Esc would first undo a choice that was not the user's."""
    model = table.model()
    model.beginResetModel()
    model.endResetModel()
    table.activateWindow()
    table.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.qWait(0)
    assert table.hasFocus()
    assert not table.currentIndex().isValid()
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert table.currentIndex().row() == 0  # keys begin at the first row
