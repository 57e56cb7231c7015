"""The button that opens the list of threads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QAccessible, QCursor
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QPushButton

from stackglass_viewer.presenter.settings.thread_choice import ALL_THREADS
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
    spoken = QAccessible.queryAccessibleInterface(popup._list)
    assert spoken.text(QAccessible.Text.Name) == "Threads"
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


@pytest.mark.parametrize("is_in_list", [False, True])
def test_esc_clears_the_search_before_it_closes_the_list(
    button: ThreadFilter, model: ThreadModel, is_in_list: bool
) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    popup = button._popup
    assert popup is not None
    QTest.keyClicks(popup._search, "work")
    if is_in_list:
        QTest.keyClick(popup._search, Qt.Key.Key_Down)
    QTest.keyClick(popup._list if is_in_list else popup._search, Qt.Key.Key_Escape)
    assert popup.isVisible()
    assert popup._search.text() == ""
    assert model.rowCount() == 2
    assert popup._search.hasFocus()
    QTest.keyClick(popup._search, Qt.Key.Key_Escape)
    assert not popup.isVisible()


def test_rows_have_their_order_again_after_a_search(
    button: ThreadFilter, model: ThreadModel
) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    popup = button._popup
    assert popup is not None
    QTest.keyClicks(popup._search, "work")
    popup._search.clear()
    assert [model.index(row).data() for row in range(2)] == ["main", "worker"]
    popup.close()


def test_arrows_lead_into_the_list_and_the_current_row_stays(
    button: ThreadFilter, model: ThreadModel
) -> None:
    model.tester = QAbstractItemModelTester(  # type: ignore[attr-defined] # kept alive
        model, QAbstractItemModelTester.FailureReportingMode.Fatal
    )
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    popup = button._popup
    assert popup is not None
    QTest.keyClick(popup._search, Qt.Key.Key_Down)
    QTest.keyClick(popup._list, Qt.Key.Key_Down)
    assert popup._list.currentIndex().data() == "worker"
    model.set_rows([ThreadRow((9,), "new", 0.6), ThreadRow((8,), "worker", 0.4)])  # main ended
    assert [model.index(row).data() for row in range(2)] == ["worker", "new"]
    assert popup._list.currentIndex().data() == "worker"
    QTest.keyClick(popup._list, Qt.Key.Key_Space)
    assert model.chosen == frozenset({8})
    popup.close()


def test_the_number_of_threads_and_a_tick_of_some_are_seen(
    button: ThreadFilter, model: ThreadModel, qt: QApplication
) -> None:
    name = "a pool with a name that is too long for the list #"
    model.set_rows([ThreadRow((1, 2, 3), name, 0.5, True)])
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    popup = button._popup
    assert popup is not None
    assert popup._list.textElideMode() == Qt.TextElideMode.ElideMiddle  # the end is "×3"
    apply_theme(qt, load_theme("light"))
    pictures = []
    for chosen in (frozenset[int](), frozenset({1}), frozenset({1, 2, 3})):
        model.choose(chosen)
        pictures.append(popup._list.viewport().grab().toImage())
    none, some, every = pictures
    assert some != none
    assert some != every
    popup.close()
    qt.setStyleSheet("")


def test_folded_threads_are_ticked_together(model: ThreadModel) -> None:
    model.set_rows([ThreadRow((7,), "main", 0.5), ThreadRow((1, 2, 3), "worker #", 0.5, True)])
    folded, role = model.index(1), Qt.ItemDataRole.CheckStateRole
    assert folded.data() == "worker #  ×3"
    assert folded.data(Qt.ItemDataRole.ToolTipRole) == "3 threads that ended"
    model.setData(folded, Qt.CheckState.Checked, role)
    assert model.chosen == frozenset({1, 2, 3})
    assert model.summary == "3 threads"
    model.set_rows([ThreadRow((7,), "main", 0.5), ThreadRow((1, 2, 3, 4), "worker #", 0.5, True)])
    assert model.index(1).data(role) == Qt.CheckState.Checked  # one more has ended
    assert model.chosen == frozenset({1, 2, 3, 4})
    model.setData(model.index(1), Qt.CheckState.Unchecked, role)
    assert model.chosen is None
    model.set_rows([ThreadRow((7,), "main", 0.5), ThreadRow((1, 2, 3, 5), "worker #", 0.5, True)])
    assert model.chosen is None


def test_a_thread_that_was_ticked_alone_brings_no_others(model: ThreadModel) -> None:
    role = Qt.ItemDataRole.CheckStateRole
    model.set_rows([ThreadRow((1,), "worker 1", 0.5), ThreadRow((2,), "worker 2", 0.5)])
    model.setData(model.index(0), Qt.CheckState.Checked, role)
    model.set_rows([ThreadRow((1, 2), "worker #", 1.0, True)])
    assert model.chosen == frozenset({1})
    assert model.index(0).data(role) == Qt.CheckState.PartiallyChecked
    model.setData(model.index(0), Qt.CheckState.Checked, role)
    model.restore(ALL_THREADS)
    model.set_rows([ThreadRow((1, 2, 3), "worker #", 1.0, True)])
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


class _CountingModel(ThreadModel):
    n_counts = 0

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        self.n_counts += 1  # once for each index that the list makes
        return super().rowCount(parent)


def test_ten_thousand_threads_get_their_places_when_the_list_is_open(qt: QApplication) -> None:
    model = _CountingModel()
    model.set_rows([ThreadRow((1 + at,), f"worker {at}", 0.0) for at in range(10_000)])
    button = ThreadFilter(model, load_theme("light"))
    button.show()
    qt.processEvents()
    model.n_counts = 0
    button.click()
    assert model.n_counts < 2_000
    popup = button._popup
    assert popup is not None
    for _ in range(60):
        qt.processEvents()
    listed = popup._list
    listed.scrollTo(model.index(9_999))
    assert listed.viewport().rect().contains(listed.visualRect(model.index(9_999)))
    # A thread that comes while the list is open leaves the list where it is.
    scrolled = listed.verticalScrollBar().value()
    model.set_rows([ThreadRow((1 + at,), f"worker {at}", 0.0) for at in range(10_001)])
    qt.processEvents()
    assert model.rowCount() == 10_001
    assert listed.verticalScrollBar().value() == scrolled
    assert listed.viewport().rect().contains(listed.visualRect(model.index(9_999)))
    popup.close()
    button.deleteLater()


def test_a_name_with_an_ampersand_is_shown_whole(button: ThreadFilter, model: ThreadModel) -> None:
    model.set_rows([ThreadRow((7,), "R&D", 1.0)])
    model.choose(frozenset((7,)))
    assert button.text() == " R&&D"
    assert button.toolTip().endswith("Now: R&D")


def test_odd_names_of_threads_stay_in_their_rows(model: ThreadModel) -> None:
    """A newline would be painted over the next row, and a direction mark would turn the count."""
    odd = "a\nb\u202e"
    model.set_rows([ThreadRow((7,), odd, 0.75), ThreadRow((8, 9), odd, 0.25, is_ended=True)])
    assert [model.index(row).data() for row in range(2)] == ["a\ufffdb\ufffd", "a\ufffdb\ufffd  ×2"]
    model.choose(frozenset({7}))
    assert model.summary == "a\ufffdb\ufffd"


def test_a_thread_that_is_found_once_it_is_named_comes_last(model: ThreadModel) -> None:
    """While the list is open: else the current row would stand for another thread."""
    QAbstractItemModelTester(model, model)
    unnamed = [ThreadRow((5,), "thread 5", 0.9), ThreadRow((8,), "worker 1", 0.1)]
    model.set_rows(unnamed)
    model.hold(True)
    model.set_search("worker")
    current = QPersistentModelIndex(model.index(0))
    assert current.data() == "worker 1"
    model.set_rows([ThreadRow((5,), "worker 0", 0.9), unnamed[1]])
    assert [model.index(row).data() for row in range(model.rowCount())] == ["worker 1", "worker 0"]
    assert current.data() == "worker 1"
    model.setData(model.index(1), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    assert model.chosen == frozenset({5})
