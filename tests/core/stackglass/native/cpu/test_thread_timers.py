"""Timers of threads, and a system call filter that forbids to change them."""

from __future__ import annotations

import pytest

from harness.matrix import some_pythons
from harness.probes import run_probe
from harness.pythons import Python
from harness.seccomp_filters import ALLOW, KILL, build_filter
from harness.targets import FOLDER

TIMERS = build_filter(["timer_create", "timer_settime", "timer_delete"], KILL, ALLOW).hex()


@some_pythons
@pytest.mark.parametrize(
    ("clock", "then"),
    [("timer", "rate"), ("timer", "stop"), ("ticker", "rate"), ("ticker", "go-on")],
)
def test_a_filter_that_has_just_come_is_respected(python: Python, clock: str, then: str) -> None:
    """Also within the time for which a check counts: it was before the filter."""
    reported = run_probe(
        python, "sampler/late_filter.py", clock, TIMERS, then, PYTHONPATH=str(FOLDER)
    )
    assert reported["n_before"] > 0
    assert reported["permitted"] == 0


@some_pythons
def test_time_lost_before_a_thread_is_armed_is_not_of_its_first_tick(python: Python) -> None:
    """A clock that sees the kernel adds it up for hours; perf+timer, chosen afterwards, weighs
    it."""
    assert run_probe(python, "sampler/owed.py")["owed_ns"] == 0
