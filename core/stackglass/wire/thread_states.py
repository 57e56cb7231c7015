"""States of threads and tasks, as they are shown."""

from __future__ import annotations

from stackglass.wire.definitions import Line

RUNNING = "running"
WAITING_FOR_GIL = "waiting for the GIL"
WAITING_FOR_LOCK = "waiting for a lock"
WAITING_FOR_PROCESSOR = "waiting for a processor"
IN_CALL = "in a system call"
IDLE = "idle"
READY = "ready"
SUSPENDED = "suspended"
NOT_BEGUN = "not begun"
UNKNOWN = "state unknown"
THREAD_STATES = (
    UNKNOWN,
    RUNNING,
    WAITING_FOR_GIL,
    WAITING_FOR_LOCK,
    IN_CALL,
    WAITING_FOR_PROCESSOR,
    SUSPENDED,
)
"""The index is the state's number on the wire."""

_IDLE_LOOP = "asyncio.base_events.BaseEventLoop._run_once"
_SELECTOR = "selectors."
_IDLE_WORKER = "concurrent.futures.thread._worker"


def is_idle(stack: tuple[Line, ...], state: str) -> bool:
    """Return whether the stack is that of an event loop that waits for events, or of an idle pool
    worker."""
    if not stack or state not in (WAITING_FOR_LOCK, IN_CALL):
        return False
    leaf = stack[0].function
    if leaf == _IDLE_WORKER:
        return True
    is_select = leaf.startswith(_SELECTOR) or leaf == _IDLE_LOOP
    return is_select and any(line.function == _IDLE_LOOP for line in stack[:2])
