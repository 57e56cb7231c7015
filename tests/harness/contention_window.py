"""Contention view of a window with a synthetic engine."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from harness.synthetic_engine import MAIN_TID, WORKER_TID, SyntheticEngine, Wait
from harness.window_session import WindowSession
from stackglass_viewer.app import App
from stackglass_viewer.presenter.settings.view_state import USUAL_CONTENTION
from stackglass_viewer.view.contention.details import ContentionDetails
from stackglass_viewer.view.contention.view import ContentionView
from stackglass_viewer.view.summary.view import SummaryView
from stackglass_viewer.view.tables.number_table import NumberTable
from stackglass_viewer.view.widgets.empty_note import EmptyNote

PID = os.getpid()
MS = 1_000_000
WaitUntil = Callable[[Callable[[], bool]], None]

ACQUIRE, RELEASE = "_thread.lock.acquire", "_thread.lock.release"
TAKE = ("__main__.main", "shop.take", ACQUIRE)
SERVE = ("__main__.main", "shop.serve", ACQUIRE)
GIVE = ("__main__.main", "shop.give", RELEASE)
WAITS: tuple[Wait, ...] = (
    (0, "shop.SHELF", TAKE, (), MAIN_TID, 4, 40 * MS),
    (0, "shop.TILL", SERVE, (), WORKER_TID, 1, 100 * MS),
    (1, "shop.SHELF", GIVE, (), WORKER_TID, 2, 40 * MS),
    (2, "shop.SHELF", GIVE, TAKE, WORKER_TID, 2, 40 * MS),
    (3, "", ("__main__.main", "shop.count"), (), MAIN_TID, 9, 9 * MS),
)


class ContentionWindow(WindowSession):
    """An attached window whose engine has reported waits."""

    @property
    def view(self) -> ContentionView:
        made = self.page.tables.contention
        assert made is not None
        return made

    @property
    def details(self) -> ContentionDetails:
        made = self.view._details
        assert made is not None
        return made

    @property
    def table(self) -> NumberTable:
        """The table of recorded waits."""
        made = self.view._table._table
        assert made is not None
        return made

    @property
    def note(self) -> EmptyNote:
        """The placeholder of that table."""
        made = self.view._table._note
        assert made is not None
        return made

    @property
    def rows(self) -> list[str]:
        """The names of the table's rows."""
        model = self.document.contended
        return [str(model.index(row, 5).data()) for row in range(model.rowCount())]

    def press(self, text: str) -> None:
        """Choose the entry with this text: in a list of the bar, among the rows, or in the view."""
        bar, groupings = self.page.contention_bar, self.view._groupings
        for box in (bar._kinds, bar._measure) if bar._is_filled else ():
            if (place := box.findText(text)) >= 0:
                box.setCurrentIndex(place)
                box.activated.emit(place)
                return
        for key, each in groupings._items():
            if each.text() == text and groupings.is_folded:
                groupings.press(key)
                return
        buttons = [*groupings.buttons, *self.view.findChildren(QToolButton)]
        (button,) = (each for each in buttons if each.text().strip() == text)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def show_table(session: ContentionWindow, wait_until: WaitUntil) -> None:
    """Show the view, and wait until its table is made."""
    session.page.show_view("contention")
    wait_until(lambda: session.view._table._table is not None)


def attach_window(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> ContentionWindow:
    """Attach a window that has received no waits yet."""
    engine = SyntheticEngine(PID)
    session = ContentionWindow(app, engine, monkeypatch, wait_until)
    engine.started_ns = time.monotonic_ns()  # an older engine sends everything in one message
    engine.send_hello()
    engine.send_ready()
    wait_until(lambda: session.document.status.phase == "running")
    wait_until(lambda: session.page.live is not None and session.document.info is not None)
    return session


def watch_locks(session: ContentionWindow, wait_until: WaitUntil) -> None:
    """Turn the usual lock profiles on, which keep the waiting threads current."""
    session.live.bar.contention_chosen.emit(USUAL_CONTENTION)
    wait_until(lambda: session.document.status.rates.block_rate_ns > 0)


def send_waits(session: ContentionWindow, wait_until: WaitUntil) -> None:
    """Send ``WAITS``, and wait until the table shows them."""
    session.engine.send_contention(*WAITS)
    show_table(session, wait_until)
    wait_until(lambda: session.rows == ["shop.serve", "shop.take"])
    wait_until(lambda: session.view._details is not None)
    wait_until(lambda: session.page.contention_bar._is_filled)


def show_summary_of_deadlock(session: ContentionWindow, wait_until: WaitUntil) -> SummaryView:
    """Show the summary of a program with a known deadlock of two threads."""
    watch_locks(session, wait_until)
    session.page.show_view("summary")
    summary = session.page.tables.summary
    assert summary is not None
    session.engine.make_waits(
        (MAIN_TID, "shop.SHELF", TAKE, WORKER_TID), (WORKER_TID, "shop.TILL", SERVE, MAIN_TID)
    )
    session.document.waiting.poll.tick()
    wait_until(lambda: any("Deadlock" in each.text for each in summary._sentences))
    return summary
