"""Deadlock of a process that ends: it stays with the kept data."""

from __future__ import annotations

import pytest

from harness.contention_window import (
    ContentionWindow,
    WaitUntil,
    attach_window,
    send_waits,
    show_summary_of_deadlock,
)
from stackglass.wire.rates import OFF
from stackglass_viewer.app import App


@pytest.fixture
def session(app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil) -> ContentionWindow:
    made = attach_window(app, monkeypatch, wait_until)
    send_waits(made, wait_until)
    return made


def test_a_deadlock_stays_when_the_process_is_killed(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    """In the summary, in the notice, and in the list, which says of which moment it is."""
    summary = show_summary_of_deadlock(session, wait_until)
    message, document = session.page.message, session.document
    session.engine.send_end()
    wait_until(lambda: document.status.phase in ("ended", "lost"))
    wait_until(lambda: message.notice is not None and "is kept" in message.notice.text)
    assert message.notice is not None
    assert "Deadlock: these threads can never continue" in message.notice.text
    assert "Deadlock: these threads can never continue" in summary._sentences[0].text
    message.action_requested.emit(message.notice.action)  # of its button
    assert session.view._pages.currentWidget() is session.view._waits
    assert document.waiting.model.rowCount() == 2
    assert document.waiting.model.moment.startswith("As of ")
    assert " waiting for a lock at " in session.view._count.whole


def test_a_deadlock_of_locks_that_are_off_does_not_come_back(
    session: ContentionWindow, wait_until: WaitUntil
) -> None:
    summary = show_summary_of_deadlock(session, wait_until)
    session.live.bar.contention_chosen.emit(OFF)
    wait_until(lambda: session.document.status.rates.block_rate_ns == 0)
    session.engine.send_end()
    wait_until(lambda: not session.document.status.is_attached)
    assert not any("Deadlock" in each.text for each in summary._sentences)
    notice = session.page.message.notice
    assert notice is not None
    assert "Deadlock" not in notice.text
