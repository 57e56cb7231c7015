"""Time that is handed in."""

from __future__ import annotations

from harness.fake_clock import FakeClock
from stackglass.clock import SYSTEM_CLOCK


def test_the_systems_clock_goes_forward() -> None:
    before = SYSTEM_CLOCK.mono_ns()
    SYSTEM_CLOCK.sleep(1000)
    SYSTEM_CLOCK.sleep(-1)
    assert SYSTEM_CLOCK.mono_ns() >= before + 1000
    assert SYSTEM_CLOCK.unix_ns() > 1_700_000_000 * 10**9


def test_a_fake_clock_moves_only_when_advanced() -> None:
    clock = FakeClock(mono_ns=5, unix_ns=100)
    clock.sleep(10)
    clock.sleep(-3)
    clock.advance(1)
    assert (clock.mono_ns(), clock.unix_ns()) == (16, 111)
