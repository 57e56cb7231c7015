"""Outside report: the Python stacks of a process that does not answer, as text."""

from __future__ import annotations

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.outside_stacks import OutsideStack, read_stacks
from stackglass.attach.proc import PROC, Proc
from stackglass.terminal_text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_STACKS, _MOST_FRAMES = 100, 100  # that are printed


def format_outside_stacks(pid: int, proc: Proc = PROC) -> str:
    """The Python stacks of the process's threads, read from its memory; "" = none can be read."""
    try:
        stacks, n_unread = read_stacks(pid, proc)
    except (NoSuchProcessError, PermissionError):  # the caller reports that it does not answer
        return ""
    return "\n".join(_list_lines(pid, stacks, n_unread, proc)) if stacks else ""


def _list_lines(pid: int, stacks: list[OutsideStack], n_unread: int, proc: Proc) -> Iterator[str]:
    yield "Python stacks of the threads, read from outside, without the engine:"
    shown = stacks[:_MOST_STACKS]
    shown[-1:] = stacks[-1:]  # the first thread's, which is the last in the list
    for stack in shown:
        yield f"\n{_name(pid, stack.tid, proc)}"
        for frame in stack.frames[:_MOST_FRAMES]:
            yield f"    {clean(frame.function)}  {clean(frame.filename)}:{frame.line}"
        n_more = max(len(stack.frames) - _MOST_FRAMES, 0) + stack.n_more
        if n_more:
            yield f"    and {'at least ' if stack.is_deeper else ''}{n_more} more"
    n_more = len(stacks) - len(shown) + n_unread
    if n_more:
        yield f"\nand {n_more} more threads"


def _name(pid: int, tid: int, proc: Proc) -> str:
    """The thread's id, and the name that the system has for it."""
    if not tid:
        return "a thread"
    try:
        name = proc.read_bytes(pid, "task", str(tid), "comm").decode("utf-8", "replace").strip()
    except NoSuchProcessError:
        return f"thread {tid}"
    return f"thread {tid} ({clean(name)})"
