"""Events of a memory trace as columns, the common output of all readers of traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int64s, UInt32s, UInt64s, freeze

UInt8s = npt.NDArray[np.uint8]


class EventKind(IntEnum):
    """The kind of an event. Codes below 160 are those of Go's ``traceallocfree``."""

    SPAN = 128
    """An arena, a large mapping or another region exists as the trace begins."""
    SPAN_ALLOC = 129
    SPAN_FREE = 130
    OBJECT = 131
    """An object exists as the trace begins."""
    OBJECT_ALLOC = 132
    OBJECT_FREE = 133
    STACK = 134
    """A thread's stack (in Go, a goroutine's) exists as the trace begins."""
    STACK_ALLOC = 135
    STACK_FREE = 136
    FREE_BY_COLLECTOR = 160
    REALLOC = 161
    """``other`` is the address of the old block, ``address`` and ``size`` are those of the new."""
    TYPE = 162
    """The type of a live object: the collector has found it alive, so its type can be read."""
    RECYCLED = 163
    """The address holds another object now, without a free event: the block went through a free
    list."""
    COLLECTION_BEGIN = 164
    COLLECTION_END = 165
    REGION_BEGIN = 166
    REGION_END = 167
    LOST = 168
    """``size`` events of this lane were lost before this one."""
    SHARED = 192
    """Made by the reader, in no file: Go has put a small object into the slot of another object.
    The slot was counted with the first object, and both end when the slot is freed."""
    TASK_BEGIN = 193
    """Made by the reader: a task of Go; ``size`` is its number, ``type`` its name."""
    TASK_END = 194
    LOG = 195
    """Made by the reader: a text of Go; ``type`` is its string, ``other`` its category's."""


LANES = (
    *(
        EventKind.COLLECTION_BEGIN,
        EventKind.COLLECTION_END,
        EventKind.REGION_BEGIN,
        EventKind.REGION_END,
    ),
    *(EventKind.TASK_BEGIN, EventKind.TASK_END, EventKind.LOG),
)
"""Kinds of events that the lanes of threads show."""


class Domain(IntEnum):
    """The allocator of an object."""

    MEM = 0
    OBJ = 1
    RAW = 2
    NATIVE = 3
    """malloc of extension modules."""
    MMAP = 4
    GO_SPAN = 5
    """A span of Go with objects; its ``stack`` is the size of its slots."""


@dataclass(frozen=True, slots=True, eq=False)
class EventColumns:
    """One row per event. Immutable.

    Some kinds use a column for another value; ``EventKind`` and ``Domain`` say which.
    """

    kind: UInt8s  # (n,) EventKind
    time_ns: Int64s  # (n,) time by the session's clock
    tid: UInt32s  # (n,) thread ID
    address: UInt64s  # (n,) address of the object, span or stack; 0 = none
    size: UInt64s  # (n,) bytes; 0 = not known (frees)
    stack: UInt32s  # (n,) stack node; 0 = none
    type: UInt32s  # (n,) string with the type's name; 0 = not known
    domain: UInt8s  # (n,) Domain
    other: UInt64s  # (n,) REALLOC: the old address; LOG: the string of the category; else 0

    def __post_init__(self) -> None:
        freeze(
            self.kind,
            self.time_ns,
            self.tid,
            self.address,
            self.size,
            self.stack,
            self.type,
            self.domain,
            self.other,
        )

    def __len__(self) -> int:
        return len(self.kind)

    def take(self, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_] | slice) -> EventColumns:
        """Return some of the events."""
        return EventColumns(*(getattr(self, field.name)[rows] for field in fields(self)))


DTYPES: dict[str, type[np.generic]] = {
    "kind": np.uint8,
    "time_ns": np.int64,
    "tid": np.uint32,
    "address": np.uint64,
    "size": np.uint64,
    "stack": np.uint32,
    "type": np.uint32,
    "domain": np.uint8,
    "other": np.uint64,
}
"""The dtypes of the columns, in their order."""


def make_columns(columns: Mapping[str, npt.NDArray[Any]]) -> EventColumns:
    """Return events from columns by name, with the dtypes of ``DTYPES``. The columns become
    read-only."""
    for name, dtype in DTYPES.items():
        assert columns[name].dtype == dtype, name
    ordered = [columns[name] for name in DTYPES]
    freeze(*ordered)
    return EventColumns(*ordered)


def join_events(parts: list[EventColumns]) -> EventColumns:
    """Concatenate pieces of events."""
    if len(parts) == 1:
        return parts[0]
    return make_columns(
        {
            name: np.concatenate([getattr(part, name) for part in parts])
            if parts
            else np.empty(0, dtype=dtype)
            for name, dtype in DTYPES.items()
        }
    )
