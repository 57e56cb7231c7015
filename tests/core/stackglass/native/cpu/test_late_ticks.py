"""Which of the ticker's late signals give a sample: those of threads that ran all the same."""

from __future__ import annotations

from native import _core_testing as core

MS = 1_000_000


def test_a_thread_that_never_stopped_is_sampled() -> None:
    """As after a long system call. Its CPU clock is read after the system's clock, so that it may
    seem to have run for longer than there was time."""
    assert all(core.cpu_wall_tick_counts(10_000 * MS, 0) == (True, 0) for _ in range(1000))


def test_a_thread_that_waited_for_a_processor_is_not() -> None:
    """It has used no time since the tick was due."""
    counts, uncounted_ns = core.cpu_wall_tick_counts(1 * MS, 20 * MS)
    assert (counts, uncounted_ns) == (False, 0)


def test_what_a_call_used_in_which_the_thread_also_waited_is_added_up() -> None:
    """The tick was due before both: all that the thread used since is time of one system call."""
    counts, uncounted_ns = core.cpu_wall_tick_counts(700 * MS, 400 * MS, 1 * MS)
    assert not counts
    assert 1 * MS <= uncounted_ns < 400 * MS
