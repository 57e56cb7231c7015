"""The CPU sampler inside each Python of this machine, driven by small programs ("probes").

A probe is a process of its own, since a fault of the sampler would be a fault of the process.
What belongs to a whole engine in a foreign process is tested in tests/conformance.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from harness.matrix import NEWEST, SOME, choose_pythons, cover, each_python, some_pythons
from harness.probes import run_probe
from harness.pythons import Python
from harness.targets import FOLDER
from native import _core_testing as core

PROBES = FOLDER / "sampler"
NOBODY_UID = 65534
MOST_S = 220  # of a test, which may take 300
ALONE = pytest.mark.alone("its ticks come in step with the system's, or when it is let run")
OTHER_CLOCKS = ("perf+timer", "ticker", "timer")
CLOCKS = ["perf", *(pytest.param(clock, marks=ALONE, id=clock) for clock in OTHER_CLOCKS)]


@each_python
def test_lines_and_names_are_those_of_python(python: Python) -> None:
    reported = run_probe(python, "sampler/lines.py")
    assert reported["n_codes"] > 2000
    assert reported["wrong"] == []
    assert all(reported["names"].values()), reported["names"]


@each_python
def test_dying_code_keeps_its_own_number_and_name(python: Python) -> None:
    reported = run_probe(python, "sampler/deaths.py")
    assert reported["n_given"] == 3000
    assert reported["n_addresses"] < 3000, "no address was used twice: nothing was tested"
    assert reported["is_reported"]
    assert reported["n_alive"] == 0
    assert reported["is_taken"]
    assert reported["is_parents"], "the parent has lost the death that came before its fork"
    assert reported["n_in_child"] == 0, "the child reports what died in its parent"


@pytest.mark.checklist(2, 5, 6, 15, 37)
@each_python
def test_every_kind_of_thread(python: Python) -> None:
    """Checklist 2, 5, 6, 15 and 37: early, late, brief, sleeping and blocked threads; depth."""
    reported = run_probe(python, "sampler/threads.py", "auto")
    assert reported["n_early"] > 50
    assert reported["n_late"] > 50
    assert reported["are_apart"]
    assert reported["asleep_ns"] == 0
    # 600 threads of 1 ms at 100 Hz are 60 samples on average, 8 their standard deviation. Some end
    # before they are found, more of them where others want the processor.
    assert 15 <= reported["n_brief"] <= 100
    # And 200 of 0.8 ms at 1000 Hz 160; where their first tick came after a whole period: none.
    assert reported["n_fleeting"] > 40
    assert reported["blocked_ns"] > 0.2e9  # of 0.4 s, by its own name, though it gets no signal
    assert reported["deepest"] == 512
    assert reported["deepest_root"] == "<truncated>"
    assert reported["deepest_leaf"] != "<truncated>"
    assert reported["n_whole_deep"] > 20
    assert reported["n_snapshot"] == 3
    assert reported["n_threads"] == 2


@choose_pythons([NEWEST], SOME)
def test_threads_beyond_the_last_slot_are_counted(python: Python, burner: Path) -> None:
    reported = run_probe(python, "sampler/more_threads.py", burner)
    if reported["refused"]:
        pytest.skip(f"this machine has no room for so many threads: {reported['refused']}")
    assert reported["crowd"] == [4096 + 7, 7]
    assert reported["alone"] == [reported["before"], 0]


@pytest.mark.checklist(3)
@cover("clock", CLOCKS, SOME)
def test_shares_are_those_of_the_program(python: Python, clock: str) -> None:
    """Checklist 3, in process: total within 2 %, functions within 5 points, also in the kernel."""
    check_shares(run_uncrowded(python, clock, 250 if clock == "timer" else 1000, 4))


@choose_pythons([NEWEST], SOME)
@ALONE
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become an ordinary user")
def test_shares_hold_for_an_ordinary_user(python: Python) -> None:
    """Who may not see the kernel with perf gets its time by another clock."""
    try_it = "import os, sys; os.setuid(65534); open(sys.argv[1]); import json"
    readable = subprocess.run(
        [python.executable, "-c", try_it, core.__file__], capture_output=True, check=False
    )
    if readable.returncode != 0:
        pytest.skip("an ordinary user cannot read this interpreter or the extension")
    reported = run_uncrowded(python, "auto", 100, 10, NOBODY_UID)
    assert reported["clock"] != "perf" or reported["got"]["in_kernel"] > 0
    check_shares(reported)


def run_uncrowded(python: Python, *arguments: object) -> dict[str, Any]:
    """Shares of a run that had a processor nearly all the time, else of that of three which had it
    most; of fewer if a further one might take longer than a test may.

    Where others want the processor, the system's own ticks come less often than chance would
    have it soon after a system call, for it is there that it gives the processor to another.
    """
    runs: list[dict[str, Any]] = []
    begun = time.monotonic()
    while len(runs) < 3 and (not runs or is_drawn_off(runs[-1])):
        spent_s = time.monotonic() - begun
        if runs and spent_s + 2 * spent_s / len(runs) > MOST_S:
            break
        runs.append(run_probe(python, "sampler/shares.py", *arguments))
    return min(runs, key=find_wait)


def find_wait(reported: dict[str, Any]) -> float:
    """How long it waited for a processor, as a share of the time that it had one."""
    return float(reported["waited_s"] / reported["cpu_s"])


def is_drawn_off(reported: dict[str, Any]) -> bool:
    """Whether others had the processor for a while, and the clock is one that minds it."""
    return find_wait(reported) > 0.05 and reported["clock"] in ("perf+timer", "timer")


def check_shares(reported: dict[str, Any]) -> None:
    slack = 0.02 + 0.05 / reported["cpu_s"]  # 50 ms are still to be handed out when it stops
    assert abs(reported["total"] - 1) < slack, reported
    for name, true in reported["true"].items():
        # 5 points, or 4 standard deviations where the clock gave few samples.
        chance = 4 * (true * (1 - true) / reported["n_samples"]) ** 0.5
        # A crowd draws a clock that ticks with the system off: by what the status says.
        crowd = reported["error_points"] / 100 + chance if is_drawn_off(reported) else 0.0
        assert abs(reported["got"][name] - true) < max(0.05, chance, crowd), reported


@pytest.mark.checklist(17, 18, 19)
@each_python
def test_c_code_keeps_its_caller(python: Python, burner: Path) -> None:
    """Checklist 17, 18 and 19: <native> below the caller, foreign threads, no <native> in libc."""
    reported = run_probe(python, "sampler/native.py", burner)
    assert reported["n_native_called"] > 50
    assert reported["n_foreign"] > 50
    assert reported["n_reading"] > 50
    assert reported["n_reading_native"] < reported["n_reading"] / 10
    if python.minor >= 13:
        assert reported["n_gc"] > reported["n_collecting"] / 2
    else:
        assert reported["n_gc"] == 0


@pytest.fixture(scope="module")
def burner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A C library that burns CPU time."""
    library = tmp_path_factory.mktemp("burner") / "burn.so"
    subprocess.run(
        ["cc", "-O1", "-shared", "-fPIC", "-pthread", "-o", library, PROBES / "burn.c"], check=True
    )
    return library


@pytest.mark.checklist(13)
@cover("clock", ["auto", "ticker"])
def test_the_programs_own_signal_stays_its_own(python: Python, clock: str) -> None:
    """Checklist 13 as well: a forked child has none of it, and can be sampled anew."""
    reported = run_probe(python, "sampler/signals.py", clock)
    assert reported["getsignal"]
    assert reported["previous"]
    assert reported["n_before"] > 0
    assert reported["n_after"] > reported["n_before"]
    assert reported["calls_without_reason"] == 0
    assert reported["calls_of_own"] == 1
    assert reported["handler_kept"]
    assert reported["calls_after_stop"] == 2
    assert reported["n_with_handler"] > 0
    assert reported["calls_at_end"] == 2
    assert reported["n_behind_back"] > 0
    assert reported["n_behind_pending"] > 0
    assert reported["child"] == 0
    assert reported["left"] == []


@pytest.mark.checklist(13)
@some_pythons
def test_no_tick_comes_by_a_signal_that_the_program_has_taken(python: Python, burner: Path) -> None:
    """Nor in the milliseconds in which hundreds of threads are armed with another one."""
    reported = run_probe(python, "sampler/given_up.py", burner)
    assert reported["n_sampled"] == 5, "no tick came before: nothing was tested"
    assert reported["n_without_reason"] == 0
    assert reported["n_of_own"] == 1


@pytest.mark.checklist(13)
@cover("step", ["take", "block"], SOME)
def test_no_tick_comes_though_the_samplers_thread_is_late(
    python: Python, step: str, burner: Path
) -> None:
    """A program that takes or blocks the signal waits for the sampler on a crowded machine, too."""
    reported = run_probe(python, "sampler/stopped_sampler.py", burner, step)
    assert reported["took_s"] > reported["stop_s"] / 2, "it was not late: nothing was tested"
    assert reported["n_calls"] == 0
    assert not reported["is_pending"]


@each_python
def test_a_tick_for_another_threads_slot_is_dropped(python: Python) -> None:
    """Whether the slot's thread has ticked before or not; and the slot works afterwards."""
    reported = run_probe(python, "sampler/late_signal.py")
    assert reported["are_sent"]
    assert reported["n_of_none"] == 0
    assert reported["is_own_seen"]
    assert not reported["is_other_seen"]
    assert reported["does_go_on"]


@pytest.mark.checklist(14)
@each_python
def test_nothing_breaks_under_stress(python: Python) -> None:
    """Checklist 14: 10 kHz over all that moves frames; STACKGLASS_STRESS_S long."""
    check_stress(python, "auto")


@cover("clock", ["perf+timer", "ticker"], SOME)
def test_nothing_breaks_under_stress_by_other_clocks(python: Python, clock: str) -> None:
    check_stress(python, clock)


def check_stress(python: Python, clock: str) -> None:
    seconds = float(os.environ.get("STACKGLASS_STRESS_S", "3"))
    reported = run_probe(python, "sampler/stress.py", clock, seconds)
    assert reported["failures"] == []
    assert reported["n_samples"] > 500
    assert reported["missing"] == []
    assert reported["n_unnamed"] == 0
    assert reported["n_bad_walks"] <= reported["n_samples"] / 100
    assert abs(reported["total"] - 1) < 0.02 + 0.1 / reported["cpu_s"]


@pytest.mark.checklist(9)
def test_refuses_an_unknown_clock_and_a_second_start() -> None:
    """Checklist 9, below the in-process interface."""
    script = (
        "import sys; sys.path.insert(0, sys.argv[2]); from sampler import Session, core\n"
        "core.cpu_stop()\n"
        "assert core.cpu_start(100, 1, 0) == 'the CPU profiler is not prepared'\n"
        "assert core.cpu_prepare() is None and core.cpu_start(100, 9, 0)\n"
        "session = Session(hz=-5)\n"
        "assert session.refusal is None and core.cpu_status()['hz'] == 0\n"
        "assert core.cpu_start(100, 0, 0) == 'the CPU profiler runs already'\n"
        "core.cpu_set_rate(2_000_000); assert core.cpu_status()['hz'] == 10_000\n"
        "core.cpu_set_rate(-1); assert core.cpu_status()['hz'] == 0\n"
        "session.collect(); n_before = len(session.samples)\n"
        "sum(range(1_000_000)); session.stop(); core.cpu_stop()\n"
        "assert len(session.samples) == n_before\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script, core.__file__, PROBES],
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
