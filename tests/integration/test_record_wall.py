"""The wall profile of real processes: states, totals, and calls that go on undisturbed."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.matrix import NEWEST, some_pythons
from harness.pythons import Python
from harness.recorder import record
from harness.saved_profile import SavedProfile
from harness.targets import Target

pytestmark = pytest.mark.attach

STATES = {
    "doze": "in a system call",
    "wait_for_lock": "waiting for a lock",
    "wait_for_data": "in a system call",
}


@some_pythons
def test_states_and_totals_and_no_interrupted_call(python: Python, tmp_path: Path) -> None:
    """Each thread's states add up to the time of the recording, and each wait has its state. No
    system call is interrupted, at the highest rate."""
    path = tmp_path / "wall.pb.gz"
    with Target(python, "walled.py", has_stdin=True) as target:
        before = target.ask("calls")
        status, _, err = record(
            target.pid, "--profile", "wall", "--wall-hz", 1000, "-o", path, "--duration", 1.5
        )
        assert status == 0, err
        after = target.ask("calls")
        target.finish()
    assert after["calls"] - before["calls"] > 50
    assert after["interrupted"] == 0
    profile = SavedProfile.read(path)
    assert profile.sample_types == ["samples/count", "wall/nanoseconds"]
    assert profile.default_type == "wall"
    by_thread: Counter[str] = Counter()
    by_state: Counter[tuple[str, str]] = Counter()
    for row in profile.rows:
        by_thread[row.labels["thread_id"]] += row.values[1]
        by_state[row.labels["thread"], row.labels["state"]] += row.values[1]
    total_ns = max(by_thread.values())
    lived = [ns for ns in by_thread.values() if ns > total_ns / 2]
    assert len(lived) == 11, "threads of the program, none of the engine"
    assert min(lived) > 0.9 * total_ns
    for name, state in STATES.items():
        assert by_state[name, state] > 0.9 * total_ns
        (row,) = [
            row
            for row in profile.rows
            if row.labels["thread"] == name and row.values[1] > 0.5 * total_ns
        ]
        assert row.stack[-1].endswith(name)
    assert by_state["ThreadPoolExecutor-0_0", "idle"] > 0.9 * total_ns
    ran_ns = by_state["spin", "running"]
    assert ran_ns > 0
    # Two threads, of which one at a time has the GIL. Where others want the processors, too, both
    # wait for one: the thread that waits for the GIL as well, since it wakes up every 5 ms.
    waited_ns = by_state["spin", "waiting for the GIL"]
    assert waited_ns > 0.1 * total_ns
    assert waited_ns + by_state["spin", "waiting for a processor"] > 0.5 * total_ns
    assert ran_ns < 1.2 * total_ns


def test_pprof_reads_states_as_tags(tmp_path: Path) -> None:
    path = tmp_path / "wall.pb.gz"
    with Target(NEWEST, "walled.py", has_stdin=True) as target:
        status, _, err = record(target.pid, "--profile", "wall", "-o", path, "--duration", 0.5)
        assert status == 0, err
        target.finish()
    text = run_pprof("-top", "-tagfocus", "state=waiting for a lock", path)
    assert "wait_for_lock" in text
    assert "doze" not in text


@some_pythons
def test_suspended_tasks_with_their_await_chains(python: Python, tmp_path: Path) -> None:
    """Each suspended task for as long as the others, by its name; the program's own code does not
    run for it. Threads keep their time."""
    path = tmp_path / "wall.pb.gz"
    with Target(python, "awaiting.py", has_stdin=True) as target:
        target.ask("many 1500")
        status, _, err = record(
            target.pid, "--profile", "wall", "-o", path, "--duration", 3, "--cpu-hz", 100
        )
        assert status == 0, err
        assert target.ask("calls")["calls"] == []
        target.ask("drop")
        target.finish()
    rows = SavedProfile.read(path).rows
    suspended = [row for row in rows if row.labels["state"] == "suspended"]
    by_task: Counter[str] = Counter()
    ends: dict[str, str] = {}
    for row in suspended:
        by_task[row.labels["task"]] += row.values[1]
        ends[row.labels["task"]] = row.stack[-1]
        assert row.labels["thread"] == "MainThread", "of their event loop"
    named = {"go between", "iterate", "holder", "wanté", "join", "gather", "in Python", "watchful"}
    assert named | {"<other tasks>"} == set(by_task), "a task that asyncio named is one of others"
    assert len({by_task[name] for name in named}) == 1
    (each_ns,) = {by_task[name] for name in named}
    assert 0 < each_ns < 3.5 * 10**9, "not more than the recording; less where looks are rare"
    assert by_task["<other tasks>"] >= 1500 * each_ns
    assert ends["go between"] == "asyncio.queues.Queue.get"
    assert ends["wanté"] == "asyncio.locks.Lock.acquire"
    others: Counter[str] = Counter()
    for row in rows:
        if row.labels["state"] != "suspended":
            others[row.labels["thread"]] += row.values[1]
    assert max(others.values()) < 3.5 * 10**9


@some_pythons
def test_of_many_tasks_some_stand_for_all(python: Python, tmp_path: Path) -> None:
    """A look reads 4096 at most, chosen at random; their number and time are those of all. How many
    looks there are depends on what one costs; each stands for a quarter of a second or more."""
    path = tmp_path / "wall.pb.gz"
    n_tasks, duration_s = 20_000, 3
    with Target(python, "awaiting.py", has_stdin=True) as target:
        target.ask(f"many {n_tasks}")
        status, _, err = record(
            target.pid, "--profile", "wall", "-o", path, "--duration", duration_s
        )
        assert status == 0, err
        target.ask("drop")
        target.finish()
    rows = SavedProfile.read(path).rows
    suspended = [row for row in rows if row.labels["state"] == "suspended"]
    total_ns = sum(row.values[1] for row in suspended)
    n_looks = sum(row.values[0] for row in suspended) / n_tasks
    assert n_looks > 0.9
    # The count of a look is five times a binomial number, whose standard deviation is known.
    sigma = 2 / math.sqrt(n_tasks) * math.sqrt(n_looks)
    assert abs(n_looks - round(n_looks)) < 4.5 * sigma, "each look counts every task"
    assert 0.2 * (n_looks - 1) < total_ns / (n_tasks * 10**9) < 1.1 * duration_s
    many = max(row.values[0] for row in suspended)
    assert many % 5 == 0, "one in five is chosen"


def test_a_task_that_runs_is_not_suspended(tmp_path: Path) -> None:
    path = tmp_path / "wall.pb.gz"
    with Target(NEWEST, "awaiting_busy.py") as target:
        status, _, err = record(target.pid, "--profile", "wall", "-o", path, "--duration", 2)
        assert status == 0, err
        target.finish()
    rows = SavedProfile.read(path).rows
    tasks = {row.labels.get("task") for row in rows if row.labels["state"] == "suspended"}
    assert tasks == {"<other tasks>"}, "the one that asyncio named; busy runs all the time"
