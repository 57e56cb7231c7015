"""Which of the ticker's late signals give a sample: those of threads that ran all the same."""

from __future__ import annotations

from native import _core_testing as core

MS = 1_000_000


def test_a_thread_that_never_stopped_is_sampled() -> None:
    """As after a long system call. Its CPU clock is read after the system's clock, so that it may
    seem to have run for longer than there was time."""
    assert all(core.cpu_wall_tick_counts(10_000 * MS, 0) for _ in range(1000))


def test_a_thread_that_slept_is_not() -> None:
    assert not core.cpu_wall_tick_counts(1 * MS, 20 * MS)
