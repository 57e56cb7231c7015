"""All threads, tasks and greenlets now, in a window with a synthetic engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from harness.contention_window import ContentionWindow, attach_window, send_waits
from harness.dump_answers import answer_dump
from stackglass_viewer.app import App

WaitUntil = Callable[[Callable[[], bool]], None]

POLL = ("shop.poll", "asyncio.tasks.sleep")
READ = ("shop.read", "gevent._socketcommon.SocketMixin.recv")
SUSPENDED = (
    ("Task-2", "", POLL),
    ("Task-3", "", POLL),
    ("mail", "Greenlet", READ),
    ("later", "Greenlet", ()),
)


@pytest.fixture
def session(app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil) -> ContentionWindow:
    session = attach_window(app, monkeypatch, wait_until)
    session.page.show_view("contention")
    answer_dump(session.engine, *SUSPENDED)
    return session


def list_names(session: ContentionWindow) -> list[str]:
    model = session.document.threads_now.model
    return [str(model.index(row, 0).data()).strip() for row in range(model.rowCount())]


def count_requests(session: ContentionWindow) -> int:
    return sum(each.HasField("take_thread_dump") for each in session.engine.sent)


def test_they_are_requested_while_they_are_shown_alone(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    now = session.document.threads_now
    assert count_requests(session) == 0
    session.press("Threads now")
    wait_until(lambda: len(list_names(session)) == 5)
    assert list_names(session) == [
        "▾ MainThread",
        "▸ Task-2 and 1 more",
        "mail",
        "▾ no known thread",
        "later",
    ]
    model = now.model
    assert [model.index(2, column).data() for column in (1, 3, 4)] == [
        "suspended",
        "socket.recv",
        "shop.read",
    ]
    assert model.index(4, 1).data() == "not begun"
    n_requests = count_requests(session)
    now.ask()
    wait_until(lambda: count_requests(session) == n_requests + 1)
    session.document.set_front(False)
    assert not now.is_shown
    session.document.set_front(True)
    assert now.is_shown
    session.page.show_view("flame")
    assert not now.is_shown
    wait_until(lambda: not now._is_requested)
    session.press("Threads now")
    assert not now.is_shown  # another view is looked at


def test_rows_are_folded_chosen_and_searched(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    session.press("Threads now")
    wait_until(lambda: len(list_names(session)) == 5)
    view = session.view._threads
    assert view is not None
    wait_until(lambda: view._table._table is not None)
    table = view._table._table
    assert table is not None
    table.selectRow(1)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert list_names(session)[1:4] == ["▾ Task-2 and 1 more", "Task-2", "Task-3"]
    stack = session.document.threads_now.model.stack
    wait_until(lambda: stack.name_at(0) == "asyncio.tasks.sleep")
    QTest.keyClicks(view._search, "socket.")
    assert list_names(session) == ["▾ MainThread", "mail"]
    view._search.setText("no such thing")
    assert list_names(session) == []
    assert view._empty.title == "Nothing found"


def test_a_row_selects_its_function_in_every_view(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    send_waits(session, wait_until)
    session.press("Threads now")
    wait_until(lambda: len(list_names(session)) == 5)
    view = session.view._threads
    assert view is not None
    wait_until(lambda: view._table._table is not None)
    view._table.choose(0)
    assert session.document.top.name_of(session.document.selection.function) == "shop.serve"


def test_esc_clears_the_search(session: ContentionWindow, wait_until: WaitUntil) -> None:
    session.press("Threads now")
    wait_until(lambda: len(list_names(session)) == 5)
    view = session.view._threads
    assert view is not None
    wait_until(lambda: view._table._table is not None)
    QTest.keyClicks(view._search, "socket.")
    assert len(list_names(session)) == 2
    table = view._table._table
    assert table is not None
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Escape)
    assert view._search.text() == ""
    assert len(list_names(session)) == 5


def test_after_the_detach_none_is_shown(session: ContentionWindow, wait_until: WaitUntil) -> None:
    session.press("Threads now")
    wait_until(lambda: len(list_names(session)) == 5)
    session.document.capture.detach()
    wait_until(lambda: session.document.status.phase == "detached")
    assert list_names(session) == []
    view = session.view._threads
    assert view is not None
    assert view._empty.title == "Not attached"
