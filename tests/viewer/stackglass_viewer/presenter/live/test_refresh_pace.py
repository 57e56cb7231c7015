"""Pace of refreshes: a build that takes long is not made again at once."""

from __future__ import annotations

from harness.fake_clock import FakeClock
from stackglass_viewer.presenter.live.refresh_pace import RefreshPace

MS = 1_000_000


def test_a_rest_is_in_proportion_to_the_build() -> None:
    clock = FakeClock(mono_ns=5 * MS)
    pace = RefreshPace(clock)
    assert pace.is_due
    pace.rest(0.100)
    clock.advance(899 * MS)
    assert not pace.is_due
    clock.advance(1 * MS)
    assert pace.is_due
    pace.rest(0.001)
    clock.advance(9 * MS)
    assert pace.is_due


def test_what_is_looked_at_again_does_not_wait() -> None:
    pace = RefreshPace(FakeClock(mono_ns=5 * MS))
    pace.rest(10.0)
    assert not pace.is_due
    pace.hurry()
    assert pace.is_due
