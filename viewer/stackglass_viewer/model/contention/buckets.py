"""Buckets of the contention profiles as columns, and their locks.

A bucket collects all waits of one kind, primitive, lock, stack (or pair of stacks) and label set.
The engine has scaled its values already; nothing is scaled here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.lock_names import LockFacts
from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, UInt64s
from stackglass_viewer.model.contention.delay_cells import DelayCells
from stackglass_viewer.model.profile.profile import SampleType

LISTED_KINDS = tuple(kind for kind in ContentionKind if kind is not ContentionKind.PAIR)
"""The kinds that are shown; pairs are details of the two kinds that they connect."""

ENDING_IN_PRIMITIVE = (
    ContentionKind.BLOCK,
    ContentionKind.MUTEX,
    ContentionKind.PAIR,
    ContentionKind.OTHER,
    ContentionKind.IDLE,
)
"""Kinds with stacks that end in the call that waited or released. Tables show that call's
caller."""


class ContentionColumn(IntEnum):
    """Rows of ``ContentionValues.columns``."""

    COUNT = 0
    DELAY = 1


CONTENTION_TYPES = (SampleType("contentions", "count"), SampleType("delay", "nanoseconds"))
"""Name and unit of each column in files, in the order of ``ContentionColumn``."""


@dataclass(frozen=True, slots=True, eq=False)
class ContentionBuckets:
    """One row per bucket; a bucket keeps its row throughout a session. Immutable."""

    kind: Int32s  # (n_buckets,) ContentionKind; other values come from a newer engine
    primitive: Int32s  # (n_buckets,) string: the call that waited or released
    lock: Int32s  # (n_buckets,) 0 = none, or not identified
    node: Int32s  # (n_buckets,) the engine's node where the stack ends
    other_node: Int32s  # (n_buckets,) node of the waiter's stack in a pair; else 0
    labels: Int32s  # (n_buckets,) label set of the thread or task that has the stack; 0 = none
    other_labels: Int32s  # (n_buckets,) label set of the waiter in a pair; else 0

    def __len__(self) -> int:
        return len(self.kind)

    def are_of(self, kind: ContentionKind) -> Bools:
        """Return whether each bucket is of the kind: (n_buckets,)."""
        mask: Bools = self.kind == kind
        return mask


@dataclass(frozen=True, slots=True, eq=False)
class Locks:
    """One row per lock; lock 0 stands for no lock. Immutable."""

    primitive: Sequence[str]  # (n_locks,) its type: ``Lock``, ``RLock``, ``Queue``
    address: UInt64s  # (n_locks,) 0 = the row stands for many locks made at one place
    name: Sequence[str]  # (n_locks,) ``app.CACHE_LOCK``; "" = not known
    site: Sequence[str]  # (n_locks,) where it was made, ``/srv/app.py:12``; "" = not known
    wait: Sequence[str]  # (n_locks,) where it was first waited for; "" = not known

    def __len__(self) -> int:
        return len(self.primitive)

    def get(self, lock: int) -> LockFacts:
        """Return the facts about a lock; empty for lock 0 and for numbers without a row."""
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
        """Return a short description: the lock's name, else a place, else its address."""
        return self.get(lock).describe()

    def explain(self, lock: int) -> str:
        """Return all facts about a lock, one per line; "" = there is no such lock."""
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
        """Return the file and line where the lock was made, else where it was first waited for;
        ("", 0) = unknown."""
        if not 0 < lock < len(self):
            return "", 0
        place = self.site[lock] or self.wait[lock]
        file, _, number = place.rpartition(":")
        return (file, int(number)) if number.isdigit() else (place, 0)


@dataclass(frozen=True, slots=True, eq=False)
class ContentionValues:
    """The waits of each bucket in some span. Immutable."""

    columns: Int64s  # (2, n_buckets) by ContentionColumn
    max_ns: Int64s  # (n_buckets,) the longest wait; -1 = not known
    delays: DelayCells | None  # waits by size; None = only totals are known
