"""Source of a memory trace: blocks of events that are decoded on demand, whatever the format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.live.tables import Definitions
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory_trace.events import EventColumns

FIRST_GOROUTINE = 1 << 29
"""Lanes of goroutines have ids from here on; those of threads are below."""


@dataclass(frozen=True, slots=True)
class TraceInfo:
    """What a trace says of itself. 0 and "" = not known."""

    program: str  # "/srv/app.py"
    runtime: str  # "CPython 3.13", "Go 1.26"
    pool_bytes: int  # pages of one size class: pools of CPython, spans' pages of Go
    arena_bytes: int
    alignment: int  # of objects
    minimum_address: int
    begin_unix_ns: int  # wall clock as the trace began
    has_stacks: bool  # Go's events have none
    is_whole: bool  # False = the file ends early
    hidden_blocks: int = 0  # there as the trace began, and not listed by the interpreter


@dataclass(frozen=True, slots=True, eq=False)
class BlockTable:
    """Where events are: one row a block, in the order of the file. Immutable."""

    n_events: Int64s  # (n_blocks,)
    first_ns: Int64s  # (n_blocks,) time of the earliest event
    last_ns: Int64s  # (n_blocks,) of the latest
    generation: Int32s  # (n_blocks,)

    def __len__(self) -> int:
        return len(self.n_events)

    @property
    def total_events(self) -> int:
        return int(self.n_events.sum())


@dataclass(frozen=True, slots=True, eq=False)
class TraceNames:
    """What numbers in events stand for. Immutable."""

    definitions: Definitions  # strings, and stacks by node
    threads: Mapping[int, str]  # by thread id; "" = not known

    def name_type(self, type_id: int) -> str:
        """ "" = not known."""
        strings = self.definitions.strings
        return strings[type_id] if 0 < type_id < len(strings) else ""


class EventSource(Protocol):
    """An opened file. ``decode`` is for one thread at a time."""

    @property
    def info(self) -> TraceInfo: ...

    @property
    def names(self) -> TraceNames: ...

    @property
    def blocks(self) -> BlockTable: ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """What of the file is not shown, a sentence each."""
        ...

    @property
    def live(self) -> LiveProfile | None:
        """All else of the session: samples, threads, waits; None = there is nothing else."""
        ...

    def decode(self, block: int) -> EventColumns:
        """The events of a block, in the order of each lane. Raises ProfileError."""
        ...

    def close(self) -> None: ...
