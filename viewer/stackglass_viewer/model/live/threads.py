"""Threads of a live session: their names, and their stacks at the last snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from stackglass.errors import WireError
from stackglass.wire.thread_starts import ThreadStarts
from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.model.columns.wire_columns import check_equal, find_string
from stackglass_viewer.model.live.labels import LiveLabels
from stackglass_viewer.model.proto import wire_pb2


class LiveThreads:
    """Guarded by its owner's lock."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}  # by thread id; "" = not known
        self._starts = ThreadStarts()
        self.standing_tid: Int32s = np.empty(0, np.int32)
        self.standing_node: Int32s = np.empty(0, np.int32)  # (n,) the engine's node of each
        self.standing_labels: Int32s = np.empty(0, np.int32)  # (n,) the label set of each

    def add(self, batch: wire_pb2.Batch, strings: Sequence[str]) -> None:
        """Names, which are strings of the session, and starts by C code. Raises WireError."""
        for tid, name in zip(batch.thread_tid, batch.thread_name, strict=True):
            self.names[tid] = find_string(strings, name)
        check_equal(batch.started_tid, batch.started_by, batch.started_by_python)
        self._starts.add(batch.started_tid, batch.started_by, batch.started_by_python)

    def name_starters(self) -> dict[int, str]:
        """Names of the Python threads that threads of C code go back to, by thread."""
        return self._starts.name_all(self.names)

    def meet(self, tids: Iterable[int]) -> None:
        """Add threads; a name may follow."""
        for tid in tids:
            self.names.setdefault(tid, "")

    def add_snapshot(
        self, snapshot: wire_pb2.ThreadSnapshot, n_nodes: int, numbers: LiveLabels
    ) -> None:
        """Replace the snapshot of the threads' stacks. Raises WireError."""
        labels = snapshot.labels or [0] * len(snapshot.tid)  # an older engine sends none
        check_equal(snapshot.tid, snapshot.node, labels)
        tids = np.array(snapshot.tid, dtype=np.int64).astype(np.int32)
        nodes = np.array(snapshot.node, dtype=np.int64).astype(np.int32)
        check_nodes(nodes, n_nodes)
        self.standing_tid, self.standing_node = tids, nodes
        self.standing_labels = numbers.number(np.array(labels, dtype=np.int64))
        self.meet(tids.tolist())


def check_nodes(nodes: Int32s, n_nodes: int) -> None:
    """Raises WireError where one is not among the ``n_nodes`` that are defined."""
    if len(nodes) and not 0 <= int(nodes.min()) <= int(nodes.max()) < n_nodes:
        raise WireError(f"a message refers to a stack outside the {n_nodes} that are defined")
