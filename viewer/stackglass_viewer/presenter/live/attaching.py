"""Access to the engine's package: processes to attach to, and connections.

The package is imported where it is needed first, in the thread that lists processes or listens to
an engine: a window that only shows files starts without it.
"""

from __future__ import annotations

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


def find_python_processes() -> list[ProcessRow]:
    """Every Python process but this one. Any thread; takes some milliseconds."""
    from stackglass.attach.processes import list_processes

    listed = list_processes()
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
    """The nearest of ``pids`` that a process descends from; 0 = none. A shell or a launcher may
    stand between the two."""
    seen = {pid}
    while (pid := read(pid)) > 0 and pid not in seen:
        if pid in pids:
            return pid
        seen.add(pid)
    return 0


def connect_engine(pid: int, cpu_hz: int) -> Link:
    """Enter the process, or find the engine that is in it already. Raises AttachError."""
    from stackglass.attach.entry import attach

    return attach(pid, hz=cpu_hz)
