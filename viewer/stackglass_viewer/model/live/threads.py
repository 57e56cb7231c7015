"""Threads of a live session: their names, and their stacks at each snapshot."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from stackglass.errors import WireError
from stackglass.wire.thread_starts import ThreadStarts
from stackglass_viewer.model.columns.index import Int32s, freeze
from stackglass_viewer.model.columns.wire_columns import check_equal, find_string
from stackglass_viewer.model.live.labels import LiveLabels
from stackglass_viewer.model.live.message_history import MessageHistory
from stackglass_viewer.model.proto import wire_pb2

_MOST_TID = 2**31 - 1  # columns of thread IDs have 32 bits


@dataclass(frozen=True, slots=True, eq=False)
class ThreadStacks:
    """The stacks of all threads at one moment. Immutable."""

    tid: Int32s  # (n,)
    node: Int32s  # (n,) the engine's node of each thread's stack
    labels: Int32s  # (n,) the label set of each thread
    time_mono_ns: int


def _make_empty() -> ThreadStacks:
    """Return the value before the first snapshot: no threads."""
    nothing = np.empty(0, np.int32)
    freeze(nothing)
    return ThreadStacks(nothing, nothing, nothing, 0)


class LiveThreads:
    """The threads of a session so far. The owner's lock guards all methods."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}  # by thread id; "" = not known
        self._starts = ThreadStarts()
        self._stacks = _make_empty()  # at the last snapshot
        self._snapshots = MessageHistory()

    def add(self, batch: wire_pb2.Batch, strings: Sequence[str]) -> None:
        """Add a batch's names of threads, and its threads that C code started. Raises WireError."""
        check_equal(batch.thread_tid, batch.thread_name)
        _check_tids(batch.thread_tid)
        for tid, name in zip(batch.thread_tid, batch.thread_name, strict=True):
            self.names[tid] = find_string(strings, name)
        check_equal(batch.started_tid, batch.started_by, batch.started_by_python)
        self._starts.add(batch.started_tid, batch.started_by, batch.started_by_python)

    def name_starters(self) -> dict[int, str]:
        """Return, by the ID of each thread that C code started, the name of the Python thread that
        led to the start."""
        return self._starts.name_all(self.names)

    def add_tids(self, tids: Collection[int]) -> None:
        """Add threads; their names may follow later. Raises WireError."""
        _check_tids(tids)
        for tid in tids:
            self.names.setdefault(tid, "")

    def add_snapshot(
        self, snapshot: wire_pb2.ThreadSnapshot, n_nodes: int, numbers: LiveLabels
    ) -> None:
        """Add a snapshot of the threads' stacks. Raises WireError."""
        self._stacks = _read_snapshot(snapshot, n_nodes, numbers)
        self._snapshots.add(snapshot)
        self.add_tids(self._stacks.tid.tolist())

    def find_stacks(self, until_ns: int | None, n_nodes: int, numbers: LiveLabels) -> ThreadStacks:
        """Return the stacks of the last snapshot up to ``until_ns`` (CLOCK_MONOTONIC); for None,
        of the last snapshot of all."""
        if until_ns is None:
            return self._stacks
        found = self._snapshots.find(until_ns)
        if found is None:
            return _make_empty()
        return _read_snapshot(wire_pb2.ThreadSnapshot.FromString(found), n_nodes, numbers)


def _read_snapshot(
    snapshot: wire_pb2.ThreadSnapshot, n_nodes: int, numbers: LiveLabels
) -> ThreadStacks:
    """Return the columns of a snapshot. Raises WireError."""
    labels = snapshot.labels or [0] * len(snapshot.tid)  # an older engine sends none
    check_equal(snapshot.tid, snapshot.node, labels)
    _check_tids(snapshot.tid)
    tids = np.array(snapshot.tid, dtype=np.int64).astype(np.int32)
    nodes = np.array(snapshot.node, dtype=np.int64).astype(np.int32)
    check_nodes(nodes, n_nodes)
    sets = numbers.number(np.array(labels, dtype=np.int64))
    freeze(tids, nodes)
    return ThreadStacks(tids, nodes, sets, snapshot.time_mono_ns)


def _check_tids(tids: Collection[int]) -> None:
    """Raise WireError if a thread ID does not fit the columns of thread IDs."""
    if max(tids, default=0) > _MOST_TID:
        raise WireError(f"a message has the thread ID {max(tids)}, which is out of range")


def check_nodes(nodes: Int32s, n_nodes: int) -> None:
    """Raise WireError if a node is not among the ``n_nodes`` that are defined."""
    if len(nodes) and not 0 <= int(nodes.min()) <= int(nodes.max()) < n_nodes:
        raise WireError(f"a message refers to a stack outside the {n_nodes} that are defined")
