"""Creators: which function created a thread or a task, by the stack of the creation."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from stackglass.wire.definitions import Line

_STARTERS = ("threading.", "concurrent.futures.", "asyncio.")
_CALLBACK = "asyncio.events.Handle._run"  # frames further out are the event loop's


def find_creator(creation: Sequence[Line]) -> Line | None:
    """The innermost function outside the library modules that start threads and tasks for others.

    ``creation``: leaf first. If the library's event loop has created the task for itself, the
    function that the loop has called. None = there is no such function.
    """
    found = None
    for line in creation:
        if line.function == _CALLBACK:
            break
        if not line.function.startswith(_STARTERS):
            return line
        found = line
    return found
