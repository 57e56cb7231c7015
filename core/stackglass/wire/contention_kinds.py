"""Kinds of contention: what a bucket counts, by its number on the wire."""

from __future__ import annotations

from enum import IntEnum


class ContentionKind(IntEnum):
    """What a bucket counts, and which thread's stack it has. Each is a profile of its own."""

    BLOCK = 0  # waits; the waiter's stack
    MUTEX = 1  # contended releases, with the sum of the waits; the releasing thread's stack
    PAIR = 2  # as MUTEX, with the waiter's stack as a second one
    GIL = 3  # waits for the GIL; the holder's stack
    OTHER = 4  # blocking calls other than locks; the waiter's stack
    TASK = 5  # waits of asyncio tasks; the stack of the task
    STALL = 6  # times that an event loop was blocked; the stack that blocked it
    IDLE = 7  # times that an event loop had nothing to do


NAMED_KINDS = frozenset(
    (ContentionKind.OTHER, ContentionKind.TASK, ContentionKind.STALL, ContentionKind.IDLE)
)
"""Kinds with a row for each stack and for what it waited for, which profiles have as a label. Go's
own profiles have no such label."""
