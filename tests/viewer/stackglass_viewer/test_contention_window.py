"""Contention in the window: of a live process, and of a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.contention_window import (
    ACQUIRE,
    MS,
    SERVE,
    TAKE,
    ContentionWindow,
    WaitUntil,
    attach_window,
    send_waits,
    show_summary_of_deadlock,
    watch_locks,
)
from harness.synthetic_engine import MAIN_TID, WORKER_TID
from stackglass.wire.rates import OFF, Rates, keep_contention
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.waiting import WaitsAnswer
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.presenter.settings.view_state import (
    USUAL_CONTENTION,
)


@pytest.fixture
def attached(app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil) -> ContentionWindow:
    return attach_window(app, monkeypatch, wait_until)


@pytest.fixture
def session(attached: ContentionWindow, wait_until: WaitUntil) -> ContentionWindow:
    send_waits(attached, wait_until)
    return attached


def has_rates(document: LiveDocument, rates: Rates) -> bool:
    return keep_contention(document.status.rates) == rates


def test_contention_is_off_at_first_and_its_rates_are_remembered(
    attached: ContentionWindow, settings: Any, wait_until: WaitUntil
) -> None:
    document, bar = attached.document, attached.live.bar
    assert bar is not None
    assert has_rates(document, OFF)
    assert bar.contention.text() == "Off"
    for rates, text in (
        (USUAL_CONTENTION, "On"),
        (Rates(0, 0, 1, 0, 20), "Custom"),
        (Rates(0, 0, 1, 0, 20, 1, 60 * 10**9), "Custom"),
    ):
        bar.contention.rates_chosen.emit(rates)
        wait_until(partial(has_rates, document, rates))
        reported = attached.engine.contention_rates
        assert (reported.block_rate_ns, reported.mutex_fraction, reported.gil_hz) == rates[2:5]
        assert (reported.has_other, reported.stall_ns, reported.changed) == (*rates[5:7], 3)
        assert attached.app.preferences.contention_rates == rates
        assert bar.contention.text() == text
    settings.setValue("contention_rates", "1 2")
    assert Preferences(settings).contention_rates == OFF
    settings.setValue("contention_rates", "10000 10 100")  # of an older version
    assert Preferences(settings).contention_rates == USUAL_CONTENTION
    settings.setValue("contention_rates", "0 0 100")
    assert Preferences(settings).contention_rates == Rates(gil_hz=100)


def test_the_menu_changes_one_rate_and_leaves_the_others(
    attached: ContentionWindow, wait_until: WaitUntil
) -> None:
    bar = attached.live.bar
    assert bar is not None
    bar.contention.menu().aboutToShow.emit()
    bar.contention._presets[USUAL_CONTENTION].trigger()
    wait_until(lambda: has_rates(attached.document, USUAL_CONTENTION))
    bar.contention._single["mutex_fraction", 1].trigger()
    wanted = USUAL_CONTENTION._replace(mutex_fraction=1)
    wait_until(lambda: has_rates(attached.document, wanted))
    assert not bar.contention._presets[USUAL_CONTENTION].isChecked()
    assert bar.contention._single["block_rate_ns", 10_000].isChecked()


def test_other_waits_are_switched_on_with_the_rate_that_they_need(
    attached: ContentionWindow, wait_until: WaitUntil
) -> None:
    bar = attached.live.bar
    assert bar is not None
    bar.contention.menu().aboutToShow.emit()
    assert bar.contention._other is not None
    bar.contention._other.trigger()
    wanted = Rates(block_rate_ns=USUAL_CONTENTION.block_rate_ns, has_other=1)
    wait_until(lambda: has_rates(attached.document, wanted))
    assert bar.contention._other.isChecked()
    bar.contention._single["stall_ns", 50_000_000].trigger()
    wanted = wanted._replace(stall_ns=50_000_000)
    wait_until(lambda: has_rates(attached.document, wanted))
    bar.contention._other.trigger()
    wait_until(lambda: has_rates(attached.document, wanted._replace(has_other=0)))
    assert not bar.contention._other.isChecked()


def test_the_table_names_who_waited(session: ContentionWindow) -> None:
    model = session.document.contended
    first = [model.index(0, place).data() for place in range(model.columnCount())]
    assert first[0] == 100 * MS
    assert first[1] > 0
    assert first[2:] == [1, 100 * MS, 100 * MS, "shop.serve", "shop.py:3", "shop.TILL", ACQUIRE]
    assert session.view._strip._strip is not None
    assert any(bar.value > 0 for bar in session.view._strip._strip.bars)


def test_kinds_and_measures_are_switches(session: ContentionWindow, wait_until: WaitUntil) -> None:
    session.document.choose_span("All")
    session.press("Count")
    wait_until(lambda: session.rows == ["shop.take", "shop.serve"])
    session.press("Mutex")
    wait_until(lambda: session.rows == ["shop.give"] and session.total == 2)
    session.press("GIL")
    wait_until(lambda: session.rows == ["shop.count"])
    groupings = session.view._groupings.buttons
    assert [each.isEnabled() for each in groupings] == [True, True, False, True, True]
    session.press("Delay")
    wait_until(lambda: session.total == 9 * MS)
    session.page.show_view("flame")
    assert "shop.count" in session.names
    assert session.page.contention_bar.isVisibleTo(session.page)


def test_a_row_shows_its_stack_its_delays_and_who_held_it(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    model, details = session.document.contended, session.details
    session.table.selectRow(1)
    lines = [model.stack.name_at(row) for row in range(model.stack.rowCount())]
    assert lines == [ACQUIRE, "shop.take", "__main__.main"]
    assert model.stack.index(1, 1).data() == "shop.py:3"
    assert max(bar.count for bar in details._chart._bars.bars) == 4
    assert [model.pairs.index(0, place).data() for place in range(3)] == [40 * MS, 2, "shop.give:3"]
    assert model.pairs.index(0, 2).data(Qt.ItemDataRole.ToolTipRole) == "shop.py:3"
    session.press("Held by")
    assert details._pairs is not None
    details._pairs.row_activated.emit(0)  # to the other side, and back
    wait_until(lambda: session.rows == ["shop.give"])
    wait_until(lambda: session.table.currentIndex().row() == 0)
    assert model.pairs.index(0, 2).data() == "shop.take:3"
    details._pairs.row_activated.emit(0)
    wait_until(lambda: session.rows == ["shop.serve", "shop.take"])
    wait_until(lambda: session.table.currentIndex().row() == 1)


def test_a_row_selects_its_function_in_every_view(session: ContentionWindow) -> None:
    document = session.document
    for row in (1, 0):
        session.table.selectRow(row)
        name = document.top.name_of(document.selection.function)
        assert name == document.contended.name_at(row)
    session.table.clearSelection()
    assert document.selection.function >= 0, "no row is no other function"


def test_locks_are_rows_and_filters(session: ContentionWindow, wait_until: WaitUntil) -> None:
    session.press("Locks")
    wait_until(lambda: session.rows == ["shop.TILL", "shop.SHELF"])
    session.table.row_activated.emit(1)
    wait_until(lambda: session.rows == ["shop.take"])
    bar = session.page.contention_bar
    assert bar._locks.currentText() == "shop.SHELF"
    info = session.document.info
    assert info is not None
    assert "only shop.SHELF" in info.description
    bar.lock_chosen.emit(-1)
    wait_until(lambda: session.rows == ["shop.serve", "shop.take"])
    bar.primitive_chosen.emit(ACQUIRE)
    wait_until(lambda: bar._calls.currentText() == ACQUIRE)


def test_threads_are_distinguished(session: ContentionWindow, wait_until: WaitUntil) -> None:
    wait_until(lambda: session.document.threads.rowCount() == 2)
    threads = session.document.threads
    clerk = next(threads.index(row) for row in range(2) if threads.index(row).data() == "clerk 1")
    threads.setData(clerk, Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    wait_until(lambda: session.rows == ["shop.serve"])
    assert session.details._chart._bars.bars == ()
    assert "Single threads" in session.details._chart._bars.about


def test_who_waits_now_is_asked_while_one_looks(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    watch_locks(session, wait_until)
    session.engine.make_waits(
        (MAIN_TID, "shop.SHELF", TAKE, WORKER_TID), (WORKER_TID, "shop.TILL", SERVE, MAIN_TID)
    )
    session.press("Waiting now")
    waits = session.document.waiting.model
    wait_until(lambda: waits.rowCount() == 2)
    assert [waits.index(0, place).data() for place in (1, 2, 3, 4)] == [
        "MainThread",
        "shop.SHELF",
        "clerk 1",
        "shop.take",
    ]
    view = session.view._waits
    assert view is not None
    assert view._cycle.text() == (
        "Deadlock: MainThread waits for shop.SHELF, which clerk 1 holds; "
        "clerk 1 waits for shop.TILL, which MainThread holds."
    )
    assert session.view._count.whole == "2 threads waiting for a lock now"
    wait_until(lambda: view._table._table is not None)
    table = view._table._table
    assert table is not None
    table.selectRow(0)
    wait_until(lambda: waits.stack.index(0, 0).data() == ACQUIRE)
    assert waits.stack.index(1, 0).data() == "shop.take"
    top, selection = session.document.top, session.document.selection
    assert top.name_of(selection.function) == "shop.take"
    QTest.keyClick(table, Qt.Key.Key_Return)  # to who holds it, and, since it is a cycle, back
    assert table.currentIndex().row() == 1
    assert waits.stack.index(1, 0).data() == "shop.serve"
    assert top.name_of(selection.function) == "shop.serve"
    table.row_activated.emit(1)
    assert table.currentIndex().row() == 0
    assert session.document.waiting.poll.is_shown
    session.page.show_view("flame")
    assert not session.document.waiting.poll.is_shown


def test_a_known_deadlock_is_said_in_every_view(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    watch_locks(session, wait_until)
    session.engine.make_waits(
        (MAIN_TID, "shop.SHELF", TAKE, WORKER_TID), (WORKER_TID, "shop.TILL", SERVE, MAIN_TID)
    )
    message = session.page.message
    session.page.show_view("top")
    session.document.waiting.poll.tick()  # "Waiting now" was never opened
    wait_until(lambda: message.notice is not None)
    assert message.notice is not None
    assert message.notice.text == (
        "Deadlock: these threads can never continue: MainThread waits for shop.SHELF, which clerk "
        "1 holds; clerk 1 waits for shop.TILL, which MainThread holds."
    )
    session.page.show_view("flame")
    assert message.isVisible()
    message.action_requested.emit(message.notice.action)  # of its button
    assert session.page.view == "contention"
    assert session.view._pages.currentWidget() is session.view._waits
    assert message.notice is None  # there it is spelled out anyway


def test_the_summary_begins_with_a_known_deadlock(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    summary = show_summary_of_deadlock(session, wait_until)
    assert summary._sentences[0].text == (
        "Deadlock: these threads can never continue: MainThread waits for shop.SHELF, which clerk "
        "1 holds; clerk 1 waits for shop.TILL, which MainThread holds."
    )
    assert summary._hint.text() == "Each sentence links to the view that shows it."
    assert "Show&nbsp;waiting&nbsp;threads" in summary._labels[0].text()
    summary._labels[0].linkActivated.emit("0")
    assert session.page.view == "contention"
    assert session.view._pages.currentWidget() is session.view._waits


def test_the_summary_drops_a_deadlock_that_is_no_longer_watched(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    """Also while the timeline shows a span of the past, whose waiting threads stay listed."""
    summary = show_summary_of_deadlock(session, wait_until)
    session.document.waiting.look_at(1)
    session.live.bar.detach_requested.emit()
    wait_until(lambda: session.document.status.phase == "detached")
    wait_until(lambda: not any("Deadlock" in each.text for each in summary._sentences))


@pytest.mark.parametrize("end", ["locks off", "detach"])
def test_threads_that_waited_are_not_shown_as_waiting(
    session: ContentionWindow, wait_until: WaitUntil, end: str
) -> None:
    watch_locks(session, wait_until)
    session.engine.make_waits(
        (MAIN_TID, "shop.SHELF", TAKE, WORKER_TID), (WORKER_TID, "shop.TILL", SERVE, MAIN_TID)
    )
    session.press("Waiting now")
    document, view = session.document, session.view
    waits = document.waiting.model
    wait_until(lambda: waits.rowCount() == 2)
    waits_view = view._waits
    assert waits_view is not None
    wait_until(lambda: waits_view._table._table is not None)
    waits_view._table.choose(0)
    wait_until(lambda: waits.stack.rowCount() > 0)
    if end == "detach":
        document.capture.detach()
        wait_until(lambda: document.status.phase == "detached")
    else:
        session.live.bar.contention_chosen.emit(OFF)
        wait_until(lambda: document.status.rates.block_rate_ns == 0)
    late = document.live.list_waits()
    document.waiting.show(WaitsAnswer(late, late))
    assert (waits.rowCount(), waits.stack.rowCount()) == (0, 0)
    assert not waits_view._cycle.isVisibleTo(view)
    assert view._count.whole == ""
    assert document.waiting.no_waiting.title == (
        "Not attached" if end == "detach" else "Locks are not watched"
    )


def test_a_count_is_of_the_table_below_it(session: ContentionWindow, wait_until: WaitUntil) -> None:
    watch_locks(session, wait_until)
    recorded = session.view._count.whole
    assert recorded
    session.engine.make_waits((MAIN_TID, "shop.SHELF", TAKE, WORKER_TID))
    session.press("Waiting now")
    assert session.view._count.whole != recorded
    wait_until(lambda: session.view._count.whole == "1 thread waiting for a lock now")
    session.press("Stacks")
    assert session.view._count.whole == recorded


def test_rows_are_copied_as_they_are_shown(session: ContentionWindow) -> None:
    table = session.table
    table.selectRow(1)
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    cells = QApplication.clipboard().text().split("\t")
    assert cells[0] == "40.0 ms"
    assert cells[5:] == ["shop.take", "shop.py:3", "shop.SHELF", ACQUIRE]
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(table, Qt.Key.Key_C, both)
    lines = QApplication.clipboard().text().splitlines()
    assert len(lines) == 3
    assert lines[0].split("\t")[:2] == ["Delay", "Of time"]


def test_saving_writes_the_kind_that_is_looked_at(
    session: ContentionWindow, wait_until: WaitUntil, tmp_path: Path
) -> None:
    path = tmp_path / "block.pb.gz"
    document = session.document
    wait_until(lambda: document.is_unsaved)
    assert "-block-" in document.saveable.suggest_path()
    document.saver.save(document.saveable, str(path), "everything")
    notice = session.page.message
    wait_until(lambda: notice.notice is not None and "is saved" in notice.notice.text)
    assert not document.is_unsaved
    saved = open_profile(path)
    assert isinstance(saved, Profile)
    assert saved.samples.values.sum(axis=1).tolist() == [5, 140 * MS]
    assert [each.name for each in saved.sample_types] == ["contentions", "delay"]

    session.app.open_files((str(path),))
    wait_until(lambda: len(session.app.documents) == 2)
    page = list(session.app.documents)[1]
    opened = session.app.documents[page]
    wait_until(lambda: opened.scene is not None and opened.scene.total == 140 * MS)
    page.show_view("contention")
    wait_until(lambda: opened.contended.rowCount() == 2)
    cells = [opened.contended.index(0, place).data() for place in range(6)]
    assert cells[2:] == [1, 100 * MS, -1, "shop.serve"]
    page.contention_bar.measure_chosen.emit(False)
    wait_until(lambda: opened.scene is not None and opened.scene.total == 5)


def test_another_type_leads_from_the_waits_to_the_functions(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    page = session.page
    page.types.activated.emit(0)
    assert page.view == "top"
    wait_until(lambda: not page.contention_bar.isVisibleTo(page))
    page.show_view("heap")
    page.show_view("contention")
    wait_until(lambda: session.total == 140 * MS)
    assert page.types.currentText() == "contention"
