"""History of the waiting threads: the engine's answers of a whole session, thinned out evenly
where they take too much room."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from stackglass_viewer.model.contention.buckets import Locks
from stackglass_viewer.model.contention.lock_waits import (
    ListAsleep,
    WaitsTable,
    build_waits,
    check_waits,
)
from stackglass_viewer.model.contention.stacks import stacks_of_capture
from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.live.tables import Definitions
from stackglass_viewer.model.proto import wire_pb2

_MOST_BYTES = 16 << 20


class WaitsHistory:
    """Grows by messages. Guarded by its owner's lock."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        """``most_bytes``: of the answers that are kept."""
        self._most_bytes = most_bytes
        self._n_bytes = 0
        self._n_seen = 0
        self._stride = 1  # of so many answers one is kept, and the last one
        self._numbers: list[int] = []
        self._times_ns: list[int] = []  # CLOCK_MONOTONIC, never falling
        self._answers: list[bytes] = []

    def __len__(self) -> int:
        return len(self._answers)

    def add(self, waits: wire_pb2.LockWaits, n_strings: int, n_nodes: int) -> None:
        """Keep an answer; the last one always stays. Raises WireError, as ``check_waits``."""
        check_waits(waits, n_strings, n_nodes)
        last_ns = self._times_ns[-1] if self._times_ns else waits.time_mono_ns
        if self._numbers and self._numbers[-1] % self._stride:
            self._keep(range(len(self) - 1))
        self._numbers.append(self._n_seen)
        self._times_ns.append(max(waits.time_mono_ns, last_ns))
        self._answers.append(waits.SerializeToString())
        self._n_bytes += len(self._answers[-1])
        self._n_seen += 1
        while self._n_bytes > self._most_bytes and len(self) > 1:
            self._stride *= 2
            last = len(self) - 1
            kept = [at for at in range(last) if self._numbers[at] % self._stride == 0]
            self._keep([*(kept if len(kept) < last else kept[1:]), last])

    def _keep(self, places: Sequence[int]) -> None:
        self._numbers = [self._numbers[at] for at in places]
        self._times_ns = [self._times_ns[at] for at in places]
        self._answers = [self._answers[at] for at in places]
        self._n_bytes = sum(map(len, self._answers))

    def find(self, until: int | None, start_mono_ns: int) -> wire_pb2.LockWaits | None:
        """The last answer up to the end of a unit of 10 ms since the session's start; ``until``
        None: the last of all. None = there is none."""
        end = len(self._answers)
        if until is not None:
            end = bisect_right(self._times_ns, start_mono_ns + (until + 1) * UNIT_NS - 1)
        return wire_pb2.LockWaits.FromString(self._answers[end - 1]) if end else None


@dataclass(frozen=True, slots=True, eq=False)
class WaitsMoment:
    """An answer, and what it refers to. Immutable."""

    waits: wire_pb2.LockWaits | None
    locks: Locks
    definitions: Definitions
    thread_names: Mapping[int, str]
    start_mono_ns: int  # of the session

    def list_threads(self, list_asleep: ListAsleep) -> WaitsTable | None:
        """None = there was no answer. Any thread."""
        waits = self.waits
        if waits is None:
            return None
        stacks = stacks_of_capture(self.definitions)
        table = build_waits(waits, self.locks, stacks, self.thread_names, list_asleep)
        return replace(table, at_ns=max(waits.time_mono_ns - self.start_mono_ns, 0))
