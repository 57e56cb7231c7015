"""Slices: what a thread, a goroutine or a task did for a time."""

from __future__ import annotations

from typing import NamedTuple

STATE = "state"
COLLECTION, REGION, TASK, LOG = "collection", "region", "task", "log"
LOCK, GIL, CALL, AWAIT, STALL = "lock", "GIL", "call", "await", "stall"
"""Single waits, as the profiles of locks record them; ``GIL`` is its holder's."""
TASKS = "suspended"
"""Tasks of asyncio in wall samples. ``AWAIT`` has their waits for locks and queues one by one."""


class Slice(NamedTuple):
    """Something that a thread did for a time."""

    tid: int  # 0 = no thread's
    begin_ns: int
    end_ns: int
    category: str  # one of the above
    name: str
