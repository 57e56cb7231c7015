"""Which signal the sampler uses, and that none of them ends a program or reaches it.

STACKGLASS_EXECS is how many programs each case executes: 12 by default, 1000 for a proof.
"""

from __future__ import annotations

import os

import pytest

from harness.matrix import SOME, cover
from harness.probes import run_probe
from harness.pythons import Python

EXECS = int(os.environ.get("STACKGLASS_EXECS", "12"))


@cover(
    "clock, taken",
    [
        pytest.param(clock, taken, id=f"{clock}-{taken or 'none'}")
        for clock in ("perf", "perf+timer", "ticker", "timer")
        for taken in ("", "SIGURG", "SIGURG+SIGWINCH")
    ],
    SOME,
)
def test_no_program_dies_by_a_tick_as_it_executes_another(
    python: Python, clock: str, taken: str
) -> None:
    """At 10 kHz, with two more threads that are sampled; forked, and spawned beside it."""
    reported = run_probe(python, "sampler/execs.py", clock, taken, EXECS)
    assert reported["ends"] == {"0": EXECS}
    assert reported["spawned"] == {"0": EXECS}


@cover("clock", ["auto", "perf+timer", "ticker", "timer"])
def test_the_program_takes_every_signal_and_gives_them_back(python: Python, clock: str) -> None:
    reported = run_probe(python, "sampler/given_back.py", clock)
    assert reported["is_begun"]
    assert reported["used"] == [23]  # SIGURG
    assert reported["clock_without"] == "outside"
    assert reported["used_without"] == []
    assert reported["is_sampled_without"]
    assert reported["calls_of_own"] == 1, "a tick reached the program's handler"
    assert reported["is_returned"]
    assert reported["is_sampled_again"]
    assert reported["is_sampled_behind"]
    assert reported["calls_once_noticed"] == 0
    assert reported["left"] == []
