"""Contention in the window: what is off, filtered away or of before, and rate presets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from harness.contention_window import (
    ACQUIRE,
    PID,
    RELEASE,
    WAITS,
    ContentionWindow,
    WaitUntil,
    attach_window,
    send_waits,
    show_table,
)
from harness.synthetic_engine import SyntheticEngine
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.rates import Rates, keep_contention
from stackglass_viewer.app import App
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.presenter.settings.rate_presets import EVERYTHING, USUAL
from stackglass_viewer.presenter.settings.view_state import USUAL_CONTENTION, Notice


@pytest.fixture
def attached(app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil) -> ContentionWindow:
    return attach_window(app, monkeypatch, wait_until)


@pytest.fixture
def session(attached: ContentionWindow, wait_until: WaitUntil) -> ContentionWindow:
    send_waits(attached, wait_until)
    return attached


def test_what_is_off_says_so_and_can_be_turned_on(
    attached: ContentionWindow, wait_until: WaitUntil
) -> None:
    page, document = attached.page, attached.document
    show_table(attached, wait_until)
    wait_until(lambda: page.contention_bar.isVisibleTo(page))
    empty = attached.note
    wait_until(lambda: empty._title.text() == "Waits are not recorded")
    page.contention_bar.kind_chosen.emit(ContentionKind.GIL)
    wait_until(lambda: empty._title.text() == "The GIL is not recorded")
    QTest.mouseClick(empty.buttons[0], Qt.MouseButton.LeftButton)
    wait_until(lambda: keep_contention(document.status.rates) == USUAL_CONTENTION)
    assert attached.app.preferences.contention_rates == USUAL_CONTENTION
    page.contention_bar.kind_chosen.emit(ContentionKind.BLOCK)
    wait_until(lambda: empty._title.text() == "No wait for a lock recorded in the last 10 s")
    assert [button.text() for button in empty.buttons] == ["Show waiting now", "Show all"]
    QTest.mouseClick(empty.buttons[1], Qt.MouseButton.LeftButton)
    wait_until(lambda: empty._title.text() == "No wait for a lock recorded yet")
    assert document.span == "All"
    QTest.mouseClick(empty.buttons[0], Qt.MouseButton.LeftButton)
    wait_until(lambda: attached.view._pages.currentIndex() == 1)
    attached.press("Stacks")
    attached.engine.contention.problem = "its _thread has no locks we know"
    attached.engine.send_contention()
    wait_until(lambda: empty._title.text() == "No contention profile")
    assert empty._text.text() == "Its _thread has no locks we know."
    assert not any(button.isVisibleTo(empty) for button in empty.buttons)


def test_locks_are_watched_by_the_button_below_waiting_now(
    attached: ContentionWindow, wait_until: WaitUntil
) -> None:
    attached.page.show_view("contention")
    attached.press("Waiting now")
    waits = attached.view._waits
    assert waits is not None
    wait_until(lambda: waits._table._note is not None)
    note = waits._table._note
    assert note is not None
    assert note._title.text() == "Locks are not watched"
    QTest.mouseClick(note.buttons[0], Qt.MouseButton.LeftButton)
    wait_until(lambda: keep_contention(attached.document.status.rates) == USUAL_CONTENTION)
    wait_until(lambda: note._title.text() == "No thread waits for a lock now")
    assert not note.buttons[0].isVisibleTo(note)


def test_filters_are_dropped_by_their_button_by_escape_and_where_nothing_passes(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    bar, view, document = session.page.contention_bar, session.view, session.document
    session.live.bar.choose_span("All")
    both = ["shop.serve", "shop.take"]
    wait_until(lambda: session.rows == both)
    assert not bar._drop.isVisibleTo(bar)
    drops: tuple[Callable[[], object], ...] = (
        lambda: QTest.mouseClick(bar._drop, Qt.MouseButton.LeftButton),
        lambda: QTest.keyClick(session.table, Qt.Key.Key_Escape),
    )
    for drop in drops:
        bar.primitive_chosen.emit(RELEASE)
        wait_until(lambda: session.rows == [])
        assert session.note._title.text() == "No wait matches the filters"
        assert bar._drop.isVisibleTo(bar)
        drop()
        wait_until(lambda: session.rows == both)
    session.table.selectRow(0)
    document.contention.choose_primitive(ACQUIRE)
    QTest.keyClick(session.table, Qt.Key.Key_Escape)  # the row first
    assert document.contention.wanted.primitive == ACQUIRE
    assert document.contended.chosen_row == -1
    bar.primitive_chosen.emit(RELEASE)
    wait_until(lambda: session.note.isVisibleTo(view))
    QTest.mouseClick(session.note.buttons[0], Qt.MouseButton.LeftButton)
    wait_until(lambda: session.rows == both)


def test_a_late_client_does_not_receive_earlier_records(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    engine = SyntheticEngine(PID)
    session = ContentionWindow(app, engine, monkeypatch, wait_until)
    engine.send_hello()
    engine.send_ready(ago_s=60.0)
    engine.contention.n_events = 70
    engine.send_contention(*WAITS)
    show_table(session, wait_until)
    wait_until(lambda: session.page.live is not None)
    bar = session.live.bar
    assert bar is not None
    bar.contention_chosen.emit(USUAL_CONTENTION)
    bar.choose_span("All")
    title = session.note._title
    wait_until(lambda: title.text() == "No wait for a lock recorded in this view")
    wait_until(lambda: session.page.contention_bar._is_filled)
    figures = session.page._bar._about
    assert "0 recorded" in figures.whole
    assert "earlier records" in figures.toolTip()


def test_a_preset_sets_all_rates_and_all_are_remembered(
    attached: ContentionWindow, settings: Any, wait_until: WaitUntil
) -> None:
    bar, document = attached.live.bar, attached.document
    assert bar is not None
    attached.page.window().resize(1600, 900)  # where the button has room for its text
    bar.rate_chosen.emit(250)
    bar.heap_rate_chosen.emit(0)
    wait_until(lambda: bar.presets.text() == "Custom")
    assert Preferences(settings).rates == Rates(250)
    bar.presets.menu().aboutToShow.emit()
    bar.presets.menu().actions()[1].trigger()
    wait_until(lambda: bar.presets.text() == "Everything")
    status = document.status
    assert status.rates == EVERYTHING.rates
    assert Preferences(settings).rates == EVERYTHING.rates
    assert bar.contention.text() == "All"
    bar.presets.menu().actions()[0].trigger()
    wait_until(lambda: bar.presets.text() == "Usual")
    assert Preferences(settings).rates == USUAL.rates


def test_the_focus_alone_chooses_no_row_and_the_first_key_the_first(
    session: ContentionWindow,
) -> None:
    table, model = session.table, session.document.contended
    table.setFocus(Qt.FocusReason.TabFocusReason)
    assert not table.currentIndex().isValid()
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert (table.currentIndex().row(), model.chosen_row) == (0, 0)


def test_keys_come_by_the_bar_before_the_table_below_it(session: ContentionWindow) -> None:
    bar = session.page.contention_bar
    QTest.keyClick(session.page.window(), Qt.Key.Key_Tab)  # sets the order
    stops: list[QWidget] = [session.page]
    while (after := stops[-1].nextInFocusChain()) is not None and after is not session.page:
        stops.append(after)
    places = [stops.index(each) for each in (bar._kinds, bar._measure, bar._locks)]
    places += [stops.index(each) for each in (bar._calls, bar._drop)]
    assert places == sorted(places)
    assert places[-1] < stops.index(session.view._groupings.buttons[0])
    assert places[-1] < stops.index(session.table)
    details = session.view._details
    assert details is not None
    assert stops.index(session.table) < stops.index(details._which.buttons[0])


def test_esc_takes_a_step_also_before_the_table_is_made(
    attached: ContentionWindow, wait_until: WaitUntil
) -> None:
    page = attached.page
    page.window().activateWindow()
    wait_until(page.window().isActiveWindow)
    page.message.show_notice(Notice("info", "Something has happened."))
    page.show_view("contention")
    assert attached.view._table._table is None
    focused = page.window().focusWidget()
    assert focused is attached.view._table
    QTest.keyClick(focused, Qt.Key.Key_Escape)
    assert page.message.notice is None
