"""Expected signals: whether a process is prepared for a signal, or would be ended by it."""

from __future__ import annotations

import signal

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import PROC, Proc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_LOOKS, _FEW_LOOKS = 11, 5  # that count
_MOST_LOOKS = 200


def is_expected(pid: int, number: int, pause: Callable[[], object], proc: Proc = PROC) -> bool:
    """Whether the process handles, ignores, blocks or awaits a signal. False if it has ended.

    ``pause`` is called between two looks at the main thread, most of which must see that it blocks
    or awaits the signal. While the engine's handler runs, the thread blocks all signals, and on a
    busy machine it may stand still in the handler for long; but there it never sleeps. So a look at
    a thread that does not sleep counts only if the thread has run since the look before, and one at
    a thread that blocks all signals counts only if all looks are like that.
    """
    n_looks = n_full = n_blocked = 0
    seen_ns = -1
    for _ in range(_MOST_LOOKS):
        try:
            status = proc.read_status(pid)
            # While sigwait waits for a signal, the status does not show it as blocked.
            is_waiting = b"sigtimedwait" in proc.read_bytes(pid, "wchan")
            is_asleep = proc.read_thread_state(pid, pid) == "S"
            ran_ns = _read_run_time(pid, proc)
        except NoSuchProcessError:
            return False
        if _has(status.caught_signals | status.ignored_signals, number):
            return True
        if is_asleep or ran_ns > seen_ns:
            is_full = not is_asleep and _has(status.blocked_signals, signal.SIGSEGV)
            n_looks += 1
            n_full += is_full
            n_blocked += not is_full and (is_waiting or _has(status.blocked_signals, number))
        if n_looks == _LOOKS:
            break
        seen_ns = ran_ns
        pause()
    n_telling = n_looks - n_full
    if n_looks < _LOOKS:  # the process ends by a signal that it does not expect
        return n_blocked == n_telling >= _FEW_LOOKS
    return n_blocked > n_telling // 2 or not n_telling


def _has(mask: int, number: int) -> bool:
    return bool(mask >> (number - 1) & 1)


def _read_run_time(pid: int, proc: Proc) -> int:
    """How long the main thread has run, ns; 0 = the kernel does not say."""
    try:
        return int(proc.read_bytes(pid, "task", str(pid), "schedstat").split()[0])
    except NoSuchProcessError:
        return 0
