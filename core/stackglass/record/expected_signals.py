"""Expected signals: whether a process is prepared for a signal, or would be ended by it."""

from __future__ import annotations

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import PROC, Proc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_LOOKS = 11  # that count
_MOST_LOOKS = 200
_OF_LIBRARY = 3 << 31
"""Signals 32 and 33, which the C library keeps out of every mask that a program sets. The engine's
handler blocks 32 (cpu/signals.h), an entry blocks both, and so does the start of a thread."""


def is_expected(pid: int, number: int, pause: Callable[[], object], proc: Proc = PROC) -> bool:
    """Whether the process handles, ignores, blocks or awaits a signal. False if it has ended.

    ``pause`` is called between two looks at the main thread. Most of them must see that it blocks
    or awaits the signal, because a thread blocks signals while it runs a handler. A mask that the
    program cannot have set, as that of the engine's handler, does not count: on a busy machine the
    thread may stand still there for longer than all looks take.
    """
    n_looks = n_blocked = 0
    for _ in range(_MOST_LOOKS):
        try:
            status = proc.read_status(pid)
            # While sigwait waits for a signal, the status does not show it as blocked.
            is_waiting = b"sigtimedwait" in proc.read_bytes(pid, "wchan")
        except NoSuchProcessError:
            return False
        if _has(status.caught_signals | status.ignored_signals, number):
            return True
        if not status.blocked_signals & _OF_LIBRARY:
            n_looks += 1
            n_blocked += is_waiting or _has(status.blocked_signals, number)
        if n_looks == _LOOKS:
            break
        pause()
    return n_blocked > n_looks // 2


def _has(mask: int, number: int) -> bool:
    return bool(mask >> (number - 1) & 1)
