"""Slices: an activity of a thread, goroutine or task, from when to when."""

from __future__ import annotations

from typing import NamedTuple

STATE = "state"
COLLECTION, REGION, TASK, LOG = "collection", "region", "task", "log"
LOCK, GIL, CALL, AWAIT, STALL = "lock", "GIL", "call", "await", "stall"
"""Single waits, as the profiles of locks record them; ``GIL`` is its holder's."""
TASKS = "suspended"
"""Tasks of asyncio in wall samples. ``AWAIT`` has their waits for locks and queues one by one."""


class Slice(NamedTuple):
    """One activity of a thread, goroutine or task."""

    tid: int  # 0 = it belongs to no thread
    begin_ns: int
    end_ns: int
    category: str  # one of the constants above
    name: str
