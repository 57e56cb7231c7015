"""What ticks weigh that come while a thread is in a system call."""

from __future__ import annotations

from native import _core_testing as core

PERIOD_NS = 10_000_000


def test_the_first_tick_after_arming_is_one_period() -> None:
    """The thread may have been sampled without a signal in between: that time is booked already."""
    first_ns, second_ns = core.cpu_kernel_ticks_after_arming()
    assert first_ns == PERIOD_NS
    assert second_ns < PERIOD_NS
