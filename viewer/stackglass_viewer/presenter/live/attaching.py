"""Access to the ``stackglass`` package: lists processes to attach to, and connects to engines.

``stackglass.attach`` is imported by the first call, in the thread that lists processes or listens
to an engine: a window that only shows files starts without it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Container
from typing import TYPE_CHECKING

from stackglass_viewer.presenter.live.target_process import (
    read_begin_ticks,
    read_cpu_ns,
    read_parent,
)
from stackglass_viewer.presenter.settings.view_state import ProcessRow

if TYPE_CHECKING:  # for start-up time: it imports numpy
    from stackglass_viewer.presenter.live.capture import Link


_HELPER = re.compile(
    r" -m stackglass\.symbols\.server$"  # finds the names of machine code
    r"|/stackglass_viewer/model/\w+/\w+_child\.py( |$)"  # each reads a file, or lays out a graph
)


def is_helper(command: str) -> bool:
    """Whether a command line is that of a process that Stackglass starts for its own work."""
    return bool(_HELPER.search(command))


def find_python_processes() -> list[ProcessRow]:
    """Return every Python process but this one, and but Stackglass's helper processes. Any thread;
    takes some milliseconds."""
    from stackglass.attach.processes import list_processes

    listed = [info for info in list_processes() if not is_helper(info.command)]
    pids = {info.pid for info in listed}
    return [
        ProcessRow(
            pid=info.pid,
            python=info.python,
            command=info.command,
            owner=info.owner,
            rss_bytes=info.rss_bytes,
            is_attachable=info.attachable,
            reason=info.reason,
            remedy=info.remedy,
            role=info.role,
            cpu_ns=read_cpu_ns(info.pid),
            seen_ns=time.monotonic_ns(),
            parent_pid=find_ancestor(info.pid, pids),
            begin_ticks=read_begin_ticks(info.pid),
        )
        for info in listed
    ]


def find_ancestor(pid: int, pids: Container[int], read: Callable[[int], int] = read_parent) -> int:
    """Return the nearest ancestor of ``pid`` that is one of ``pids``; 0 = none. It need not be the
    parent: a shell or a launcher may stand between."""
    seen = {pid}
    while (pid := read(pid)) > 0 and pid not in seen:
        if pid in pids:
            return pid
        seen.add(pid)
    return 0


def connect_engine(pid: int, cpu_hz: int) -> Link:
    """Load the engine into the process, or connect to a loaded one. Raises AttachError."""
    from stackglass.attach.entry import attach

    return attach(pid, hz=cpu_hz)
