"""The button that opens the list of threads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QPushButton

from stackglass_viewer.presenter.settings.view_state import ThreadRow
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.view.capture.thread_filter import ThreadFilter
from stackglass_viewer.view.widgets.theme import apply_theme, load_theme


@pytest.fixture
def model(qt: QApplication) -> ThreadModel:
    made = ThreadModel()
    made.set_rows([ThreadRow((7,), "main", 0.75), ThreadRow((8,), "worker", 0.25)])
    return made


@pytest.fixture
def button(model: ThreadModel) -> Iterator[ThreadFilter]:
    made = ThreadFilter(model, load_theme("light"))
    made.show()
    yield made
    made.close()
    made.deleteLater()


def test_its_list_opens_and_ticks(button: ThreadFilter, model: ThreadModel) -> None:
    button.set_theme(load_theme("dark"))
    assert button._popup is None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    popup = button._popup
    assert popup is not None
    assert popup.isVisible()
    QCursor.setPos(popup._list.viewport().mapToGlobal(QPoint(100, 10)))  # on the words
    popup._on_row_clicked(model.index(1))
    ticked = model.index(1).data(Qt.ItemDataRole.CheckStateRole)
    assert ticked == Qt.CheckState.Checked
    assert button.text() == " worker"
    (everything,) = popup.findChildren(QPushButton)
    everything.click()
    assert button.text() == " All threads"
    popup.close()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button._popup is popup
    button.set_theme(load_theme("light"))
    popup.close()


def test_rows_are_searched_and_stay_where_they_are_while_it_is_open(
    button: ThreadFilter, model: ThreadModel
) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    popup = button._popup
    assert popup is not None
    new = [
        ThreadRow((9,), "worker 2", 0.6),
        ThreadRow((8,), "worker", 0.3),
        ThreadRow((7,), "main", 0.1),
    ]
    model.set_rows(new)
    names = [model.index(row).data() for row in range(model.rowCount())]
    assert names == ["main", "worker", "worker 2"]  # nothing moves under the pointer
    QTest.keyClicks(popup._search, "WORK")
    assert [model.index(row).data() for row in range(model.rowCount())] == ["worker", "worker 2"]
    popup.close()
    names = [model.index(row).data() for row in range(model.rowCount())]
    assert names == ["worker 2", "worker", "main"]


def test_down_leads_from_the_search_into_the_list(button: ThreadFilter, model: ThreadModel) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    popup = button._popup
    assert popup is not None
    QTest.keyClick(popup._search, Qt.Key.Key_Down)
    assert popup._list.currentIndex().row() == 0
    QTest.keyClick(popup._list, Qt.Key.Key_Down)
    QTest.keyClick(popup._list, Qt.Key.Key_Space)
    assert model.summary == "worker"
    QTest.keyClicks(popup._search, "unknown")
    QTest.keyClick(popup._search, Qt.Key.Key_Down)  # there is no row
    popup.close()


def test_folded_threads_are_ticked_together(model: ThreadModel) -> None:
    model.set_rows([ThreadRow((7,), "main", 0.5), ThreadRow((1, 2, 3), "worker #", 0.5, True)])
    folded, role = model.index(1), Qt.ItemDataRole.CheckStateRole
    assert folded.data() == "worker #  ×3"
    assert folded.data(Qt.ItemDataRole.ToolTipRole) == "3 threads that ended"
    model.setData(folded, Qt.CheckState.Checked, role)
    assert model.chosen == frozenset({1, 2, 3})
    assert model.summary == "3 threads"
    model.set_rows([ThreadRow((7,), "main", 0.5), ThreadRow((1, 2, 3, 4), "worker #", 0.5, True)])
    assert model.index(1).data(role) == Qt.CheckState.PartiallyChecked  # one more has ended
    model.setData(model.index(1), Qt.CheckState.Unchecked, role)
    assert model.chosen is None


def test_a_folded_thread_is_found_by_its_own_name(model: ThreadModel) -> None:
    model.set_rows([ThreadRow((7,), "main", 0.5), ThreadRow((1, 2, 3), "worker #", 0.5, True)])
    model.set_search("Worker 12")
    assert [model.index(row).data() for row in range(model.rowCount())] == ["worker #  ×3"]
    model.set_search("main 12")
    assert model.rowCount() == 0


def test_thousands_of_rows_are_not_measured_one_by_one(
    button: ThreadFilter, model: ThreadModel
) -> None:
    model.set_rows([ThreadRow((tid,), f"request {tid}", 0.0) for tid in range(10_000)])
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button._popup is not None
    assert button._popup._list.uniformItemSizes()
    button._popup.close()
