"""Waiting for the GIL inside each Python of this machine, by programs whose waiting is known.

The machine may be busy with other things, so everything is judged by ratios to the threads' own
time. A thread that is ready and gets no processor while another one has the GIL waits for it.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from harness.matrix import NEWEST, PYTHONS, SOME, choose_pythons, cover, each_python, some_pythons
from harness.probes import run_probe
from harness.pythons import Python

# 10 points are what is asked for; sums are exact, so this is for what the threads do besides.
POINTS = 0.1
CROWDED = 0.3
"""Time that threads waited for a processor, beside the time that they ran: the GIL is then kept by
threads that have none."""


def check_share(reported: dict[str, Any], expected: float) -> None:
    """Where no thread gets a processor the GIL is free, and all wait: that comes on top. So does
    the time in which a thread that is not measured, the main thread, has the GIL and no processor:
    at most its delay."""
    assert reported["share"] > expected - POINTS, reported
    assert reported["share"] * (1 - reported["free"]) < expected + POINTS + reported["delay"], (
        reported
    )


def check_busy(reported: dict[str, Any], n: int) -> None:
    check_share(reported, (n - 1) / n)
    assert reported["is_all_charged"], reported
    assert reported["counted_ns"] >= reported["total_ns"]
    assert not reported["is_redirected_after"]
    assert reported["status"]["problem"] == ""


def is_hot_named(reported: dict[str, Any]) -> bool:
    """Within ten points, or four standard deviations of as many looks, if that is more."""
    hot, cold = reported["of"]["hot"], reported["of"]["cold"]
    if not hot + cold:
        return False
    chance = 4 * (0.7 * 0.3 / (reported["status"]["n_looks"] * (hot + cold))) ** 0.5
    return bool(abs(hot / (hot + cold) - 0.7) < max(POINTS, chance))


@each_python
def test_the_gil_is_found_with_any_number_of_threads(python: Python) -> None:
    """Nothing else in the interpreter is mistaken for it, at whatever interval."""
    found = run_probe(python, "gil/found.py")
    assert found["answers"] == [None] * found["n_expected"]


@pytest.mark.checklist(77)
@cover("n", [1, 2, 4])
def test_busy_threads_wait_for_each_other(python: Python, n: int) -> None:
    """Checklist 77: each of N busy threads waits (N - 1) / N of its time, charged to holders.

    A holder that loses its processor has the GIL all the same: where that happens the functions'
    shares are another, and one more look is taken.
    """
    for _ in range(3):
        reported = run_probe(python, "gil/busy.py", n, 1.5 if n > 1 else 0.5, 0)
        check_busy(reported, n)
        if n == 1 or is_hot_named(reported):
            break
    else:
        pytest.fail(str(reported))
    if n > 1:
        assert reported["of"]["<unknown>"] < 0.5, reported
        assert min(reported["by_thread"]) > 0, reported


@some_pythons
def test_beside_a_cpu_profile(python: Python) -> None:
    """Both ask by one signal."""
    reported = run_probe(python, "gil/busy.py", 2, 1.5, 1000)
    check_busy(reported, 2)
    assert reported["of"]["hot"] > reported["of"]["cold"], reported


@each_python
def test_who_is_charged(python: Python) -> None:
    """Sleep and input are no waiting; who works is charged, also in C; who waits is not."""
    reported = run_probe(python, "gil/mixed.py", 0.6)
    # A thread that wakes up and loses the processor has the GIL meanwhile: the next one waits.
    crowded = reported["sleeping"]["delay"]  # how long threads waited for a processor
    assert reported["sleeping"]["share"] < 0.02 + crowded, reported
    for beside, name in (("one_busy", "sleep"), ("passing", "pass_a_byte")):
        assert reported[beside]["waits"] > 0, reported
        most = 0.5 + POINTS + reported[beside]["delay"]
        assert reported[beside]["share"] * (1 - reported[beside]["free"]) < most, reported
        if reported[beside]["delay"] < CROWDED:
            assert reported[beside]["of"]["work"] > reported[beside]["of"][name], reported
    in_c = reported["in_c"]
    check_share(in_c, 0.5)
    assert in_c["of"]["keep_in_c"] > 0.1, reported
    # Less on a busy machine, which takes the processor from a thread, with the GIL, at the system
    # call after its work.
    assert in_c["of"]["work"] > 0.02, reported


@each_python
def test_who_let_go_is_charged(python: Python) -> None:
    """While the GIL is free and no thread has woken up for it: whose stack stands still then."""
    reported = run_probe(python, "gil/handed.py", 1.0)
    status = reported["status"]
    assert status["n_nobody"] > 0, reported
    assert status["n_left"] > status["n_nobody"] / 2, reported
    assert reported["of"]["pass_bytes"] > reported["of"]["<unknown>"], reported
    assert 0 < status["free_ns"] <= status["waited_ns"], reported
    assert reported["are_holders_ours"], reported
    assert reported["deepest"] >= 4, reported


@each_python
def test_coming_and_going_and_forks(python: Python) -> None:
    """Nothing is lost, nothing is left: not in the program, nor in a child."""
    n_turns = 30
    reported = run_probe(python, "gil/switches.py", n_turns)
    assert reported["n_redirected"] == n_turns
    assert reported["n_idle"] == n_turns
    assert reported["n_forks"] == n_turns / 5
    assert reported["n_threads"] == 4


@some_pythons
def test_threads_by_the_hundred_and_children(python: Python) -> None:
    """Threads that end while they are asked, forks and programs executed: all as without us."""
    reported = run_probe(python, "gil/stress.py", 3)
    assert reported["n_children"] > 4
    assert reported["n_well"] == reported["n_children"]
    assert reported["n_results"] > 20
    assert reported["are_right"]
    assert reported["status"]["n_looks"] > 20


@cover("cpu_hz", [0, 10_000], SOME)
def test_a_thread_is_asked_for_its_stack(python: Python, cpu_hz: int) -> None:
    """Also while it is in the sampler's handler, which blocks all signals."""
    reported = run_probe(python, "gil/asked.py", cpu_hz)
    assert reported["n_spin"] == reported["n_sleep"] == 50
    assert reported["n_digests"] == 1000
    assert not reported["is_nobody_there"]
    assert reported["counts"] == [100, 0]


@pytest.mark.checklist(77)
@each_python
def test_waits_for_the_engine_are_left_out(python: Python) -> None:
    """They are counted, so that they can be left out, and are charged to no holder. A window that
    is closed during a hold does not know yet how long that is: so one of many may be charged."""
    n, hold_ns = 30, 15_000_000
    reported = run_probe(python, "gil/engine.py", n, hold_ns)
    assert reported["engine_ns"] > 0.5 * n * hold_ns, reported
    assert reported["charged_ns"] <= reported["counted_ns"] - 0.9 * reported["engine_ns"], reported
    assert reported["charged_to_engine_ns"] <= hold_ns, reported


@each_python
def test_a_thread_that_waits_for_the_engine_alone_is_charged_nothing(python: Python) -> None:
    """Neither while it is made to release the GIL for the engine, nor while the engine has it, nor
    between the engine's last word and its own turn: exactly 0 ns, however busy the machine is. (A
    reader of sums that are being written gives up after a while: so one job of many may differ. A
    charge that the next reading takes back is none.)"""
    n, hold_ns, tail_ns = 60, 1_000_000, 1_000_000
    reported = run_probe(python, "gil/alone.py", n, hold_ns, tail_ns)
    assert reported["counted_ns"] > n * (hold_ns + tail_ns) / 2, reported
    sums = list(itertools.accumulate(reported["charged"], initial=0))
    lasting = [min(sums[i:]) for i in range(len(sums))]
    assert sum(after != before for before, after in itertools.pairwise(lasting)) <= 1, reported


@some_pythons
def test_a_wait_for_the_program_between_two_jobs_of_the_engine_counts(python: Python) -> None:
    assert run_probe(python, "gil/twice.py")["n_counted"] == 1


@pytest.mark.checklist(77)
@some_pythons
def test_a_hold_counts_by_its_waiters(python: Python) -> None:
    """Nine wait, or one, as often and as long: nine tenths of all that is waited, not a half. And
    over many windows nothing is charged twice."""
    reported = run_probe(python, "gil/crowds.py", 40)
    many, one = reported["of"]["hold_many_up"], reported["of"]["hold_one_up"]
    assert one > 0, reported
    assert many > 3 * one, reported
    assert 0 < reported["charged"][0] <= reported["counted"][0], reported
    assert 0 < reported["charged"][1] <= reported["counted"][1], reported


def test_subinterpreters_with_their_own_gil() -> None:
    """They wait for theirs, and not for the main one; each is charged for its own, also while the
    engine has the main one."""
    if NEWEST.minor < 14:
        pytest.skip("no Python with concurrent.interpreters")
    reported = run_probe(NEWEST, "gil/apart.py", 1.0)
    assert reported["alone"]["share"] < POINTS, reported
    check_share(reported["inside"], 0.5)
    check_share(reported["beside"], 0.5)


@choose_pythons(SOME, PYTHONS)
def test_holders_are_known_where_processors_are_few(python: Python) -> None:
    """Also while a thread that has the GIL's mutex has lost its processor; nothing goes to a
    thread that only waits for the program's end. It keeps all processors busy: so with one Python
    that has one GIL, and two whose interpreters may each have their own."""
    reported = run_probe(python, "gil/preempted.py", 3.0)
    assert reported["status"]["n_nobody"] > 0, reported
    assert reported["status"]["n_left"] > 0.9 * reported["status"]["n_nobody"], reported
    assert reported["unknown"] < 0.1, reported
    assert reported["of_main"] < 0.05, reported
