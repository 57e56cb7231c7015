"""Expected signals: whether a process is prepared for a signal, or would be ended by it."""

from __future__ import annotations

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import PROC, Proc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_LOOKS = 11  # that count
_MOST_LOOKS = 200
_OF_LIBRARY, _HANDLER_MARK = 3 << 31, 1 << 31
"""Signals 32 and 33, and which of them are blocked while the engine's handler runs; no program
blocks only these (cpu/signals.h)."""


def is_expected(pid: int, number: int, pause: Callable[[], object], proc: Proc = PROC) -> bool:
    """Whether the process handles, ignores, blocks or awaits a signal. False if it has ended.

    ``pause`` is called between two looks at the main thread. Most of them must see that it blocks
    or awaits the signal, because a thread blocks signals while it runs a handler. The engine's
    handler is known by its mask, and such a look does not count: on a busy machine the thread may
    stand still there for longer than all looks take.
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
        if status.blocked_signals & _OF_LIBRARY != _HANDLER_MARK:
            n_looks += 1
            n_blocked += is_waiting or _has(status.blocked_signals, number)
        if n_looks == _LOOKS:
            break
        pause()
    return n_blocked > n_looks // 2


def _has(mask: int, number: int) -> bool:
    return bool(mask >> (number - 1) & 1)
