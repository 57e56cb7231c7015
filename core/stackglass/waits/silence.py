"""Why an interpreter does not answer: somebody keeps the GIL, and which thread that may be."""

from __future__ import annotations

from collections import Counter

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import PROC, Proc
from stackglass.clock import Clock
from stackglass.errors import AttachError

_N_LOOKS = 5
_PAUSE_NS = 10_000_000
_RUNNING, _IN_KERNEL = "R", "D"


def explain_silence(
    pid: int, patience_ns: int, gil_wait_ns: int, clock: Clock, proc: Proc = PROC
) -> AttachError:
    """What to say after so long without an answer. Looks at the threads for some hundredths of a
    second. Raises NoSuchProcessError if the process has ended."""
    seconds = f"{patience_ns / 1e9:g} s"
    remedy = f"`gdb -p {pid} -batch -ex 'thread apply all bt'` shows where; --timeout waits longer"
    if gil_wait_ns < patience_ns // 2:
        return AttachError(f"process {pid} has not answered for {seconds}", "try again")
    kept = f"C code in process {pid} has kept the GIL for {seconds}, so no thread of it can go on"
    busy = _find_busy(pid, clock, proc)
    if not busy:
        return AttachError(f"{kept}; none of them runs, it waits for something itself", remedy)
    names = ", ".join(_describe(pid, tid, proc) for tid in busy)
    return AttachError(f"{kept}; running is {names}", remedy)


def _find_busy(pid: int, clock: Clock, proc: Proc) -> list[int]:
    """Threads that run more often than not."""
    seen: Counter[int] = Counter()
    for _ in range(_N_LOOKS):
        for tid in proc.list_threads(pid):
            seen[tid] += proc.read_thread_state(pid, tid) in (_RUNNING, _IN_KERNEL)
        clock.sleep(_PAUSE_NS)
    return [tid for tid, n in seen.items() if n > _N_LOOKS // 2]


def _describe(pid: int, tid: int, proc: Proc) -> str:
    try:
        name = proc.read_bytes(pid, "task", str(tid), "comm").decode("utf-8", "replace").strip()
    except NoSuchProcessError:
        name = ""
    return f"thread {tid} ({name})" if name else f"thread {tid}"
