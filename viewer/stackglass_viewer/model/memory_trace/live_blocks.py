"""Live blocks: the objects, spans or stacks of a heap at one moment, as columns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum, IntFlag
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int64s, UInt32s, UInt64s, freeze
from stackglass_viewer.model.memory_trace.events import UInt8s


class Moment(NamedTuple):
    """A point of a trace: the state after its first ``event`` events.

    A time would not be exact, since several events may have the same time. Events are ordered by
    time, and events of the same time as in the file.
    """

    event: int
    time_ns: int  # by the session's clock; see TraceIndex.begin_ns


class BlockFlag(IntFlag):
    """Properties of a block."""

    BORN_BEFORE = 1
    """The block existed as the trace began: no stack, no birth."""
    RECYCLED = 2
    """The memory went through a free list: the object is younger than the block."""
    UNCERTAIN = 4
    """Events of the block's allocator were lost after its birth: it may have been freed."""


class Space(IntEnum):
    """A kind of blocks. Each kind has addresses of its own: a span may begin where an object
    does."""

    OBJECT = 0
    SPAN = 1
    STACK = 2


@dataclass(frozen=True, slots=True, eq=False)
class LiveBlocks:
    """Blocks of one space: one row each, by ascending address. Immutable."""

    address: UInt64s  # (n,)
    size: UInt64s  # (n,) bytes
    stack: UInt32s  # (n,) stack node of its birth; 0 = none
    type: UInt32s  # (n,) string; 0 = not known
    birth_ns: Int64s  # (n,) by the session's clock
    birth_event: Int64s  # (n,) number of the event; with the address, it identifies a block
    tid: UInt32s  # (n,) thread that allocated it
    domain: UInt8s  # (n,) Domain
    flags: UInt8s  # (n,) BlockFlag

    def __post_init__(self) -> None:
        freeze(
            self.address,
            self.size,
            self.stack,
            self.type,
            self.birth_ns,
            self.birth_event,
            self.tid,
            self.domain,
            self.flags,
        )

    def __len__(self) -> int:
        return len(self.address)

    def take(self, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_] | slice) -> LiveBlocks:
        """Return some of the blocks. ``rows`` must keep them ascending."""
        return LiveBlocks(*(getattr(self, field.name)[rows] for field in fields(self)))

    def between(self, low: int, high: int) -> LiveBlocks:
        """Return the blocks that overlap the addresses from ``low`` to ``high``, exclusive."""
        return self.take((self.address < high) & (self.address + self.size > low))


class BlockFacts(NamedTuple):
    """The facts about one block, which a click on the heap map shows."""

    address: int
    size: int  # bytes
    type_name: str  # "" = not known
    domain: int  # Domain
    stack: int  # stack node of its birth; 0 = none
    tid: int
    birth_ns: int
    birth_event: int
    death_ns: int | None  # None = the block lives to the end of the trace
    death_kind: int | None  # EventKind of the event that ended the block
    flags: BlockFlag

    @property
    def lifetime_ns(self) -> int | None:
        """Time from birth to death; None = unknown, since the trace does not have both."""
        if self.death_ns is None or self.flags & BlockFlag.BORN_BEFORE:
            return None
        return self.death_ns - self.birth_ns
