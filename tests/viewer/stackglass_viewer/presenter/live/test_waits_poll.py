"""Poll of the waiting threads: how often, in which state."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.live.waits_poll import WaitsPoll


@pytest.fixture
def poll(qt: QApplication) -> WaitsPoll:
    return WaitsPoll()


def count_due(poll: WaitsPoll, n_ticks: int) -> int:
    due: list[None] = []
    poll.due.connect(lambda: due.append(None))
    for _ in range(n_ticks):
        poll.tick()
    return len(due)


def test_a_process_is_asked_soon_and_then_seldom_while_it_is_busy(poll: WaitsPoll) -> None:
    assert not poll._timer.isActive()
    poll.follow(is_running=True, is_idle=False)
    assert poll._timer.isActive()
    assert count_due(poll, 1) == 1
    assert count_due(poll, 9) == 0
    assert count_due(poll, 1) == 1
    poll.follow(is_running=True, is_idle=True)
    assert count_due(poll, 5) == 5
    poll.follow(is_running=False, is_idle=True)
    assert not poll._timer.isActive()


def test_threads_that_are_shown_are_requested_at_once(poll: WaitsPoll) -> None:
    poll.follow(is_running=True, is_idle=False)
    hidden_ms = poll._timer.interval()
    due: list[None] = []
    poll.due.connect(lambda: due.append(None))
    poll.show(True)
    poll.show(True)
    assert len(due) == 1
    assert poll._timer.interval() < hidden_ms
    assert count_due(poll, 3) == 3
    poll.show(False)
    assert poll._timer.interval() == hidden_ms
    assert count_due(poll, 3) == 0
    poll.stop()
    assert not poll._timer.isActive()


def test_a_tab_that_is_not_looked_at_asks_as_seldom_as_another_view(poll: WaitsPoll) -> None:
    poll.follow(is_running=True, is_idle=False)
    hidden_ms = poll._timer.interval()
    poll.show(True)
    poll.set_front(False)
    assert not poll.is_shown
    assert poll._timer.interval() == hidden_ms
    assert count_due(poll, 9) == 0
    due: list[None] = []
    poll.due.connect(lambda: due.append(None))
    poll.set_front(True)
    assert poll.is_shown
    assert len(due) == 1
    assert poll._timer.interval() < hidden_ms


def test_a_list_that_stands_is_polled_like_a_hidden_one(poll: WaitsPoll) -> None:
    poll.follow(is_running=True, is_idle=False)
    hidden_ms = poll._timer.interval()
    poll.show(True)
    poll.hold(True)
    assert poll._timer.interval() == hidden_ms
    assert count_due(poll, 9) == 0
    poll.hold(False)
    assert poll._timer.interval() < hidden_ms
    assert count_due(poll, 3) == 3
