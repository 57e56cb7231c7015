"""Requested full collections and their results."""

from __future__ import annotations

from stackglass_viewer.model.proto.wire_pb2 import Heap
from stackglass_viewer.model.units import format_count, format_value


class Collections:
    """For one thread. A requested collection is the fullest one since the request."""

    def __init__(self) -> None:
        self._n_before = 0
        self._best: tuple[int, int, int] | None = None  # generation, pause in ns, objects

    def ask(self, n_collects: int) -> None:
        """A collection is requested now; ``n_collects`` were done before."""
        self._n_before = n_collects
        self._best = None

    def add(self, heap: Heap) -> None:
        """Take in the collections that a message reports."""
        rows = zip(
            heap.collection_generation,
            heap.collection_pause_ns,
            heap.collection_collected,
            strict=False,
        )
        for row in rows:
            if self._best is None or row[0] >= self._best[0]:
                self._best = row

    def is_done(self, n_collects: int) -> bool:
        """Whether the requested collection has been done."""
        return n_collects > self._n_before

    def describe(self) -> str:
        """``collected 1 234 objects in 12.0 ms``; less without observed collections."""
        if self._best is None:
            return "collected"
        _, pause_ns, n_objects = self._best
        objects = "1 object" if n_objects == 1 else f"{format_count(n_objects)} objects"
        return f"collected {objects} in {format_value(pause_ns, 'nanoseconds')}"
