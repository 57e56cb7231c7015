"""Rates from cumulative counts."""

from __future__ import annotations

import pytest

from stackglass_viewer.presenter.live.rate_meter import RateMeter

SECOND = 1_000_000_000


def test_the_achieved_rate_is_per_second_of_cpu() -> None:
    meter = RateMeter()
    for second in range(4):
        meter.add(second * SECOND, second * 50, second * SECOND // 2)
    assert meter.achieved_hz == pytest.approx(100.0)
    assert meter.cpu_share == pytest.approx(0.5)
    assert not meter.is_idle


def test_no_rate_is_made_up_without_cpu() -> None:
    meter = RateMeter()
    meter.add(0, 0, 0)
    assert meter.achieved_hz is None
    assert meter.cpu_share is None
    meter.add(SECOND, 0, 0)
    assert meter.achieved_hz is None
    assert meter.cpu_share == 0.0


def test_a_process_that_falls_asleep_becomes_idle() -> None:
    meter = RateMeter()
    for tenth in range(30):
        cpu_ns = min(tenth, 10) * SECOND // 10
        meter.add(tenth * SECOND // 10, 0, cpu_ns)
    assert meter.is_idle


def test_old_counts_no_longer_matter() -> None:
    meter = RateMeter()
    for second in range(10):
        meter.add(second * SECOND, min(second, 5) * 100, second * SECOND)
    assert meter.achieved_hz == pytest.approx(0.0)


def test_idle_is_the_last_second_not_the_whole_window() -> None:
    """Busy for a second, then asleep for one: of the window, a third was busy."""
    meter = RateMeter()
    for tenth in range(21):
        meter.add(tenth * SECOND // 10, 0, min(tenth, 10) * SECOND // 10)
    assert meter.is_idle
    busy = RateMeter()
    for tenth in range(21):
        busy.add(tenth * SECOND // 10, 0, max(0, tenth - 15) * SECOND // 10)
    assert not busy.is_idle
