"""A table that is made when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.view.tables.lazy_table import LazyTable
from stackglass_viewer.view.widgets.theme import load_theme

WaitUntil = Callable[[Callable[[], bool]], None]
LINES = [LineName("shop.take", "shop.py", 7), LineName("shop.main", "shop.py", 90)]


@pytest.fixture
def model(qt: QApplication) -> StackModel:
    return StackModel()


@pytest.fixture
def table(model: StackModel) -> Iterator[LazyTable]:
    room = QWidget()
    made = LazyTable(model, load_theme("light"), (192, 148), "Stack", room)
    made.resize(400, 300)
    yield made
    room.close()
    room.deleteLater()


def test_it_is_made_when_it_is_looked_at(table: LazyTable, wait_until: WaitUntil) -> None:
    table.say("Nothing", "Choose a row")
    table.set_theme(load_theme("dark"))
    assert table._table is None
    table.window().show()
    wait_until(lambda: table._table is not None)
    assert table._table is not None
    assert table._table.accessibleName() == "Stack"
    assert table.entry is table._table
    table.window().hide()
    made = table._table
    table.window().show()
    assert table._table is made


def test_it_is_a_stop_of_tab_until_its_table_is(table: LazyTable, wait_until: WaitUntil) -> None:
    stops = (table.focusPolicy(), table.accessibleName())
    assert stops == (Qt.FocusPolicy.TabFocus, "Stack")
    table.window().show()
    wait_until(lambda: table._table is not None)
    assert (table.focusPolicy(), table.accessibleName()) == (Qt.FocusPolicy.NoFocus, "")


def test_its_words_stand_where_there_are_no_rows(
    table: LazyTable, model: StackModel, wait_until: WaitUntil
) -> None:
    table.say("Nothing", "Choose a row")
    table.window().show()
    wait_until(lambda: table._note is not None and table._note.isVisible())
    note = table._note
    assert note is not None
    assert (note._title.text(), note._text.text()) == ("Nothing", "Choose a row")
    model.set_lines(LINES)
    table.say("", "")
    assert not note.isVisible()


def test_rows_are_chosen_in_it(table: LazyTable, model: StackModel, wait_until: WaitUntil) -> None:
    model.set_lines(LINES)
    chosen, activated = QSignalSpy(table.row_chosen), QSignalSpy(table.row_activated)
    table.window().show()
    wait_until(lambda: table._table is not None)
    inner = table._table
    assert inner is not None
    inner.selectRow(1)
    QTest.keyClick(inner, Qt.Key.Key_Return)
    assert [chosen.at(0), activated.at(0)] == [[1], [1]]
