"""History of waiting threads: the engine's snapshots of lock waits over a whole session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from stackglass_viewer.model.contention.buckets import Locks
from stackglass_viewer.model.contention.lock_waits import (
    ListAsleep,
    WaitsTable,
    build_waits,
    check_waits,
)
from stackglass_viewer.model.contention.stacks import stacks_of_capture
from stackglass_viewer.model.live.message_history import MessageHistory, end_of_unit
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.proto import wire_pb2


class WaitsHistory:
    """The snapshots as messages. The owner's lock guards all methods."""

    def __init__(self, most_bytes: int | None = None) -> None:
        """``most_bytes``: limit for the messages that are kept; None = the usual one."""
        self._answers = MessageHistory() if most_bytes is None else MessageHistory(most_bytes)

    def __len__(self) -> int:
        return len(self._answers)

    def add(self, waits: wire_pb2.LockWaits, n_strings: int, n_nodes: int) -> None:
        """Add a snapshot. The last one always stays. Raises WireError, as ``check_waits``."""
        check_waits(waits, n_strings, n_nodes)
        self._answers.add(waits)

    def find(self, until: int | None, start_mono_ns: int) -> wire_pb2.LockWaits | None:
        """Return the last snapshot up to the end of ``until``, a unit of 10 ms since the session's
        start; for ``until`` None, the last of all. None = there is no snapshot."""
        found = self._answers.find(end_of_unit(until, start_mono_ns))
        return None if found is None else wire_pb2.LockWaits.FromString(found)


@dataclass(frozen=True, slots=True, eq=False)
class WaitsMoment:
    """A snapshot of lock waits with the tables that it refers to. Immutable."""

    waits: wire_pb2.LockWaits | None
    locks: Locks
    definitions: DefinitionColumns
    thread_names: Mapping[int, str]
    start_mono_ns: int  # the session's start, CLOCK_MONOTONIC

    def list_threads(self, list_asleep: ListAsleep) -> WaitsTable | None:
        """Return the table of the waiting threads; None = there is no snapshot. Any thread."""
        waits = self.waits
        if waits is None:
            return None
        stacks = stacks_of_capture(self.definitions)
        table = build_waits(waits, self.locks, stacks, self.thread_names, list_asleep)
        return replace(table, at_ns=max(waits.time_mono_ns - self.start_mono_ns, 0))
