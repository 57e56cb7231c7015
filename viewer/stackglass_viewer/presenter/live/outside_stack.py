"""Outside stack: the stack of a process that does not answer, read from its memory."""

from __future__ import annotations

import posixpath

_MOST_FRAMES = 8


def describe_outside_stack(pid: int) -> tuple[str, ...]:
    """Return the Python stack of the thread that runs, or of the first thread: a line that names
    the thread, then its frames, leaf first; () = none can be read. Any thread."""
    from stackglass.attach.errors import NoSuchProcessError  # late: see attaching.py
    from stackglass.attach.outside_stacks import read_main_stack

    try:
        found = read_main_stack(pid)
    except (NoSuchProcessError, PermissionError):  # the capture reports the end of the process
        return ()
    if found is None:
        return ()
    stack, is_running = found
    frames = [
        f"{frame.function}  {_shorten(frame.filename)}:{frame.line}"
        for frame in stack.frames[:_MOST_FRAMES]
    ]
    n_more = len(stack.frames) - len(frames) + stack.n_more
    more = [f"and {'at least ' if stack.is_deeper else ''}{n_more} more"] if n_more else []
    if not stack.tid:  # in a container threads have other numbers
        return ("The first thread is in", *frames, *more)
    verb = "is in" if is_running else "waits in"
    return (f"Thread {stack.tid} {verb}", *frames, *more)


def _shorten(filename: str) -> str:
    """Return the name of a file; that of a package's ``__init__.py`` has its folder, too."""
    folder, name = posixpath.split(filename)
    return f"{posixpath.basename(folder)}/{name}" if name == "__init__.py" else name
