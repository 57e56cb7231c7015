"""Access to the engine's package: processes to attach to, and connections.

The package is imported where it is needed first, in the thread that lists processes or listens to
an engine: a window that only shows files starts without it.
"""

from __future__ import annotations

import time

from stackglass_viewer.presenter.live.capture import Link
from stackglass_viewer.presenter.live.target_process import read_cpu_ns
from stackglass_viewer.presenter.settings.view_state import ProcessRow


def find_python_processes() -> list[ProcessRow]:
    """Every Python process but this one. Any thread; takes some milliseconds."""
    from stackglass.attach.processes import list_processes

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
            cpu_ns=read_cpu_ns(info.pid),
            seen_ns=time.monotonic_ns(),
        )
        for info in list_processes()
    ]


def connect_engine(pid: int, cpu_hz: int) -> Link:
    """Enter the process, or find the engine that is in it already. Raises AttachError."""
    from stackglass.attach.entry import attach

    return attach(pid, hz=cpu_hz)
