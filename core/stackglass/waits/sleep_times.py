"""Sleep times: for how long threads have not run, from the scheduler, also before the attach.

::

    target's thread   ──runs──┤ sleeps on processor 3 …               has it run? no
                              exec_start      measure ─ attach ─ snapshot ─ list
    this thread                                                             ──┤ runs on processor 3
                                                                              exec_start: now

The clock of a processor leaves out the time of interrupts and of a hypervisor. So both times are
read from the clock of one processor, by a thread that moves there. What the clock leaves out makes
the sleep time smaller, never larger. A thread that was stopped and continued in between has run.
"""

from __future__ import annotations

import os
import time

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import PROC, Proc
from stackglass.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from stackglass.clock import Clock

_EXEC_START = b"\nse.exec_start "  # ms, with six decimals
_ASLEEP, _RUNNING = "S", "R"
_PROCESSOR = 36  # of what stands behind the name in /proc/PID/task/TID/stat
_BUDGET_NS = 100_000_000
"""Limit for reading the clocks of all processors: some may be busy."""


class _Rest(NamedTuple):
    """A thread that sleeps."""

    processor: int
    exec_start_ns: int  # when it last ran, by its processor's clock


class SleepTimes:
    """The threads of a process that slept when this was created."""

    __slots__ = ("_clock", "_leads_ns", "_pid", "_proc", "_rests")

    def __init__(self, pid: int, clock: Clock, proc: Proc = PROC) -> None:
        """Measure now. If the system does not expose sleep times, none is known."""
        self._pid = pid
        self._proc = proc
        self._clock = clock
        self._leads_ns: dict[int, int] = {}  # by processor: its clock less CLOCK_MONOTONIC
        rests: dict[int, _Rest] = {}
        for tid in _list_threads(pid, proc):
            rest = _read_rest(pid, tid, proc)
            if rest is not None:
                rests[tid] = rest
        self._rests = rests

    def list_asleep(self, mono_ns: int, tids: Iterable[int] | None = None) -> dict[int, int]:
        """Threads that have not run since, and for how long at least, in ns, up to ``mono_ns``.

        ``tids``: only these threads; None = all. Any thread may call this; it moves to other
        processors meanwhile."""
        asked = self._rests if tids is None else self._rests.keys() & set(tids)
        resting = {
            tid: self._rests[tid]
            for tid in asked
            if _read_rest(self._pid, tid, self._proc) == self._rests[tid]
        }
        unread = {rest.processor for rest in resting.values()} - self._leads_ns.keys()
        if unread:
            self._leads_ns.update(_read_leads(unread, self._clock, self._proc))
        return {
            tid: max(mono_ns + self._leads_ns[rest.processor] - rest.exec_start_ns, 0)
            for tid, rest in resting.items()
            if rest.processor in self._leads_ns
        }


def exposes_sleeps(pid: int, proc: Proc = PROC) -> bool:
    """Whether the system exposes what threads sleep on: the engine needs that to see waits that
    began before the attach."""
    return os.path.exists(proc.path(pid, "task", str(pid), "syscall"))


def list_running(pid: int, proc: Proc = PROC) -> list[int]:
    """Threads that have a processor, or want one. Raises NoSuchProcessError."""
    return [tid for tid in proc.list_threads(pid) if proc.read_thread_state(pid, tid) == _RUNNING]


def _list_threads(pid: int, proc: Proc) -> list[int]:
    """The process's threads; empty if it has ended, or may not be read."""
    try:
        return proc.list_threads(pid)
    except (NoSuchProcessError, PermissionError):
        return []


def _read_rest(pid: int, tid: int, proc: Proc) -> _Rest | None:
    """The thread's sleep; None = it runs, has ended, or the system does not expose it."""
    try:
        stat = proc.read_bytes(pid, "task", str(tid), "stat").rpartition(b")")[2].split()
        text = proc.read_bytes(pid, "task", str(tid), "sched")
    except (NoSuchProcessError, PermissionError):
        return None
    exec_start_ns = _parse(text)
    if stat[0].decode() != _ASLEEP or not exec_start_ns:
        return None
    return _Rest(int(stat[_PROCESSOR]), exec_start_ns)


def _parse(text: bytes) -> int:
    """exec_start in ns; 0 = it is not in the text."""
    _, _, found = text.partition(_EXEC_START)
    value = found.partition(b"\n")[0].partition(b":")[2].strip()
    whole, _, decimals = value.partition(b".")
    is_time = whole.isdigit() and decimals.isdigit() and len(decimals) == 6
    return int(whole + decimals) if is_time else 0


def _read_leads(processors: set[int], clock: Clock, proc: Proc) -> dict[int, int]:
    """The clocks of these processors less CLOCK_MONOTONIC, except of those that this process may
    not run on."""
    leads: dict[int, int] = {}
    until_ns = clock.mono_ns() + _BUDGET_NS
    own = os.sched_getaffinity(0)
    try:
        for processor in sorted(processors):
            if clock.mono_ns() > until_ns:
                break
            try:
                os.sched_setaffinity(0, {processor})
                time.thread_time_ns()  # makes the scheduler update exec_start
                now_ns = _parse(proc.read_bytes("thread-self", "sched"))
            except (OSError, NoSuchProcessError):
                continue  # not one of this process's processors
            if now_ns:
                # mono_ns is read after the processor's clock, so the lead is never too large.
                leads[processor] = now_ns - clock.mono_ns()
    finally:
        os.sched_setaffinity(0, own)
    return leads
