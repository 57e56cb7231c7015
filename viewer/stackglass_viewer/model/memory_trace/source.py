"""Event source: the interface of all readers of memory traces. Blocks of events are decoded on
demand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory_trace.events import EventColumns

FIRST_GOROUTINE = 1 << 29
"""The lowest ID of a goroutine's lane; thread IDs are below it."""


@dataclass(frozen=True, slots=True)
class TraceInfo:
    """The metadata of a trace. 0 and "" = not known."""

    program: str  # "/srv/app.py"
    runtime: str  # "CPython 3.13", "Go 1.26"
    pool_bytes: int  # size of a pool of CPython, or of a page of Go's spans
    arena_bytes: int
    alignment: int  # of objects
    minimum_address: int
    begin_unix_ns: int  # wall clock at time 0 of the session's clock
    has_stacks: bool  # False for Go, whose events have no stacks
    is_whole: bool  # False = the file ends early
    hidden_blocks: int = 0  # blocks from before the trace that the interpreter does not list


@dataclass(frozen=True, slots=True, eq=False)
class EventBlocks:
    """The blocks of events: one row each, in the order of the file. Immutable."""

    n_events: Int64s  # (n_blocks,)
    first_ns: Int64s  # (n_blocks,) time of the earliest event
    last_ns: Int64s  # (n_blocks,) time of the latest event
    generation: Int32s  # (n_blocks,)

    def __post_init__(self) -> None:
        freeze(self.n_events, self.first_ns, self.last_ns, self.generation)

    def __len__(self) -> int:
        return len(self.n_events)

    @property
    def total_events(self) -> int:
        return int(self.n_events.sum())


@dataclass(frozen=True, slots=True, eq=False)
class TraceNames:
    """The names for the numbers in events. Immutable."""

    definitions: DefinitionColumns  # strings, and stacks by node
    threads: Mapping[int, str]  # by thread id; "" = not known

    def name_type(self, type_id: int) -> str:
        """Return the name of a type; "" = not known."""
        strings = self.definitions.strings
        return strings[type_id] if 0 < type_id < len(strings) else ""


class EventSource(Protocol):
    """An opened file. Only one thread at a time may call ``decode``."""

    @property
    def info(self) -> TraceInfo: ...

    @property
    def names(self) -> TraceNames: ...

    @property
    def blocks(self) -> EventBlocks: ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """The parts of the file that are not shown, one sentence each."""
        ...

    @property
    def live(self) -> LiveProfile | None:
        """The session's other data: samples, threads, waits; None = there is none."""
        ...

    def decode(self, block: int) -> EventColumns:
        """Return the events of a block. Events of one lane are in order. Raises ContentError."""
        ...

    def close(self) -> None: ...
