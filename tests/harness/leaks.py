"""Threads and sockets that a test started and left behind."""

from __future__ import annotations

import os
import threading
import time

_PATIENCE_S = 3.0


def list_threads() -> set[threading.Thread]:
    """The Python threads that run now."""
    return set(threading.enumerate())


def list_sockets() -> set[str]:
    """This process's open sockets, as ``socket:[inode]``."""
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
    """What is there now and was not before. Waits a moment for threads that are just ending."""
    deadline = time.monotonic() + _PATIENCE_S
    for thread in list_threads() - threads_before:
        thread.join(max(0.0, deadline - time.monotonic()))
    leaks = [f"thread {thread.name!r}" for thread in list_threads() - threads_before]
    leaks += [f"descriptor {one}" for one in sorted(list_sockets() - sockets_before)]
    return leaks
