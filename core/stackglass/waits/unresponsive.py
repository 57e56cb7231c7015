"""Unresponsive process: why its interpreter does not answer, and which thread may hold the GIL."""

from __future__ import annotations

from stackglass.attach.client import GIL_CAUSES
from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import PROC, Proc
from stackglass.attach.standstill import find_standstill
from stackglass.errors import AttachError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stackglass.clock import Clock

_N_SAMPLES = 5
_PAUSE_NS = 10_000_000
_LEAST_NS = 50_000_000
"""A longer wait for the GIL is more than the wait for a turn."""
_RUNNING, _IN_KERNEL = "R", "D"
_ASLEEP = "no thread runs, so C code that sleeps may hold it"
_ENGINE = "stackglass"  # the name of the engine's threads


def explain_silence(
    pid: int, patience_ns: int, gil_wait_ns: int, clock: Clock, proc: Proc = PROC
) -> AttachError:
    """The error after ``patience_ns`` without an answer; the engine's last message said that it had
    waited ``gil_wait_ns`` for the GIL. Samples the threads' states for some 50 ms. Raises
    NoSuchProcessError if the process has ended."""
    standstill = find_standstill(pid, proc)
    if standstill is not None:
        return standstill
    silent = f"process {pid} has not answered for {patience_ns / 1e9:g} s"
    if gil_wait_ns < _LEAST_NS:
        return AttachError(silent, "try again")
    busy = _find_busy(pid, clock, proc)
    cause = f"{GIL_CAUSES}; {' and '.join(busy)} ran" if busy else _ASLEEP
    return AttachError(
        f"{silent}, because the engine waits for the GIL; {cause}",
        f"`gdb -p {pid} -batch -ex 'thread apply all bt'` shows where; --timeout sets the limit",
    )


def _find_busy(pid: int, clock: Clock, proc: Proc) -> list[str]:
    """Threads of the program that run in most samples, as text."""
    seen: dict[int, int] = {}
    for _ in range(_N_SAMPLES):
        for tid in proc.list_threads(pid):
            is_busy = proc.read_thread_state(pid, tid) in (_RUNNING, _IN_KERNEL)
            seen[tid] = seen.get(tid, 0) + is_busy
        clock.sleep(_PAUSE_NS)
    names = {tid: _read_name(pid, tid, proc) for tid, n in seen.items() if n > _N_SAMPLES // 2}
    return [
        f"thread {tid} ({name})" if name else f"thread {tid}"
        for tid, name in names.items()
        if name != _ENGINE
    ]


def _read_name(pid: int, tid: int, proc: Proc) -> str:
    """The name of a thread; "" = it has ended."""
    try:
        return proc.read_bytes(pid, "task", str(tid), "comm").decode("utf-8", "replace").strip()
    except NoSuchProcessError:
        return ""
