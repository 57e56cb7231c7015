"""``stackglass record`` of waits for other things than locks, of asyncio's tasks and of stalls.

``go tool pprof`` is the judge.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.matrix import NEWEST, some_pythons
from harness.pprof_tables import read_go_top
from harness.pythons import Python
from harness.recorder import Terminal, record, recording_of, wait_until
from harness.saved_profile import Row, SavedProfile
from harness.targets import FOLDER, Target

pytestmark = pytest.mark.attach

DELAY = 1  # position among the sample types
N_WAITERS = 3
OF_ASYNCIO = ("--profile", "tasks", "--profile", "stalls", "--profile", "mutex")
OTHERS = {"sleep", "socket.recv", "select", "waitpid"}


def find(profile: SavedProfile, function: str) -> Row:
    (row,) = [row for row in profile.rows if function in row.stack]
    return row


def wait_until_heard(target: Target, terminal: Terminal) -> None:
    """asyncio is looked for some times a second."""

    def is_heard() -> bool:
        target.ask("warm")
        return re.search(r"[1-9]\d* events", terminal.read()) is not None

    wait_until(is_heard, "a wait of a task")


@some_pythons
def test_tasks_and_stalls_of_a_process(python: Python, tmp_path: Path) -> None:
    """Who waits, who holds it up, what keeps the loop; a label says what was waited for."""
    folder = tmp_path / "asyncio"
    rates = ("--block-rate", "1", "--mutex-fraction", "1", "--stall-ms", "150")
    with Target(python, "tasks.py", has_stdin=True) as target:
        target.ask("import")
        with recording_of(target, folder, *OF_ASYNCIO, *rates) as terminal:
            wait_until_heard(target, terminal)
            held, stalled = target.ask("hold"), target.ask("stall")
        target.finish()
    assert sorted(os.listdir(folder)) == ["mutex.pb.gz", "stalls.pb.gz", "tasks.pb.gz"]
    tasks, stalls, mutex = (
        SavedProfile.read(folder / f"{name}.pb.gz") for name in ("tasks", "stalls", "mutex")
    )
    for profile in (tasks, stalls):
        assert profile.sample_types == ["contentions/count", "delay/nanoseconds"]
        assert profile.default_type == "delay"
    rows = [row for row in tasks.rows if "__main__.wait_for_seat" in row.stack]
    assert {row.labels["wait"] for row in rows} == {"asyncio.Semaphore.acquire"}
    names = [str(row.labels["task"]) for row in rows]
    assert len(set(names)) == len(names) == N_WAITERS
    assert all(re.fullmatch(r"Task-\d+", name) for name in names)
    assert sum(row.values[0] for row in rows) == N_WAITERS
    assert sum(row.values[1] for row in rows) == pytest.approx(held["waited_ns"], rel=0.2)
    row = find(stalls, "__main__.compute")
    assert row.stack == ["__main__.stall", "__main__.compute"]
    assert row.labels.pop("wait") == "event loop"
    assert [key for key in row.labels if key != "task"] == []  # if it is a task's step
    assert row.values[0] == 1
    assert row.values[1] == pytest.approx(stalled["stalled_ns"], rel=0.2)
    row = find(mutex, "__main__.hold_seat")
    assert row.labels == {}  # as Go's
    judged = read_go_top(folder / "stalls.pb.gz", DELAY, "nanoseconds")
    assert judged["__main__.compute"][0] >= 0.8 * stalled["stalled_ns"]
    kept = run_pprof("-top", "-tagfocus", "wait=Semaphore", folder / "tasks.pb.gz")
    assert "asyncio.locks.Semaphore.acquire" in kept
    assert "asyncio.locks.Lock.acquire" not in kept
    assert re.search(r"tasks.pb.gz: .* s of waiting", terminal.shown)
    assert re.search(r"stalls.pb.gz: .* s of stalls", terminal.shown)


@some_pythons
def test_functions_that_the_program_has_replaced(python: Python, tmp_path: Path) -> None:
    """What can be recorded is; that something may be missing is reported once."""
    folder = tmp_path / "asyncio"
    rates = ("--block-rate", "1", "--mutex-fraction", "1", "--stall-ms", "150")
    with Target(python, "tasks.py", has_stdin=True) as target:
        target.ask("replace")
        with recording_of(target, folder, *OF_ASYNCIO, *rates) as terminal:
            wait_until_heard(target, terminal)
            target.ask("hold")
        target.finish()
    rows = [
        row
        for row in SavedProfile.read(folder / "tasks.pb.gz").rows
        if "__main__.wait_for_seat" in row.stack
    ]
    assert sum(row.values[0] for row in rows) == N_WAITERS
    reason = "the program has replaced asyncio.locks.Condition.wait_for"
    assert (
        terminal.shown.count(f"waits and stalls of asyncio's tasks may be missing: {reason}") == 1
    )
    assert "(and others" not in terminal.shown


def test_other_waits_have_a_label(tmp_path: Path) -> None:
    """A command's, with it in one file; without the labelled ones it is what it is without them."""
    lines = b"".join(b"sleep\nsocket\nselect\nchild\nloop\nlock\n" for _ in range(2))
    command = [NEWEST.executable, FOLDER / "other_waits.py"]
    path = tmp_path / "block.pb.gz"
    words = ["--profile", "block", "--block-rate", "1", "--other-waits", "-o", path]
    status, _, err = record(*words, "--", *command, stdin=lines)
    assert (status, err) == (0, "")
    rows = SavedProfile.read(path).rows
    assert {row.labels["wait"] for row in rows if row.labels} >= OTHERS
    assert not any("wait_for_timer" in name for row in rows for name in row.stack)
    plain = [row for row in rows if not row.labels]
    assert any("__main__.wait_for_lock" in row.stack for row in plain)
    leaves = {row.stack[-1] for row in plain}
    assert not any(leaf.startswith(("time.", "_socket.", "select", "subp")) for leaf in leaves)
    tags = run_pprof("-tags", path)
    for other in OTHERS:
        assert f": {other}\n" in tags
    without = run_pprof("-top", "-unit=ns", "-tagignore", "wait=.", path)
    total_ns = sum(row.values[1] for row in plain)
    assert "time.sleep" not in without
    assert f"Showing nodes accounting for {total_ns}ns" in run_pprof(
        "-top", "-unit=ns", "-nodefraction=0", "-tagignore", "wait=.", path
    )


def test_as_text(tmp_path: Path) -> None:
    """Labels stand where Go's count profiles have them, and pprof reads on."""
    command = [NEWEST.executable, FOLDER / "other_waits.py"]
    folder = tmp_path / "texts"
    words = ["--profile", "block", "--profile", "stalls", "--other-waits", "--text", "-o", folder]
    status, _, err = record(*words, "--", *command, stdin=b"sleep\nlock\n" + b"blocked\n" * 3)
    assert (status, err) == (0, "")
    block, stalls = ((folder / f"{name}.txt").read_text() for name in ("block", "stalls"))
    assert block.startswith("--- contention:\ncycles/second=1000000000\n")
    assert re.search(r'@ [^\n]*\n# labels: {"wait":"sleep"}\n#\t\w+\ttime\.sleep\+0x0\t', block)
    assert re.search(r"@ [^\n]*\n#\t\w+\t_thread\.lock\.__enter__\+0x0\t", block)
    assert stalls.startswith("--- mutex:\ncycles/second=1000000000\nsampling period=1\n")
    assert re.search(r'# labels: {"task":"Task-\d+", "wait":"event loop"}\n', stalls)
    for text, path in ((block, folder / "block.txt"), (stalls, folder / "stalls.txt")):
        total_ns = sum(int(row) for row in re.findall(r"^(\d+) \d+ @", text, re.MULTILINE))
        assert f"{total_ns}ns total" in run_pprof("-top", "-unit=ns", path)
