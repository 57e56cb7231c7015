"""Threads that block the sampler's signal get none of it, and are sampled all the same."""

from __future__ import annotations

import os
from typing import Any

import pytest

from harness.matrix import SOME, cover, some_pythons
from harness.probes import run_probe
from harness.pythons import Python

N_THREADS = 2
CPU_S = 1.5  # of the process, the engine's threads included
# The sum of the samples swings about the CPU time used: beside ten busy processes by up to 78 ms in
# some 40 runs. At a stop, more than this that is still due would be <unknown>.
SWING_S = 0.1
OUTSIDE_SHARE = 0.40  # how far off shares may be: Status.share_error_points of such threads


@cover(
    "way, when",
    [
        ("python", "before"),
        ("python", "late"),
        ("python", "often"),
        ("c", "before"),
        ("inherit", "late"),
        ("wait", "late"),
    ],
)
def test_a_thread_that_blocks_the_signal_gets_none(python: Python, way: str, when: str) -> None:
    """By sigtimedwait or a signalfd it would see each: at 1 kHz, with the best clock."""
    check(run_probe(python, "sampler/masks.py", "auto", 1000, way, when, CPU_S), way)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may choose its groups")
@some_pythons
def test_a_user_in_many_groups(python: Python) -> None:
    """The kernel lists the groups in a thread's status before the signals that it blocks."""
    check(run_probe(python, "sampler/masks.py", "auto", 1000, "c", "before", CPU_S, 1000), "c")


@cover(
    "clock, way, when",
    [
        (clock, *way)
        for way in (("python", "often"), ("inherit", "late"))
        for clock in ("perf+timer", "ticker", "timer")
    ],
    SOME,
)
def test_by_every_clock(python: Python, clock: str, way: str, when: str) -> None:
    check(run_probe(python, "sampler/masks.py", clock, 1000, way, when, CPU_S), way)


@cover("clock", ["perf", "ticker"], SOME)
def test_c_code_that_blocks_it_later_gets_few(python: Python, clock: str) -> None:
    """It is not heard: docs/limits.md states the bound."""
    reported = run_probe(python, "sampler/masks.py", clock, 100, "c", "late", CPU_S)
    assert sum(reported["n_got"]) <= 3 * N_THREADS, reported
    assert reported["n_own"] == 1
    assert reported["known"] > 0


@some_pythons
def test_functions_of_threads_that_block_everything_have_their_shares(python: Python) -> None:
    """At 100 Hz, beside the same program whose threads block nothing, as near as the status
    promises for threads that are read from outside."""
    blocked = run_probe(python, "sampler/masks.py", "auto", 100, "c", "before", 3)
    signalled = run_probe(python, "sampler/masks.py", "auto", 100, "wait", "before", 3)
    n_samples = sum(blocked["n_of"].values()), sum(signalled["n_of"].values())
    if min(n_samples) <= 20:
        pytest.skip("the threads hardly ever stood still: nothing was measured")
    share = signalled["got"]["rare"]
    # What share_error.c publishes, and the chance of few samples: 4 standard deviations of both.
    chance = 4 * sum(share * (1 - share) / n for n in n_samples) ** 0.5
    assert abs(blocked["got"]["rare"] - share) < OUTSIDE_SHARE + chance, (blocked, signalled)
    assert abs(blocked["total"] - 1) < 0.05, blocked


@some_pythons
def test_a_thread_that_is_being_entered_counts_as_blocking_nothing(python: Python) -> None:
    """The injector blocks its signals for as long as the entry takes: long on a busy machine."""
    reported = run_probe(python, "sampler/visited.py", 1, 0.05)
    assert reported["refusal"] is None
    assert (reported["n_outside"], reported["blocked_s"]) == (0, 0), reported
    assert reported["sampled_s"] > 0.5, reported


@some_pythons
def test_a_thread_may_be_entered_for_as_long_under_the_ticker(python: Python) -> None:
    """Whose ticks wake the thread that checks whether the entry is over, a thousand times a
    second."""
    reported = run_probe(python, "sampler/visited.py", 1, 0.6, "ticker")
    assert reported["refusal"] is None
    assert (reported["n_outside"], reported["blocked_s"]) == (0, 0), reported


@some_pythons
def test_a_mask_that_stays_is_the_programs_own(python: Python) -> None:
    """The time that the thread used before sampling began belongs to no sample."""
    reported = run_probe(python, "sampler/visited.py", 1, 3)
    assert reported["n_outside"] > 0, reported
    assert reported["booked_s"] <= reported["used_s"] + 0.1, reported


@some_pythons
def test_a_thread_that_unblocks_the_signal_does_not_wait(python: Python) -> None:
    """To block it, the thread waits until the sampler has taken it outside. signal.SIG_UNBLOCK is
    of a class derived from int."""
    reported = run_probe(python, "sampler/unblocking.py")
    assert reported["n_waits"]["SIG_BLOCK"] > 0.25 * reported["n"], reported
    assert reported["n_waits"]["SIG_UNBLOCK"] < 0.1 * reported["n"], reported


@some_pythons
def test_a_thread_that_blocks_the_signal_again_at_once_gets_none(python: Python) -> None:
    """Its two requests are executed together, with or without one of another thread before."""
    reported = run_probe(python, "sampler/outside_again.py")
    assert reported["are_outside"] == [True, True], reported


@some_pythons
def test_time_of_ticks_within_a_round_is_not_due_again(python: Python) -> None:
    """The thread was armed in between, and its ticks have that time."""
    assert run_probe(python, "sampler/armed_in_round.py")["changed_ns"] == 0


def check(reported: dict[str, Any], way: str) -> None:
    # A signalfd of a thread that does not block the signal has always got whatever comes.
    assert reported["n_got"][0] == 0, reported
    assert way == "wait" or reported["n_got"][1] == 0, reported
    assert reported["n_own"] == (way != "wait"), "the program's own signal has not arrived once"
    assert reported["known"] > 0.02, reported
    swing_s = SWING_S + reported["unsure_s"]
    assert abs(reported["total"] - 1) < 0.02 + swing_s / reported["cpu_s"], reported
