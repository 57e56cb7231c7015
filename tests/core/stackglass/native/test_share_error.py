"""How far off shares of CPU time may be, as the engine reports it."""

from __future__ import annotations

import pytest

from harness.matrix import each_python, some_pythons
from harness.probes import run_probe
from harness.pythons import Python
from harness.seccomp_filters import ALLOW, DENY, build_filter

NO_TIMERS = build_filter(["timer_create"], DENY, ALLOW).hex()
NONE = [0, ""]
OUTSIDE_POINTS = 40


@some_pythons
@pytest.mark.parametrize(
    ("clock", "error"),
    [
        ("perf", NONE),
        ("perf+timer", [25, "CPU timers tick less often soon after a system call"]),
        ("timer", [40, "CPU timers tick less often soon after a system call"]),
        ("ticker", NONE),
        ("outside", [OUTSIDE_POINTS, "threads are sampled without a signal"]),
    ],
)
def test_each_clock_has_an_error_while_it_ticks(
    python: Python, clock: str, error: list[object]
) -> None:
    seen = run_probe(python, "sampler/share_error.py", clock, "", "")
    assert (seen["on"], seen["off"]) == (error, NONE)


@each_python
def test_a_ticker_without_timers_has_a_larger_error(python: Python) -> None:
    """Under a filter that was not read the engine makes none of the calls that it can do without,
    timers included."""
    seen = run_probe(python, "sampler/share_error.py", "ticker", NO_TIMERS, "")
    assert seen["clock"] == "ticker"
    assert (seen["on"], seen["off"]) == ([9, "this process may not use timers"], NONE)


@some_pythons
def test_threads_that_block_the_signal_count_by_their_cpu_time(python: Python) -> None:
    busy = run_probe(python, "sampler/share_error.py", "ticker", "", "busy")
    assert busy["on"] == [OUTSIDE_POINTS, "some threads are sampled without a signal"]
    idle = run_probe(python, "sampler/share_error.py", "ticker", "", "idle")
    assert idle["on"] == NONE
