"""The list of Python processes, and its dialog."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QEnterEvent, QHelpEvent
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QToolTip

from stackglass_viewer.presenter.settings.rate_presets import EVERYTHING
from stackglass_viewer.presenter.settings.view_state import USUAL_CONTENTION, ProcessRow
from stackglass_viewer.presenter.tables.process_model import (
    ProcessColumn,
    ProcessList,
    ProcessModel,
)
from stackglass_viewer.view.dialogs.attach_dialog import AttachDialog
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.theme import load_theme

SERVER = ProcessRow(4711, "3.13.0", "python3 -m http.server", "me", 1 << 20, True, "")
ROOTS = ProcessRow(
    812, "3.11.2", "networkd", "root", 2 << 20, False, "process 812 belongs to root", "use sudo"
)
JOB = ProcessRow(9000, "3.9.18", "python job.py", "me", 3 << 20, True, "")


@pytest.fixture
def model(qt: QApplication) -> ProcessModel:
    made = ProcessModel()
    made.tester = QAbstractItemModelTester(  # type: ignore[attr-defined] # keeps it alive
        made, QAbstractItemModelTester.FailureReportingMode.Fatal
    )
    made.set_rows([SERVER, ROOTS, JOB])
    return made


@pytest.fixture
def dialog(model: ProcessModel) -> Iterator[AttachDialog]:
    made = AttachDialog(
        model, USUAL_CONTENTION._replace(cpu_hz=250, heap_rate=65536), load_theme("dark")
    )
    tester = QAbstractItemModelTester(
        made._filter, QAbstractItemModelTester.FailureReportingMode.Fatal
    )
    tester.setParent(made)
    made.show()
    QTest.qWaitForWindowExposed(made)
    yield made
    made.close()
    made.deleteLater()


def test_the_lists_of_rates_have_names(dialog: AttachDialog) -> None:
    """The label beside a box names the box, but not its open list."""
    names = {box.accessibleName() for box in dialog.findChildren(ChoiceBox)}
    assert names == {"CPU", "Wall rate", "Heap", "Locks"}


def test_letters_typed_in_the_list_go_to_the_search(dialog: AttachDialog) -> None:
    """After a click on a row or a title. Else they would choose a row that begins so."""
    dialog._table.setFocus()
    QTest.keyClicks(dialog._table, "j")
    QTest.keyClicks(dialog.focusWidget(), "ob")
    assert dialog._search.text() == "job"
    row = dialog._selected()
    assert row is not None
    assert row.pid == JOB.pid


def test_the_first_click_on_a_title_puts_the_largest_on_top(dialog: AttachDialog) -> None:
    header, table = dialog._table.horizontalHeader(), dialog._table

    def click(column: ProcessColumn) -> object:
        place = QPoint(header.sectionViewportPosition(column) + 20, header.height() // 2)
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
        return table.model().index(0, ProcessColumn.PID).data()

    assert click(ProcessColumn.MEMORY) == JOB.pid
    assert click(ProcessColumn.MEMORY) == SERVER.pid
    assert click(ProcessColumn.OWNER) in (SERVER.pid, JOB.pid)
    assert header.sortIndicatorSection() == ProcessColumn.OWNER


def test_typing_searches_and_enter_attaches(dialog: AttachDialog) -> None:
    chosen: list[tuple[object, ...]] = []
    dialog.attach_requested.connect(lambda *choice: chosen.append(choice))
    QTest.keyClicks(dialog._search, "http me")
    QTest.keyClick(dialog._search, Qt.Key.Key_Return)
    assert chosen == [(4711, USUAL_CONTENTION._replace(cpu_hz=250, heap_rate=65536), False)]
    assert not dialog.isVisible()


def test_the_chosen_process_stays_in_sight_when_the_search_changes(
    dialog: AttachDialog, model: ProcessModel
) -> None:
    """Enter attaches to it. A refresh does not scroll: the user may look at other rows."""
    rows = [replace(JOB, pid=9000 + at, command=f"python job{at}.py") for at in range(60)]
    model.set_rows(rows)
    table = dialog._table

    def is_in_sight() -> bool:
        return table.viewport().rect().contains(table.visualRect(table.currentIndex()).center())

    QTest.keyClicks(dialog._search, "job7.py")
    row = dialog._selected()
    assert row is not None
    for text in ("job", ""):
        dialog._search.setText(text)
        assert dialog._selected() == row
        assert is_in_sight(), text
    table.scrollToTop()
    model.set_rows([replace(each, rss_bytes=5) for each in (*rows, SERVER)])
    QApplication.processEvents()
    assert table.verticalScrollBar().value() == 0
    assert not is_in_sight()


def test_a_process_that_refuses_says_why_and_what_helps(dialog: AttachDialog) -> None:
    chosen: list[int] = []
    dialog.attach_requested.connect(lambda pid, *_: chosen.append(pid))
    QTest.keyClicks(dialog._search, "812")
    assert dialog._reason.text() == "Process 812 belongs to root\nUse sudo"
    assert not dialog._attach.isEnabled()
    QTest.keyClick(dialog._search, Qt.Key.Key_Return)
    assert chosen == []
    assert dialog.isVisible()


def test_arrows_move_while_one_types(dialog: AttachDialog) -> None:
    dialog._search.setFocus()
    before = dialog._selected()
    QTest.keyClick(dialog._search, Qt.Key.Key_Down)
    assert dialog._selected() != before


def test_no_other_process_is_chosen_when_the_chosen_one_ends(
    dialog: AttachDialog, model: ProcessModel
) -> None:
    """Enter would attach to it."""
    chosen: list[int] = []
    dialog.attach_requested.connect(lambda pid, *_: chosen.append(pid))
    QTest.keyClicks(dialog._search, "py")
    selected = dialog._selected()
    assert selected is not None
    other = SERVER if selected.pid == JOB.pid else JOB
    model.set_rows([other, ROOTS])
    late = replace(JOB, pid=9100)
    model.set_rows([other, ROOTS, late])
    assert dialog._selected() is None
    assert not dialog._attach.isEnabled()
    assert dialog._reason.text() == f"Process {selected.pid} has ended. Choose another one."
    QTest.keyClick(dialog._search, Qt.Key.Key_Return)
    assert chosen == []
    QTest.keyClick(dialog._search, Qt.Key.Key_Down)
    assert dialog._selected() in (other, late)
    assert dialog._reason.text() == ""


def _point_at(dialog: AttachDialog, pid: int) -> QPoint:
    """Move the pointer over a process, and return the place in the list."""
    rows, table = dialog._filter, dialog._table
    pids = _list_pids(dialog)
    place = table.visualRect(rows.index(pids.index(pid), ProcessColumn.COMMAND)).center()
    QApplication.sendEvent(table.viewport(), QEnterEvent(place, place, place))
    return place


def _list_pids(dialog: AttachDialog) -> list[int]:
    rows = dialog._filter
    return [rows.index(number, ProcessColumn.PID).data() for number in range(rows.rowCount())]


@pytest.mark.parametrize("order", list(Qt.SortOrder))
def test_rows_keep_their_places_under_the_pointer(
    dialog: AttachDialog, model: ProcessModel, order: Qt.SortOrder
) -> None:
    """Processes that come would push the rows down; the second click would hit another one."""
    dialog._table.sortByColumn(ProcessColumn.PID, order)
    before = _list_pids(dialog)
    chosen: list[int] = []
    dialog.attach_requested.connect(lambda pid, *_: chosen.append(pid))
    place = _point_at(dialog, JOB.pid)
    new = [replace(JOB, pid=pid) for pid in (100, 9100)]
    model.set_rows([SERVER, JOB, *new[:1]])
    model.set_rows([SERVER, replace(JOB, rss_bytes=9), *new])
    assert _list_pids(dialog) == [*before, 100, 9100]
    assert _point_at(dialog, JOB.pid) == place
    QTest.mouseClick(dialog._table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(dialog._table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert chosen == [JOB.pid]
    assert ROOTS.pid not in {model.index(row, 0).data() for row in range(model.rowCount())}


def test_a_process_that_ends_under_the_pointer_says_so(
    dialog: AttachDialog, model: ProcessModel
) -> None:
    before = _list_pids(dialog)
    place = _point_at(dialog, JOB.pid)
    QTest.mouseClick(dialog._table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    model.set_rows([SERVER, ROOTS])
    assert _list_pids(dialog) == before
    assert dialog._reason.text() == f"Process {JOB.pid} has ended"
    assert not dialog._attach.isEnabled()
    QApplication.sendEvent(dialog._table.viewport(), QEvent(QEvent.Type.Leave))
    assert _list_pids(dialog) == [SERVER.pid, ROOTS.pid]
    assert dialog._selected() is None
    assert dialog._reason.text() == f"Process {JOB.pid} has ended. Choose another one."


def test_the_first_processes_are_sorted_under_the_pointer(
    dialog: AttachDialog, model: ProcessModel
) -> None:
    """So are those that a search finds: the text says which rows are wanted."""
    model.set_rows([])
    place = QPoint(20, 20)
    QApplication.sendEvent(dialog._table.viewport(), QEnterEvent(place, place, place))
    model.set_rows([SERVER, ROOTS, JOB])
    assert _list_pids(dialog) == [JOB.pid, SERVER.pid, ROOTS.pid]
    QTest.keyClicks(dialog._search, "http")
    dialog._search.clear()
    assert _list_pids(dialog) == [JOB.pid, SERVER.pid, ROOTS.pid]


def test_a_refresh_keeps_the_selection(dialog: AttachDialog, model: ProcessModel) -> None:
    QTest.keyClicks(dialog._search, "4711")
    dialog._search.clear()
    model.set_rows([JOB, replace(SERVER, rss_bytes=9)])
    selected = dialog._selected()
    assert selected is not None
    assert selected.pid == 4711


def test_the_list_is_made_off_the_gui_thread(qt: QApplication, wait_until: Any) -> None:
    processes = ProcessList(lambda: [SERVER, JOB])
    processes.start("test")
    wait_until(lambda: processes.model.rowCount() == 2)
    processes.stop("test")


def test_a_list_that_cannot_be_made_is_reported(qt: QApplication, wait_until: Any) -> None:
    def fail() -> list[ProcessRow]:
        raise OSError("no /proc")

    reported: list[str] = []
    processes = ProcessList(fail)
    processes.failed.connect(reported.append)
    processes.start("test")
    wait_until(lambda: bool(reported))
    processes.stop("test")
    assert reported[0] == "no /proc"


def test_the_program_stands_first_and_the_whole_line_in_a_tip(model: ProcessModel) -> None:
    index = model.index(2, ProcessColumn.COMMAND)
    assert index.data() == "job.py"
    assert index.data(Qt.ItemDataRole.ToolTipRole) == "python job.py"


def test_an_empty_list_says_why(qt: QApplication) -> None:
    dialog = AttachDialog(ProcessModel(), USUAL_CONTENTION, load_theme("light"))
    assert dialog._reason.text() == "Looking for Python processes…"
    dialog.show_found()
    assert dialog._reason.text() == "No Python process was found."
    dialog._search.setText("1")  # the first process of the system is always there
    assert dialog._reason.text() == "Process 1 is not a Python process."
    dialog._search.setText("4194305")
    assert dialog._reason.text() == "No such process."
    dialog.deleteLater()


def test_a_command_is_no_rich_text_in_its_tool_tip(
    dialog: AttachDialog, model: ProcessModel
) -> None:
    model.set_rows([replace(JOB, command="python -c <b>x</b>")])
    table, index = dialog._table, dialog._filter.index(0, ProcessColumn.COMMAND)
    place = table.visualRect(index).center()
    tip = QHelpEvent(QEvent.Type.ToolTip, place, table.viewport().mapToGlobal(place))
    QApplication.sendEvent(table.viewport(), tip)
    assert "&lt;b&gt;x&lt;/b&gt;" in QToolTip.text()
    QToolTip.hideText()


def test_a_list_that_failed_says_so_until_there_is_one(qt: QApplication) -> None:
    dialog = AttachDialog(ProcessModel(), USUAL_CONTENTION, load_theme("light"))
    dialog.show_failure("no /proc: it holds 12 MiB")
    dialog._search.setText("job")
    assert dialog._reason.text() == "No /proc: it holds 12\xa0MiB."
    dialog.show_found()
    assert "/proc" not in dialog._reason.text()
    dialog.deleteLater()


MASTER = ProcessRow(100, "3.12.1", "gunicorn: master [app]", "me", 5 << 20, True, "")
WORKERS = tuple(
    replace(MASTER, pid=pid, command=f"gunicorn: worker {pid}", rss_bytes=pid, parent_pid=100)
    for pid in (150, 9500)
)
HELPER = replace(MASTER, pid=160, command="python helper.py", rss_bytes=1, parent_pid=150)
FAMILY = [SERVER, WORKERS[0], JOB, HELPER, MASTER, WORKERS[1]]


def list_commands(dialog: AttachDialog) -> list[str]:
    return [
        str(dialog._filter.index(row, ProcessColumn.COMMAND).data())
        for row in range(dialog._filter.rowCount())
    ]


def test_children_stand_below_their_parents(dialog: AttachDialog, model: ProcessModel) -> None:
    model.set_rows(FAMILY)
    family = [
        "gunicorn: master [app]",
        "└ gunicorn: worker 9500",
        "└ gunicorn: worker 150",
        "   └ helper.py",
    ]
    assert list_commands(dialog) == ["job.py", "http.server", *family]  # newest first
    dialog._table.sortByColumn(ProcessColumn.PID, Qt.SortOrder.AscendingOrder)
    children = ["└ gunicorn: worker 150", "   └ helper.py", "└ gunicorn: worker 9500"]
    assert list_commands(dialog) == [family[0], *children, "http.server", "job.py"]
    dialog._table.sortByColumn(ProcessColumn.MEMORY, Qt.SortOrder.DescendingOrder)
    assert list_commands(dialog) == [*family, "job.py", "http.server"]
    tip = dialog._filter.index(3, ProcessColumn.COMMAND).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "python helper.py\nChild of process 150"


def test_children_of_a_parent_that_ends_stand_alone(
    dialog: AttachDialog, model: ProcessModel
) -> None:
    model.set_rows(FAMILY)
    model.set_rows([replace(row, parent_pid=0) for row in (*WORKERS, JOB)])
    assert list_commands(dialog) == ["gunicorn: worker 9500", "job.py", "gunicorn: worker 150"]


def test_a_command_that_helps_is_written_as_it_is_typed(
    dialog: AttachDialog, model: ProcessModel
) -> None:
    model.set_rows(
        [
            replace(
                JOB,
                is_attachable=False,
                reason="it is stopped",
                remedy="continue it with kill -CONT 9",
            )
        ]
    )
    assert dialog._reason.text() == "It is stopped\nContinue it with kill -CONT 9"
    can_select = Qt.TextInteractionFlag.TextSelectableByMouse
    assert dialog._reason.textInteractionFlags() & can_select


def test_children_are_attached_to_on_request(dialog: AttachDialog) -> None:
    chosen: list[tuple[object, ...]] = []
    dialog.attach_requested.connect(lambda *choice: chosen.append(choice))
    dialog._search.setText("4711")
    dialog._children.click()
    dialog._attach.click()
    assert [choice[2] for choice in chosen] == [True]


def test_a_preset_sets_all_rates_and_says_what_is_chosen(dialog: AttachDialog) -> None:
    chosen: list[tuple[object, ...]] = []
    dialog.attach_requested.connect(lambda *choice: chosen.append(choice))
    assert dialog._presets.text() == "Custom"
    dialog._presets.menu().aboutToShow.emit()  # which adds its entries
    dialog._presets.menu().actions()[1].trigger()
    assert dialog._presets.text() == "Everything"
    assert dialog._contention.currentText() == "All"
    dialog._rate.setCurrentIndex(0)
    assert dialog._presets.text() == "Custom"
    dialog._presets.menu().actions()[1].trigger()
    QTest.keyClicks(dialog._search, "http me")
    QTest.keyClick(dialog._search, Qt.Key.Key_Return)
    assert chosen == [(4711, EVERYTHING.rates, False)]


def test_the_list_is_kept_fresh_until_the_last_watcher_leaves(qt: QApplication) -> None:
    processes = ProcessList(list)
    processes.start("page", 5000)
    processes.start("dialog", 2000)
    assert processes._timer.interval() == 2000
    processes.stop("dialog")
    assert processes._timer.interval() == 5000
    processes.stop("dialog")
    assert processes._timer.isActive()
    processes.stop("page")
    assert not processes._timer.isActive()
