"""The live set: what a heap holds at one moment, as columns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntFlag
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int64s, UInt32s, UInt64s
from stackglass_viewer.model.memory_trace.events import UInt8s


class Moment(NamedTuple):
    """A point of a trace: the state after its first ``event`` events.

    Several events may have one time, so a moment is a number of events; the order of events is that
    of their times, and of the file where these are equal.
    """

    event: int
    time_ns: int  # on the session's clock; see TraceIndex.begin_ns


class BlockFlag(IntFlag):
    """What is known of a block."""

    BORN_BEFORE = 1
    """It existed as the trace began: no stack, no birth."""
    RECYCLED = 2
    """Its memory went through a free list: the object is younger than the block."""
    UNCERTAIN = 4
    """Events of its allocator were lost after its birth: it may have been freed."""


class Space(IntFlag):
    """What addresses are counted by: a span may begin where an object does."""

    OBJECT = 0
    SPAN = 1
    STACK = 2


@dataclass(frozen=True, slots=True, eq=False)
class LiveBlocks:
    """Blocks of one space, a row each, by ascending address. Immutable."""

    address: UInt64s  # (n,)
    size: UInt64s  # (n,) bytes
    stack: UInt32s  # (n,) stack node of its birth; 0 = none
    type: UInt32s  # (n,) string; 0 = not known
    birth_ns: Int64s  # (n,) on the session's clock
    birth_event: Int64s  # (n,) number of the event; with the address, what names a block
    tid: UInt32s  # (n,) thread that allocated it
    domain: UInt8s  # (n,) Domain
    flags: UInt8s  # (n,) BlockFlag

    def __len__(self) -> int:
        return len(self.address)

    def take(self, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_] | slice) -> LiveBlocks:
        """Some of the blocks; their order is to stay ascending."""
        return LiveBlocks(*(getattr(self, field.name)[rows] for field in fields(self)))

    def between(self, low: int, high: int) -> LiveBlocks:
        """Those that reach into the addresses ``low`` to ``high``, which is not among them."""
        return self.take((self.address < high) & (self.address + self.size > low))


class BlockFacts(NamedTuple):
    """One block in words: what a click on the heap map shows."""

    address: int
    size: int  # bytes
    type_name: str  # "" = not known
    domain: int  # Domain
    stack: int  # stack node of its birth; 0 = none
    tid: int
    birth_ns: int
    birth_event: int
    death_ns: int | None  # None = it lives to the end of the trace
    death_kind: int | None  # Kind of the event that ended it
    flags: BlockFlag

    @property
    def lifetime_ns(self) -> int | None:
        """None = not known: it was born before the trace, or outlived it."""
        if self.death_ns is None or self.flags & BlockFlag.BORN_BEFORE:
            return None
        return self.death_ns - self.birth_ns
