"""Buckets of the contention profiles as columns, and their locks.

A bucket is the waits of one kind, primitive, lock and stack, or pair of stacks. The engine has
scaled its values already; nothing is scaled here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from stackglass.wire.lock_names import LockFacts
from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, UInt64s
from stackglass_viewer.model.contention.delay_cells import DelayCells
from stackglass_viewer.model.profile.profile import SampleType


class ContentionKind(IntEnum):
    """What a bucket's stack is; the numbers are the wire's. Each is a profile of its own."""

    BLOCK = 0  # the stack that waited for a lock
    MUTEX = 1  # the stack that released it while others waited
    PAIR = 2  # mutex, split by the stack that waited
    GIL = 3  # the stack that held the GIL while others waited for it
    OTHER = 4  # the stack that waited for something else: slept, read from a socket
    TASK = 5  # the asyncio task that waited
    STALL = 6  # the call that blocked the event loop
    IDLE = 7  # an event loop that had nothing to do


LISTED_KINDS = tuple(kind for kind in ContentionKind if kind is not ContentionKind.PAIR)
"""The kinds that are shown; pairs are details of the two kinds that they connect."""

ENDING_IN_PRIMITIVE = (
    ContentionKind.BLOCK,
    ContentionKind.MUTEX,
    ContentionKind.PAIR,
    ContentionKind.OTHER,
    ContentionKind.IDLE,
)
"""Kinds with stacks that end in the call that waited or released; its caller is the place."""


NAMED_KINDS = (ContentionKind.OTHER, ContentionKind.TASK, ContentionKind.STALL, ContentionKind.IDLE)
"""In files their samples have a label: what was waited for. Go's own profiles have none."""


class ContentionColumn(IntEnum):
    """Rows of ``ContentionValues.columns``."""

    COUNT = 0
    DELAY = 1


CONTENTION_TYPES = (SampleType("contentions", "count"), SampleType("delay", "nanoseconds"))
"""What the columns count, in the order of ``ContentionColumn``; so they are called in files."""


@dataclass(frozen=True, slots=True, eq=False)
class ContentionBuckets:
    """One row a bucket; a session keeps their numbers. Immutable."""

    kind: Int32s  # (n_buckets,) ContentionKind; others are of a newer engine
    primitive: Int32s  # (n_buckets,) string: what was called
    lock: Int32s  # (n_buckets,) 0 = none, or not identified
    node: Int32s  # (n_buckets,) the engine's node: where its stack ends
    other_node: Int32s  # (n_buckets,) of a pair: the waiter's stack; else 0
    labels: Int32s  # (n_buckets,) label set of the thread or task that has the stack; 0 = none
    other_labels: Int32s  # (n_buckets,) of a pair: the waiter's; else 0

    def __len__(self) -> int:
        return len(self.kind)

    def are_of(self, kind: ContentionKind) -> Bools:
        """(n_buckets,) whether each is of the kind."""
        mask: Bools = self.kind == kind
        return mask


@dataclass(frozen=True, slots=True, eq=False)
class Locks:
    """One row a lock; lock 0 is none. Immutable."""

    primitive: Sequence[str]  # (n_locks,) what it is: ``Lock``, ``RLock``, ``Queue``
    address: UInt64s  # (n_locks,) 0 = many that were made at one place
    name: Sequence[str]  # (n_locks,) ``app.CACHE_LOCK``; "" = not known
    site: Sequence[str]  # (n_locks,) where it was made, ``/srv/app.py:12``; "" = not known
    wait: Sequence[str]  # (n_locks,) where it was first waited for; "" = not known

    def __len__(self) -> int:
        return len(self.primitive)

    def get(self, lock: int) -> LockFacts:
        """What is known of one; of lock 0, and of what is not there, nothing."""
        if not 0 < lock < len(self):
            return LockFacts()
        return LockFacts(
            self.primitive[lock],
            int(self.address[lock]),
            self.name[lock],
            self.site[lock],
            self.wait[lock],
        )

    def describe(self, lock: int) -> str:
        """Short description: its name, else a place, else its address."""
        return self.get(lock).describe()

    def explain(self, lock: int) -> str:
        """All that is known of it, a line each; "" = it is none."""
        facts = self.get(lock)
        if facts == LockFacts():
            return ""
        primitive = facts.primitive or "lock"
        if facts.is_many:
            return f"{primitive}s created at {facts.site},\nexcept those listed individually"
        lines = [
            f"{facts.name} ({primitive})" if facts.name else f"unnamed {primitive}",
            f"Created at {facts.site}" if facts.site else "",
            f"First waited for at {facts.wait}" if facts.wait else "",
            f"At {facts.address:#x}",
        ]
        return "\n".join(line for line in lines if line)

    def find_place(self, lock: int) -> tuple[str, int]:
        """File and line where it was made, else where it was first waited for; "", 0 = unknown."""
        if not 0 < lock < len(self):
            return "", 0
        place = self.site[lock] or self.wait[lock]
        file, _, number = place.rpartition(":")
        return (file, int(number)) if number.isdigit() else (place, 0)


@dataclass(frozen=True, slots=True, eq=False)
class ContentionValues:
    """What happened to each bucket in some span. Immutable."""

    columns: Int64s  # (2, n_buckets) by ContentionColumn
    max_ns: Int64s  # (n_buckets,) the longest wait; -1 = not known
    delays: DelayCells | None  # waits by size; None = only totals are known
