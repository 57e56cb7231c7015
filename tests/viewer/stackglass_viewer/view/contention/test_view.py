"""The tables of contention: which one the keys go to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget

from harness.contention_talk import MAIN, OTHER_TAKER, TAKER, WORKER, ContentionTalk
from harness.thread_reports import make_report, make_thread
from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.contention.snapshot import ALL_WAITS
from stackglass_viewer.model.contention.table import ContentionTable, build_moment_table
from stackglass_viewer.presenter.live.contention_empty_state import Remedy
from stackglass_viewer.presenter.settings.contention_choices import ALL_THREADS_NOW, WAITING_NOW
from stackglass_viewer.presenter.tables.contention_model import ContentionField, ContentionModel
from stackglass_viewer.presenter.tables.now_model import NowModel
from stackglass_viewer.presenter.tables.waits_model import WaitsModel
from stackglass_viewer.view.contention.view import ContentionView
from stackglass_viewer.view.tables.number_table import NumberTable
from stackglass_viewer.view.widgets.empty_note import EmptyNote
from stackglass_viewer.view.widgets.tab_order import order_tabs
from stackglass_viewer.view.widgets.theme import load_theme

WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def now(qt: QApplication) -> tuple[WaitsModel, NowModel]:
    return WaitsModel(), NowModel()


@pytest.fixture
def model(qt: QApplication) -> ContentionModel:
    return ContentionModel()


@pytest.fixture
def hidden(model: ContentionModel, now: tuple[WaitsModel, NowModel]) -> Iterator[ContentionView]:
    """A view whose window is not shown yet, and which has no table yet."""
    window = QWidget()
    made = ContentionView(model, now, load_theme("light"), window, window)
    window.resize(1000, 500)
    made.resize(1000, 500)
    yield made
    window.close()
    window.deleteLater()


@pytest.fixture
def view(hidden: ContentionView) -> ContentionView:
    hidden.window().show()
    QTest.qWaitForWindowActive(hidden.window())
    return hidden


def find_table(view: ContentionView) -> NumberTable:
    assert view._table._table is not None
    return view._table._table


def find_note(view: ContentionView) -> EmptyNote:
    assert view._table._note is not None
    return view._table._note


def show_at_once(view: ContentionView, wait_until: WaitUntil) -> None:
    """Show the window with the keys in the view, and wait for the table, which comes later."""
    view.window().show()
    view.setFocus()
    assert view._table._table is None
    wait_until(lambda: view._table._table is not None)
    view.window().activateWindow()
    wait_until(view.window().isActiveWindow)


def make_table(n_waits: int = 9) -> ContentionTable:
    """Two stacks by their count, or none: that of m.take first, with a lock and no longest wait."""
    talk = ContentionTalk()
    if n_waits:
        talk.define((0, 1, TAKER, 0), (0, 2, OTHER_TAKER, 0))
        talk.sums(10, (0, n_waits, 9, 0), (1, 1, 20, 0))
    moment = talk.live.capture_contention(has_delays=True)
    return build_moment_table(moment, ContentionKind.BLOCK, ALL_WAITS, "stacks", is_by_delay=False)


def make_wide_table() -> ContentionTable:
    """All columns have data, with wide numbers."""
    talk = ContentionTalk()
    talk.define((0, 1, TAKER, 0))
    talk.sums(10, (0, 1_234_567, 10**14, 10**13))
    moment = talk.live.capture_contention(has_delays=True)
    return build_moment_table(moment, ContentionKind.BLOCK, ALL_WAITS, "stacks", is_by_delay=True)


def name_focused() -> str:
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.isVisible()
    return focused.accessibleName()


def is_focused(name: str) -> bool:
    """Whether a table has the keys, and not what keeps its place until it is made."""
    focused = QApplication.focusWidget()  # none until the window that is active has heard of it
    if not isinstance(focused, QAbstractItemView):
        return False
    return focused.isVisible() and focused.accessibleName() == name


def test_the_table_that_is_shown_gets_the_keys(view: ContentionView, wait_until: WaitUntil) -> None:
    for grouping, name in (
        (WAITING_NOW, "Waiting threads"),
        (ALL_THREADS_NOW, "Threads, tasks and greenlets"),
        ("stacks", "Contention"),
    ):
        view.show_grouping(grouping)
        view.setFocus()
        # The table is made in the event loop's next turn, and then gets the focus.
        wait_until(partial(is_focused, name))


def test_a_view_that_is_made_at_a_click_gives_the_keys_to_its_table(
    view: ContentionView, wait_until: WaitUntil
) -> None:
    """Its first field is a search: key 1 would be typed into it."""
    view.setFocus()
    wait_until(partial(is_focused, "Contention"))
    for grouping, name in (
        (ALL_THREADS_NOW, "Threads, tasks and greenlets"),
        (WAITING_NOW, "Waiting threads"),
        (ALL_THREADS_NOW, "Threads, tasks and greenlets"),
    ):
        QTest.mouseClick(view._groupings.button(grouping), Qt.MouseButton.LeftButton)
        wait_until(partial(is_focused, name))


def test_another_table_on_the_same_page_leaves_the_keys_in_the_details(
    view: ContentionView, wait_until: WaitUntil
) -> None:
    wait_until(lambda: view._details is not None)
    details = view._details
    assert details is not None
    wait_until(lambda: details._stack._table is not None)
    details._stack.setFocus()
    wait_until(partial(is_focused, "Stack"))
    view._groupings.button("functions").click()
    assert is_focused("Stack")


def test_the_search_is_that_of_the_threads(view: ContentionView) -> None:
    """Ctrl+F had two meanings there, so that Qt carried out neither."""
    assert not view.focus_search()
    view.show_grouping(ALL_THREADS_NOW)
    assert view.focus_search()
    assert name_focused() == "Search threads, tasks and greenlets"


def test_esc_clears_the_table_that_is_shown(
    view: ContentionView, now: tuple[WaitsModel, NowModel], wait_until: WaitUntil
) -> None:
    waits, threads = now
    talk = ContentionTalk()
    talk.waits(10, (WORKER, 1, 7.5, MAIN))
    waits.set_table(talk.live.list_waits())
    threads.set_report(make_report(make_thread()))
    for grouping, name, model in (
        (WAITING_NOW, "Waiting threads", waits),
        (ALL_THREADS_NOW, "Threads, tasks and greenlets", threads),
    ):
        view.show_grouping(grouping)
        view.setFocus()
        wait_until(partial(is_focused, name))
        assert not view.clear_selection()
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, Qt.Key.Key_Down)
        assert model.stack.rowCount()
        assert view.clear_selection()
        assert not model.stack.rowCount()
        assert not view.clear_selection()


def test_what_was_set_before_the_table_is_there_is_in_it(
    hidden: ContentionView, model: ContentionModel, wait_until: WaitUntil
) -> None:
    chosen = QSignalSpy(hidden.row_chosen)
    model.want_stack(int(make_table().key[0]))
    model.set_table(make_table())
    hidden.set_theme(load_theme("dark"))
    count = hidden._count.whole
    assert count == "2 stacks"
    show_at_once(hidden, wait_until)
    table = find_table(hidden)
    header = table.horizontalHeader()
    by = ContentionField.COUNT, Qt.SortOrder.DescendingOrder
    assert (list(ContentionField)[header.sortIndicatorSection()], header.sortIndicatorOrder()) == by
    assert model.index(0, list(ContentionField).index(ContentionField.COUNT)).data() == 9
    is_hidden = {field: table.isColumnHidden(at) for at, field in enumerate(ContentionField)}
    assert is_hidden == {field: field is ContentionField.MAX for field in ContentionField}
    assert table._header.theme == load_theme("dark")
    assert table.currentIndex().row() == model.chosen_row >= 0
    assert chosen.count() == 0, "it was not the user"
    assert not find_note(hidden).isVisible()
    assert hidden._count.whole == count
    wait_until(partial(is_focused, "Contention"))


def test_words_and_buttons_that_were_set_before_the_table_is_there_are_in_it(
    hidden: ContentionView, model: ContentionModel, wait_until: WaitUntil
) -> None:
    remedy = Remedy("all", "Show all")
    taken = QSignalSpy(hidden.remedy_chosen)
    hidden.set_placeholder("No wait", "None was recorded")
    hidden.set_remedies((remedy,))
    show_at_once(hidden, wait_until)
    note = find_note(hidden)
    wait_until(note.isVisible)
    assert (note._title.text(), note._text.text()) == ("No wait", "None was recorded")
    QTest.mouseClick(note.buttons[0], Qt.MouseButton.LeftButton)
    assert taken.at(0) == [remedy]
    model.set_table(make_table())
    assert not note.isVisible()
    hidden.set_remedies(())
    model.set_table(make_table(0))
    assert note.isVisible()
    assert not note.buttons[0].isVisible()


def test_tab_goes_from_the_table_to_its_details(
    view: ContentionView, wait_until: WaitUntil
) -> None:
    wait_until(lambda: view._details is not None and view._table._table is not None)
    order_tabs(view)
    find_table(view).setFocus()
    QTest.keyClick(find_table(view), Qt.Key.Key_Tab)
    focused, details = view.window().focusWidget(), view._details
    assert details is not None
    assert focused is not None
    assert details.isAncestorOf(focused)


def test_all_columns_fit_in_a_window_of_1024_px(
    hidden: ContentionView, model: ContentionModel, wait_until: WaitUntil
) -> None:
    for view in (hidden.window(), hidden):
        view.resize(980, 400)  # what the tools at its side leave
    show_at_once(hidden, wait_until)
    model.set_table(make_wide_table())
    QApplication.processEvents()
    details = hidden._details
    assert details is not None
    assert details.isVisible()
    details._which.chosen.emit("pairs")
    wait_until(lambda: details._pairs._table is not None)
    tables = [find_table(hidden)]
    for beside in (details._stack, details._pairs):
        assert beside._table is not None
        tables.append(beside._table)
    for table in tables:
        table.grab()  # columns grow to the numbers that are painted
    QApplication.processEvents()
    assert not any(tables[0].isColumnHidden(column) for column in range(len(ContentionField)))
    assert tables[0].columnWidth(list(ContentionField).index(ContentionField.COUNT)) > 72
    assert [table.horizontalScrollBar().maximum() for table in tables] == [0, 0, 0]
    names = [
        list(ContentionField).index(each) for each in (ContentionField.NAME, ContentionField.LOCK)
    ]
    assert min(tables[0].columnWidth(column) for column in names) > 100
