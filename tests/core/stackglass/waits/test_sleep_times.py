"""For how long threads have slept, from the scheduler's figures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.fake_clock import FakeClock
from harness.fake_proc import FakeProc
from stackglass.waits.sleep_times import SleepTimes, exposes_sleeps, list_running

S = 10**9
SCHED = "{name} (7, #threads: 1)\n-----\nse.exec_start    :    {ms}\nse.vruntime  :  1.5\n"


class Machine(FakeProc):
    """A process with threads on the processor that this test may run on, and a clock there."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.add(7)
        self.processor = min(os.sched_getaffinity(0))
        self.set_clock("100000.000000")

    def set_clock(self, ms: str) -> None:
        folder = self.root / "thread-self"
        folder.mkdir(exist_ok=True)
        (folder / "sched").write_text(SCHED.format(name="us", ms=ms))

    def put(self, tid: int, ms: str, state: str = "S", processor: int | None = None) -> None:
        folder = self.root / "7" / "task" / str(tid)
        folder.mkdir(exist_ok=True)
        at = self.processor if processor is None else processor
        (folder / "stat").write_text(f"{tid} (a ) b) {state} " + "0 " * 35 + f"{at} 0 0\n")
        (folder / "sched").write_text(SCHED.format(name="them", ms=ms))


def test_since_it_ran_last_by_its_own_processors_clock(tmp_path: Path) -> None:
    machine, clock = Machine(tmp_path), FakeClock(5 * S)
    machine.put(7, "40000.250000")
    machine.put(8, "100000.000001")  # later than this clock: the clock there has not moved on yet
    before = os.sched_getaffinity(0)
    sleeps = SleepTimes(7, clock, machine.proc)
    assert sleeps.list_asleep(6 * S) == {7: 60_999_750_000, 8: S - 1}
    assert os.sched_getaffinity(0) == before
    assert sleeps.list_asleep(4 * S) == {7: 58_999_750_000, 8: 0}  # before the clock was read


def test_no_move_for_threads_that_have_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A move may wait for a busy processor; once for each is enough."""
    moves: list[set[int]] = []
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, processors: moves.append(processors))
    machine, clock = Machine(tmp_path), FakeClock(5 * S)
    own = os.sched_getaffinity(0)
    for tid in (7, 8):
        machine.put(tid, "40000.000000")
    sleeps = SleepTimes(7, clock, machine.proc)
    machine.put(7, "100001.000000")
    assert sleeps.list_asleep(5 * S, (7,)) == {}
    assert moves == []
    for _ in range(2):
        assert sleeps.list_asleep(5 * S) == {8: 60 * S}
    assert moves == [{machine.processor}, own]


def test_a_thread_that_has_run_since_is_not_reported(tmp_path: Path) -> None:
    machine, clock = Machine(tmp_path), FakeClock(5 * S)
    for tid in (7, 8, 9):
        machine.put(tid, "40000.000000")
    sleeps = SleepTimes(7, clock, machine.proc)
    machine.put(7, "100001.000000")
    machine.put(8, "40000.000000", state="R")
    assert sleeps.list_asleep(5 * S) == {9: 60 * S}
    assert sleeps.list_asleep(5 * S, (9, 10)) == {9: 60 * S}
    assert sleeps.list_asleep(5 * S, (7, 8)) == {}
    assert list_running(7, machine.proc) == [8]


@pytest.mark.parametrize("ms", ["0.000000", ""])
def test_what_is_not_reported_is_unknown(tmp_path: Path, ms: str) -> None:
    """A thread that was moved to another processor and has not run there has 0."""
    machine = Machine(tmp_path)
    machine.put(7, ms)
    assert SleepTimes(7, FakeClock(), machine.proc).list_asleep(S) == {}


def test_a_processor_that_we_may_not_use(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.put(7, "40000.000000", processor=4095)
    assert SleepTimes(7, FakeClock(), machine.proc).list_asleep(S) == {}


def test_whether_the_system_says_what_threads_sleep_on(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    assert not exposes_sleeps(7, machine.proc)
    (tmp_path / "7" / "task" / "7" / "syscall").write_text("202 0x1 0x0\n")
    assert exposes_sleeps(7, machine.proc)


def test_no_such_process_and_no_such_file(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    assert SleepTimes(8, FakeClock(), machine.proc).list_asleep(S) == {}
    assert SleepTimes(7, FakeClock(), machine.proc).list_asleep(S) == {}
