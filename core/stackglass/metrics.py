"""Metrics of the program itself, at one moment: ``stackglass.metrics.read()``.

Threads and tasks come from a dump that the engine takes; the rest from counters of the interpreter,
the kernel and the engine. A total counts from the start that its comment names, so two reads and
the time between them give a rate. Any thread.
"""

from __future__ import annotations

import contextlib
import gc
import os
import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from stackglass.api.own_engine import OwnConnection
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import AttachError, EngineError
from stackglass.named_tuple import NamedTuple
from stackglass.native import _core
from stackglass.threads.report import DumpedProcess, Report, build_report
from stackglass.threads.session import DumpSession
from stackglass.wire import requests
from stackglass.wire.thread_states import RUNNING

__all__ = ["LockWaits", "Metrics", "Pauses", "read", "stop_watching_pauses", "watch_pauses"]

_PATIENCE_NS = 10_000_000_000
_ENGINE_NAME = b"stackglass\n"  # content of ``comm`` of the engine's threads


class Pauses(NamedTuple):
    """Garbage collections since ``watch_pauses``, and for how long they stopped the program."""

    n: int = 0
    total_ns: int = 0
    longest_ns: int = 0


class LockWaits(NamedTuple):
    """Ended waits for locks, queues and threads, since the engine began to observe locks."""

    n: int  # all waits, whatever the rates
    total_ns: int  # duration of all waits
    sampled_ns: int  # the same, as estimated from the block profile's samples


class Metrics(NamedTuple):
    """The program at one moment."""

    time_unix_ns: int
    threads: Mapping[str, int]  # number by state, as `stackglass threads` names it; 0 by default
    tasks: Mapping[str, int]  # number by state; `threads` counts the thread of a running task, too
    cpu_ns: int  # of all threads, since the process began
    run_queue_ns: int  # time that the present threads waited for a processor; -1 = unknown
    collections: tuple[int, ...]  # number by generation, since the process began
    pauses: Pauses
    # blocks of Python's own allocator that are in use; -1 = unknown: from 3.12 on while there are
    # several interpreters, where sys.getallocatedblocks() may crash
    allocated_blocks: int
    arenas: int  # of the same allocator; -1 = unknown (interpreter/arena_account.h says when)
    lock_waits: LockWaits | None  # None = the engine does not observe locks: no rate requires it


class _PauseWatch:
    """A function in ``gc.callbacks``. The interpreter calls it with the GIL held, never twice at a
    time."""

    __slots__ = ("_begin_ns", "pauses")

    def __init__(self) -> None:
        self.pauses = Pauses()
        self._begin_ns = 0

    def __call__(self, phase: str, info: Mapping[str, Any]) -> None:
        now_ns = time.perf_counter_ns()
        if phase == "start":
            self._begin_ns = now_ns
        elif self._begin_ns:
            n, total_ns, longest_ns = self.pauses
            pause_ns = now_ns - self._begin_ns
            self._begin_ns = 0
            self.pauses = Pauses(n + 1, total_ns + pause_ns, max(longest_ns, pause_ns))


def watch_pauses() -> None:
    """Begin to time collections, by a function in ``gc.callbacks``. ``read`` does so, too."""
    if _find_watch() is None:
        gc.callbacks.append(_PauseWatch())


def stop_watching_pauses() -> None:
    """Remove that function from ``gc.callbacks``. A later watch counts from 0."""
    watch = _find_watch()
    if watch is not None:
        gc.callbacks.remove(watch)


def read() -> Metrics:
    """The present metrics. Takes some 100 ms; other threads run meanwhile.

    Raises EngineError if the engine cannot take the dump, WireError.
    """
    watch_pauses()
    watch = _find_watch()
    report = _take_report()
    own_tid = threading.get_native_id()
    return Metrics(
        report.time_unix_ns,
        # The calling thread waits only because of the dump, so it counts as running.
        Counter(RUNNING if each.tid == own_tid else each.state for each in report.threads),
        _count_tasks(report),
        time.process_time_ns(),
        _read_run_queue(),
        tuple(int(generation["collections"]) for generation in gc.get_stats()),
        watch.pauses if watch is not None else Pauses(),
        _core.count_blocks(),
        _core.count_arenas(),
        _read_lock_waits(),
    )


def _find_watch() -> _PauseWatch | None:
    return next((each for each in gc.callbacks if isinstance(each, _PauseWatch)), None)


def _take_report() -> Report:
    try:
        descriptor = _core.connect()
    except RuntimeError as error:
        raise EngineError(f"cannot send a request to the engine: {error}") from error
    with OwnConnection(descriptor) as connection:
        connection.send(requests.encode_greeting())
        session = DumpSession(connection, SYSTEM_CLOCK, _PATIENCE_NS, _explain)
        try:
            return build_report(session.take(), DumpedProcess(os.getpid()))
        except AttachError as error:
            raise EngineError(error.message, error.remedy) from error


def _explain(gil_wait_ns: int) -> AttachError:
    return AttachError(
        f"the engine has waited for the GIL for {gil_wait_ns / 1e9:.1f} s", "C code may hold it"
    )


def _count_tasks(report: Report) -> Mapping[str, int]:
    running = sum(thread.task_id != 0 for thread in report.threads)
    counts = Counter(task.state for task in report.tasks)
    return counts + Counter({RUNNING: running})


def _read_lock_waits() -> LockWaits | None:
    sums = _core.count_lock_waits()
    return LockWaits(*sums) if sums is not None else None


def _read_run_queue() -> int:
    """The sum of schedstat's second field over the threads, except the engine's; -1 = the kernel
    does not keep it."""
    total_ns, n_read = 0, 0
    for tid in os.listdir("/proc/self/task"):
        # A thread may end while its file is read.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            with open(f"/proc/self/task/{tid}/comm", "rb") as file:
                if file.read() == _ENGINE_NAME:
                    continue
            with open(f"/proc/self/task/{tid}/schedstat", "rb") as file:
                words = file.read().split()
            total_ns += int(words[1])
            n_read += 1
    return total_ns if n_read else -1
