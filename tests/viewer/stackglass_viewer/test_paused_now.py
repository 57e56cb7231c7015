"""Pause, in the views of the present: the waiting threads, and all threads, tasks and greenlets."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtTest import QSignalSpy

from harness.contention_window import (
    SERVE,
    TAKE,
    ContentionWindow,
    attach_window,
    watch_locks,
)
from harness.dump_answers import answer_dump
from harness.synthetic_engine import MAIN_TID, WORKER_TID
from stackglass.wire.rates import OFF
from stackglass_viewer.app import App
from stackglass_viewer.presenter.tables.table_model import TableModel

WaitUntil = Callable[[Callable[[], bool]], None]

ONE = (MAIN_TID, "shop.SHELF", TAKE, 0)
DEADLOCK = (
    (MAIN_TID, "shop.SHELF", TAKE, WORKER_TID),
    (WORKER_TID, "shop.TILL", SERVE, MAIN_TID),
)


@pytest.fixture
def session(app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil) -> ContentionWindow:
    session = attach_window(app, monkeypatch, wait_until)
    session.engine.send_contention((0, "shop.SHELF", TAKE, (), MAIN_TID, 4, 40_000_000))
    session.engine.send_contention((0, "shop.TILL", SERVE, (), WORKER_TID, 1, 100_000_000))
    session.page.show_view("contention")
    watch_locks(session, wait_until)
    return session


def show_waits(session: ContentionWindow, wait_until: WaitUntil, n_rows: int = 1) -> None:
    session.press("Waiting now")
    wait_until(lambda: session.document.waiting.model.rowCount() == n_rows)


def answer_waits(session: ContentionWindow, wait_until: WaitUntil, *waits: object) -> None:
    """Let the engine answer once more, and wait until the answer has been read."""
    session.engine.make_waits(*waits)  # type: ignore[arg-type] # as those of the constants
    document = session.document
    n_waits = document.status.n_waits
    document.waiting.poll.due.emit()
    wait_until(lambda: document.status.n_waits > n_waits)
    wait_until(lambda: not document._worker.is_busy("waits"))


def ask_threads(session: ContentionWindow, wait_until: WaitUntil) -> None:
    """Request a dump as the timer does, and wait until its answer has been read."""
    document = session.document
    n_dumps = document.status.n_dumps
    document.threads_now.ask()
    wait_until(lambda: document.status.n_dumps > n_dumps)
    wait_until(lambda: not document._worker.is_busy("threads now"))


def pause(session: ContentionWindow) -> None:
    session.live.bar.toggle_pause()


def watch_changes(model: TableModel) -> QSignalSpy:
    return QSignalSpy(model.dataChanged)


def test_waiting_threads_stand_while_paused_and_say_of_when(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    session.engine.make_waits(ONE)
    session.engine.lock_waits.time_mono_ns = session.document.status.start_mono_ns + 42_000_000_000
    show_waits(session, wait_until)
    pause(session)
    view = session.view._waits
    assert view is not None
    assert session.view._count.whole == "1 thread waiting for a lock at 0:42"
    assert view._about.text() == "Paused: as of 0:42."
    changes = watch_changes(session.document.waiting.model)
    answer_waits(session, wait_until)
    assert session.document.waiting.model.rowCount() == 1
    assert changes.count() == 0
    assert session.view._count.whole == "1 thread waiting for a lock at 0:42"
    pause(session)
    wait_until(lambda: session.document.waiting.model.rowCount() == 0)
    assert session.view._count.whole == "No thread waiting for a lock now"
    assert not view._about.isVisibleTo(view)


@pytest.mark.parametrize("end", ["detach", "off"])
def test_waiting_threads_stand_when_their_source_ends(
    session: ContentionWindow, wait_until: WaitUntil, end: str
) -> None:
    session.engine.make_waits(ONE)
    show_waits(session, wait_until)
    pause(session)
    document = session.document
    if end == "detach":
        document.capture.detach()
        wait_until(lambda: document.status.phase == "detached")
    else:
        session.live.bar.contention_chosen.emit(OFF)
        wait_until(lambda: document.status.rates.block_rate_ns == 0)
    assert document.waiting.model.rowCount() == 1
    pause(session)
    wait_until(lambda: document.waiting.model.rowCount() == 0)


def test_an_empty_list_that_stands_does_not_say_now(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    document = session.document
    session.press("Waiting now")
    wait_until(lambda: document.waiting.model.has_answer)
    assert document.waiting.no_waiting.title == "No thread waits for a lock now"
    pause(session)
    assert document.waiting.no_waiting.title == "No thread waited for a lock then"
    assert "Resume" in document.waiting.no_waiting.text
    answer_waits(session, wait_until, ONE)
    assert document.waiting.model.rowCount() == 0


def test_a_list_that_is_first_shown_while_paused_is_requested_once(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    pause(session)
    session.engine.make_waits(ONE)
    show_waits(session, wait_until)
    answer_waits(session, wait_until)
    assert session.document.waiting.model.rowCount() == 1
    session.press("Stacks")
    session.press("Waiting now")
    wait_until(lambda: not session.document._worker.is_busy("waits"))
    assert session.document.waiting.model.rowCount() == 1


def test_a_deadlock_that_the_list_does_not_have_is_said(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    session.engine.make_waits(ONE)
    show_waits(session, wait_until)
    pause(session)
    message = session.page.message
    assert message.notice is None
    answer_waits(session, wait_until, *DEADLOCK)
    wait_until(lambda: message.notice is not None)
    assert message.notice is not None
    assert message.notice.text.startswith("Deadlock")
    assert session.document.waiting.model.rowCount() == 1
    pause(session)  # the list has it now
    wait_until(lambda: session.document.waiting.model.rowCount() == 2)
    wait_until(lambda: message.notice is None)


def test_another_moment_is_listed_while_paused(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    session.engine.make_waits(ONE)
    show_waits(session, wait_until)
    pause(session)
    waiting = session.document.waiting
    waiting.look_at(0)  # before the first answer
    wait_until(lambda: waiting.model.rowCount() == 0)
    waiting.look_at(None)
    wait_until(lambda: waiting.model.rowCount() == 1)
    answer_waits(session, wait_until)
    assert waiting.model.rowCount() == 1


def list_names(session: ContentionWindow) -> list[str]:
    model = session.document.threads_now.model
    return [str(model.index(row, 0).data()).strip() for row in range(model.rowCount())]


def show_threads(session: ContentionWindow, wait_until: WaitUntil) -> None:
    answer_dump(session.engine)
    dump = session.engine.thread_dump
    dump.time_mono_ns = session.document.status.start_mono_ns + 42_000_000_000
    session.press("Threads now")
    wait_until(lambda: list_names(session) == ["MainThread"])


def test_threads_stand_while_paused_and_say_of_when(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    show_threads(session, wait_until)
    view = session.view._threads
    assert view is not None
    assert view._count.whole == "1 thread now"
    now = session.document.threads_now
    wait_until(lambda: not now._is_requested)
    ask_threads(session, wait_until)  # one that comes just before, and one just after
    pause(session)
    wait_until(lambda: not now._is_requested)  # the timer may have requested one more
    assert view._count.whole == "1 thread at 0:42"
    n_requests = sum(each.HasField("take_thread_dump") for each in session.engine.sent)
    now.ask()
    assert not now._is_requested
    answer_dump(session.engine, ("Task-2", "", ("shop.poll",)))
    now._list()
    wait_until(lambda: not session.document._worker.is_busy("threads now"))
    assert list_names(session) == ["MainThread"]
    assert n_requests == sum(each.HasField("take_thread_dump") for each in session.engine.sent)
    pause(session)
    wait_until(lambda: len(list_names(session)) == 2)
    assert view._count.whole == "1 thread, 1 task now"


def test_threads_stand_after_a_detach_until_resumed(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    show_threads(session, wait_until)
    pause(session)
    session.document.capture.detach()
    wait_until(lambda: session.document.status.phase == "detached")
    assert list_names(session) == ["MainThread"]
    pause(session)
    assert list_names(session) == []


def test_threads_that_are_first_shown_while_paused_are_requested_once(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    pause(session)
    show_threads(session, wait_until)
    view = session.view._threads
    assert view is not None
    assert view._count.whole == "1 thread at 0:42"
    now = session.document.threads_now
    now.ask()
    session.document.set_front(False)
    session.document.set_front(True)
    assert not now._is_requested


def test_a_timeline_that_is_first_shown_while_paused_ends_at_the_pause(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    pause(session)
    session.live.bar.toggle_timeline()
    latest = session.live.timeline._modes.button("now")
    wait_until(lambda: latest.text() == "At the pause")
