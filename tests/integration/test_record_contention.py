"""``stackglass record --profile block`` and its like on real processes, with pprof as a judge."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.matrix import NEWEST, some_pythons
from harness.pprof_tables import read_go_top
from harness.pythons import Python
from harness.recorder import record, recording_of
from harness.saved_profile import Row, SavedProfile
from harness.targets import FOLDER, Target

pytestmark = pytest.mark.attach

DELAY = 1  # position among the sample types
N_WAITERS = 5


def find(profile: SavedProfile, leaf: str, function: str) -> Row:
    (row,) = [row for row in profile.rows if row.stack[-1] == leaf and function in row.stack]
    return row


@pytest.mark.checklist(59, 70)
@some_pythons
def test_a_process_is_recorded_with_cpu_and_heap(python: Python, tmp_path: Path) -> None:
    """Checklist 59, 70: what five threads waited, as they measured it; in one folder."""
    folder = tmp_path / "profiles"
    profiles = ("mutex", "block", "gil", "cpu", "heap")
    words = [word for name in profiles for word in ("--profile", name)]
    rates = ("--block-rate", "1", "--mutex-fraction", "1")
    with Target(python, "contended.py", has_stdin=True) as target:
        with recording_of(target, folder, *words, *rates) as terminal:
            answer = target.ask("hold")
        target.finish()
    assert sorted(os.listdir(folder)) == sorted(f"{name}.pb.gz" for name in profiles)
    mutex, block, gil = (SavedProfile.read(folder / f"{name}.pb.gz") for name in profiles[:3])
    for profile in (mutex, block, gil):
        assert profile.sample_types == ["contentions/count", "delay/nanoseconds"]
        assert profile.default_type == "delay"
        assert profile.message.period == 1
    row = find(block, "_thread.lock.acquire", "__main__.wait_for_cache")
    assert row.values[0] == N_WAITERS
    assert row.values[1] == pytest.approx(answer["waited_ns"], rel=0.1)
    row = find(mutex, "_thread.lock.__exit__", "__main__.hold_cache")
    assert row.values[0] == 1
    assert row.values[1] == pytest.approx(answer["held_ns"], rel=0.1)
    judged = read_go_top(folder / "mutex.pb.gz", DELAY, "nanoseconds")
    assert judged["_thread.lock.__exit__"][0] >= row.values[1]
    assert SavedProfile.read(folder / "cpu.pb.gz").default_type == "cpu"
    assert SavedProfile.read(folder / "heap.pb.gz").default_type == "inuse_space"
    waited = r"\d+\.\d s, \d+ events, 0 lost, \d\.\d{3} s of waiting"
    assert re.search(rf"process {target.pid}: {waited}", terminal.shown)
    assert re.search(rf"{re.escape(str(folder))}/mutex.pb.gz: {waited}", terminal.shown)


@pytest.mark.checklist(60, 66, 76)
def test_a_command_is_recorded_from_its_first_line(tmp_path: Path) -> None:
    """Checklist 60, 66, 76: what it imports first is known when it waits; as text for pprof."""
    folder = tmp_path / "texts"
    words = ["--profile", "block", "--profile", "mutex", "--text"]
    rates = ["--block-rate", "1", "--mutex-fraction", "1"]
    command = [NEWEST.executable, FOLDER / "contended.py"]
    status, _, err = record(*words, *rates, "-o", folder, "--", *command, stdin=b"hold\nqueue\n")
    assert (status, err) == (0, "")
    assert sorted(os.listdir(folder)) == ["block.txt", "mutex.txt"]
    block, mutex = ((folder / name).read_text() for name in ("block.txt", "mutex.txt"))
    assert block.startswith("--- contention:\ncycles/second=1000000000\n")
    assert mutex.startswith("--- mutex:\ncycles/second=1000000000\nsampling period=1\n")
    leaves = re.findall(r" @ .*\n#\t\w+\t(\S+)\+0x0\t", block)
    assert "queue.Queue.get" in leaves
    assert "sitecustomize" not in block, "the recorder is not waited for by a lock"
    assert "_thread.lock.__exit__" in re.findall(r" @ .*\n#\t\w+\t(\S+)\+0x0\t", mutex)
    for text, path in ((block, folder / "block.txt"), (mutex, folder / "mutex.txt")):
        total_ns = sum(int(row) for row in re.findall(r"^(\d+) \d+ @", text, re.MULTILINE))
        assert f"{total_ns}ns total" in run_pprof("-top", "-unit=ns", path)
