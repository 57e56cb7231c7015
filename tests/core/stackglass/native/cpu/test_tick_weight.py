"""What ticks weigh that come while a thread is in a system call."""

from __future__ import annotations

import time

from native import _core_testing as core

PERIOD_NS = 10_000_000


def test_the_first_tick_after_arming_is_one_period() -> None:
    """The thread may have been sampled without a signal in between: that time is booked already."""
    first_ns, second_ns, _ = core.cpu_kernel_ticks_after_arming()
    assert first_ns == PERIOD_NS
    assert second_ns < PERIOD_NS


def test_a_tick_in_the_middle_of_disarming_counts_from_the_last_one() -> None:
    """The event is closed before the timer: such a tick is weighed as without an event. It must
    not stand for all CPU time that the thread has ever used."""
    total_ns = time.thread_time_ns()
    *_, third_ns = core.cpu_kernel_ticks_after_arming()
    assert third_ns < min(PERIOD_NS, total_ns)
