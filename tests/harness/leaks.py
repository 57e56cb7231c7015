"""Threads and sockets that a test leaves behind."""

from __future__ import annotations

import os
import threading
import time

_PATIENCE_S = 60.0  # a thread that reads /proc of all processes ends late in a crowd


def list_threads() -> set[threading.Thread]:
    """List the Python threads that are running."""
    return set(threading.enumerate())


def list_sockets() -> set[str]:
    """List this process's open sockets, as ``socket:[inode]``."""
    sockets = set()
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{descriptor}")
        except FileNotFoundError:  # the listing's own descriptor
            continue
        if target.startswith("socket:"):
            sockets.add(target)
    return sockets


def find_leaks(threads_before: set[threading.Thread], sockets_before: set[str]) -> list[str]:
    """List threads and sockets that were not there before. Waits a moment for ending threads."""
    deadline = time.monotonic() + _PATIENCE_S
    for thread in list_threads() - threads_before:
        thread.join(max(0.0, deadline - time.monotonic()))
    leaks = [f"thread {thread.name!r}" for thread in list_threads() - threads_before]
    leaks += [f"descriptor {one}" for one in sorted(list_sockets() - sockets_before)]
    return leaks
