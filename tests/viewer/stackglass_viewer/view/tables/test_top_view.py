"""The table of functions: lines, copies, widths, names that are no plain text."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu

from harness.profiles import encode_stacks
from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.top import TopTable, build_top
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.presenter.tables.table_model import say_cell
from stackglass_viewer.presenter.tables.top_model import TopColumn, TopModel, order_rows
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.tables.cell_text import PADDING_PX
from stackglass_viewer.view.tables.top_view import TopView
from stackglass_viewer.view.widgets.text_fitter import TextFitter
from stackglass_viewer.view.widgets.theme import fixed_font, load_theme

WaitUntil = Callable[[Callable[[], bool]], None]
BOTH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
NARROW_PX = 464  # beside the graph, in a window of 1024 pixels


def build(text: str) -> TopTable:
    """Functions are defined at line 12 of their files."""
    message = Message.FromString(gzip.decompress(encode_stacks(text)))
    for function in message.function:
        function.start_line = 12
    profile = open_content(message.SerializeToString(), "test")
    assert isinstance(profile, Profile)
    tree = build_call_tree(profile)
    return build_top(tree, sum_type(tree, profile, TypeId(1)))


@pytest.fixture
def model(qt: QApplication) -> Iterator[TopModel]:
    worker = Worker("test")
    yield TopModel(worker)
    worker.stop()


def show(model: TopModel, table: TopTable) -> None:
    model.set_data(table, order_rows(table, model.wish))


@pytest.fixture
def view(model: TopModel) -> Iterator[TopView]:
    made = TopView(model, load_theme("light"))
    made.resize(NARROW_PX, 300)
    show(model, build("main;shop.take_an_order 30\nmain;shop.close 10"))
    made.show()
    QTest.qWaitForWindowExposed(made)
    yield made
    made.deleteLater()


def test_no_function_is_selected_by_the_focus(view: TopView, model: TopModel) -> None:
    selected: list[int] = []
    view.function_selected.connect(selected.append)
    show(model, build("main;shop.pack 4000"))  # other functions: the rows are replaced
    view._table.activateWindow()
    view._table.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.qWait(0)
    assert view._table.hasFocus()
    assert (selected, view.clear_selection()) == ([], False)


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("main", ["main"]),  # moves up from the rows that are removed
        ("main", ["shop.close", "main"]),
        ("main", ["shop.close"]),  # is removed
        ("shop.close", ["main"]),
        ("shop.take_an_order", ["main", "shop.take_an_order"]),
    ],
)
def test_rows_that_go_do_not_select_another_function(
    view: TopView, model: TopModel, name: str, left: list[str]
) -> None:
    table = build("main;shop.take_an_order 30\nmain;shop.close 10")
    number = table.name.index(name)
    view.select_function(number)
    selected: list[int] = []
    view.function_selected.connect(selected.append)
    order = [table.name.index(each) for each in left]
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.begin_anew()  # the pointer may be on a row, which would be held
    model.set_data(table, np.array(order, dtype=np.int64))
    assert selected == []
    assert view._table.currentIndex().row() == (order.index(number) if number in order else -1)
    model.set_data(table, np.array([], dtype=np.int64))
    assert selected == []
    tester.deleteLater()


def test_rows_are_copied_with_file_and_line(view: TopView) -> None:
    table = view._table
    table.selectRow(0)
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    row = "30 ns\t75.0%\t30 ns\t75.0%\tshop.take_an_order\tshop.py:12"
    assert QApplication.clipboard().text() == row
    QTest.keyClick(table, Qt.Key.Key_C, BOTH)
    lines = QApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == ["Flat", "Flat %", "Cum", "Cum %", "Function", "File"]
    assert lines[1] == row
    assert len(lines) == 4
    table.copy_cell(1, 4)
    assert QApplication.clipboard().text() == "shop.close"


def test_the_menu_key_opens_the_menu_of_the_current_row(view: TopView) -> None:
    table = view._table
    table.setCurrentIndex(table.model().index(1, 4))
    place = table.visualRect(table.currentIndex()).center()  # Qt takes it as the table's own
    reason = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(table, QContextMenuEvent(reason, place, table.mapToGlobal(place)))
    menu = table.findChild(QMenu)
    assert menu is not None
    menu.actions()[0].trigger()
    assert QApplication.clipboard().text() == "shop.close"
    menu.close()


def read_note(view: TopView) -> list[str]:
    """What stands in the middle of the table."""
    viewport = view._table.viewport()
    return [each.text() for each in viewport.findChildren(QLabel) if each.isVisible()]


def test_an_empty_table_says_why(view: TopView, model: TopModel, wait_until: WaitUntil) -> None:
    full = build("main;shop.take_an_order 30")
    view.set_placeholder("No samples", "The profile is complete and records no samples.")
    assert read_note(view) == []
    show(model, build("main 0"))
    assert read_note(view) == ["No samples", "The profile is complete and records no samples."]
    show(model, full)
    assert read_note(view) == []
    view.filter_changed.connect(model.set_filter)
    view._filter.setText("nowhere")
    wait_until(lambda: read_note(view) == ["No match", "No function or file matches the filter."])
    view.clear_filter()
    wait_until(lambda: read_note(view) == [])


def test_all_columns_fit_a_narrow_window(view: TopView, model: TopModel) -> None:
    table = view._table
    assert table.horizontalScrollBar().maximum() == 0
    files = model.columns.index(TopColumn.FILE)
    assert table.isColumnHidden(files)  # the names need its room
    assert all(table.columnWidth(column) >= 48 for column in range(files))
    index = model.index(0, model.columns.index(TopColumn.NAME))
    place = model.index(0, files).data()
    assert place
    assert index.data(Qt.ItemDataRole.ToolTipRole) == f"{index.data()}\n{place}"
    view.resize(2 * NARROW_PX, 300)
    assert not table.isColumnHidden(files)
    widths = sum(table.columnWidth(column) for column in range(model.columnCount()))
    assert widths == table.viewport().width()  # what is left belongs to the texts


def test_names_keep_their_room_and_numbers_leave(view: TopView, model: TopModel) -> None:
    counts: Int64s = np.array([40, 30, 20])
    names, files = ("a_rather_long_name",) * 3, ("shop.py",) * 3
    show(model, TopTable(names, files, counts, counts, counts, 100, "ns"))

    def list_shown(width_px: int) -> list[str]:
        view.resize(width_px, 300)
        QTest.qWait(0)
        table = view._table
        assert table.horizontalScrollBar().maximum() == 0
        assert table.columnWidth(model.columns.index(TopColumn.NAME)) >= 100
        return [each.title for at, each in enumerate(model.columns) if not table.isColumnHidden(at)]

    numbers = ["Calls", "Flat", "Flat %", "Cum", "Cum %"]
    assert list_shown(900) == [*numbers, "Function", "File"]
    assert list_shown(600) == [*numbers, "Function"]
    assert list_shown(NARROW_PX) == [*numbers[1:], "Function"]
    assert list_shown(380) == ["Flat", "Cum", "Cum %", "Function"]
    assert list_shown(310) == ["Flat", "Cum", "Function"]
    model.sort(0, Qt.SortOrder.DescendingOrder)  # by calls, which stay then
    assert list_shown(NARROW_PX) == ["Calls", "Flat", "Cum", "Cum %", "Function"]
    assert list_shown(900) == [*numbers, "Function", "File"]


def test_files_have_their_share_after_a_narrow_table(view: TopView, model: TopModel) -> None:
    counts: Int64s = np.array([40, 30, 20])
    table = TopTable(("name",) * 3, ("shop.py",) * 3, counts, counts, counts, 100, "ns")
    show(model, table)
    view.select_function(0)
    show(model, table)  # in a new order, after which Qt hides the hidden column again
    view.resize(1200, 300)
    assert view._table.columnWidth(model.columns.index(TopColumn.FILE)) > 170


def test_signs_of_changes_are_not_cut(
    view: TopView, model: TopModel, wait_until: WaitUntil
) -> None:
    change: Int64s = np.array([10_370_416, -94_925, -1_047_000])
    names, files = ("grown", "shrunk", "most digits"), ("",) * 3
    show(model, TopTable(names, files, change, change, None, 10, "bytes", is_change=True))
    table = view._table
    flat, wide_px = model.columns.index(TopColumn.FLAT), 2 * TextFitter(fixed_font()).measure("0")
    before_px = table.columnWidth(flat)
    texts = [say_cell(cell) for row in range(3) if (cell := model.cell(row, flat)) is not None]
    assert texts == ["+9.89 MiB", "−1022 KiB", "−92.7 KiB"]
    needed_px = TextFitter(fixed_font()).measure("−1022 KiB") + 2 * PADDING_PX
    assert before_px < needed_px  # or this shows nothing
    wait_until(lambda: table.columnWidth(flat) >= needed_px)
    assert table.columnWidth(flat) < needed_px + wide_px  # and no wider
    assert table.horizontalScrollBar().maximum() == 0
    table.horizontalHeader().resizeSection(flat, 60)  # by the user, who may cut what there is
    view.grab()
    QTest.qWait(0)
    QTest.qWait(0)
    assert table.columnWidth(flat) == 60


def test_names_that_would_change_the_line_are_shown_as_such(model: TopModel) -> None:
    names = ("a\nb", "left\u202eright", "one\u200dtwo", "1\u202f000 π")
    own: Int64s = np.arange(len(names), 0, -1)
    show(model, TopTable(names, ("", "dir\n/b.py", "", ""), own, own, None, 10, "count"))
    view = TopView(model, load_theme("light"))
    tip = model.index(1, 4).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "left\ufffdright\ndir\ufffd/b.py"
    assert model.index(1, 5).data(Qt.ItemDataRole.ToolTipRole) == "dir\ufffd/b.py"
    view._table.copy(is_whole=True)
    lines = QApplication.clipboard().text().splitlines()
    shown = [line.split("\t")[4] for line in lines[1:]]
    assert shown == ["a\ufffdb", "left\ufffdright", "one\ufffdtwo", "1\u202f000 π"]
    view.deleteLater()


def test_the_first_click_on_a_title_puts_the_largest_or_the_first_on_top(
    model: TopModel, view: TopView, wait_until: WaitUntil
) -> None:
    show(model, build("main;load 30\nmain;save 40\nidle 10"))
    header = view._table.horizontalHeader()
    viewport = header.viewport()

    def click(column: TopColumn) -> None:
        x_px = header.sectionViewportPosition(model.columns.index(column)) + 30
        QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(x_px, 12))

    def list_names() -> list[str]:
        rows = range(model.rowCount())
        return [model.name_of(model.function_at(row)) for row in rows]

    click(TopColumn.CUM)
    wait_until(lambda: list_names() == ["main", "save", "load", "idle"])
    click(TopColumn.NAME)
    wait_until(lambda: list_names() == ["idle", "load", "main", "save"])
    click(TopColumn.CUM)
    click(TopColumn.CUM)  # the other way round
    wait_until(lambda: list_names() == ["idle", "load", "save", "main"])
