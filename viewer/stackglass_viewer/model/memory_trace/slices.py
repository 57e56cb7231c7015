"""Slices: activities of threads, goroutines and tasks, each with its begin and end."""

from __future__ import annotations

from typing import NamedTuple

STATE = "state"
COLLECTION, REGION, TASK, LOG = "collection", "region", "task", "log"
LOCK, GIL, CALL, AWAIT, STALL = "lock", "GIL", "call", "await", "stall"
"""Single waits from the contention profiles. A ``GIL`` slice belongs to the thread that held the
GIL while others waited."""
TASKS = "suspended"
"""Suspended tasks of asyncio, from wall samples. ``AWAIT`` slices are their single waits for locks
and queues."""


class Slice(NamedTuple):
    """One activity of a thread, goroutine or task."""

    tid: int  # 0 = it belongs to no thread
    begin_ns: int
    end_ns: int
    category: str  # one of the constants above
    name: str
