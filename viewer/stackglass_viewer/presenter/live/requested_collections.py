"""Requested full collections and their results."""

from __future__ import annotations

from stackglass_viewer.model.proto.wire_pb2 import Heap
from stackglass_viewer.model.units import format_count, format_value


class Collections:
    """For one thread. A collection that was asked for is the fullest one since then."""

    def __init__(self) -> None:
        self._n_before = 0
        self._best: tuple[int, int, int] | None = None  # generation, pause in ns, objects

    def ask(self, n_collects: int) -> None:
        """One is asked for now; so many have been done before."""
        self._n_before = n_collects
        self._best = None

    def add(self, heap: Heap) -> None:
        """Hear of the collector's work."""
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
        """Whether what was asked for has been done."""
        return n_collects > self._n_before

    def describe(self) -> str:
        """``collected 1 234 objects in 12.0 ms``; of a target that we do not hear, less."""
        if self._best is None:
            return "collected"
        _, pause_ns, n_objects = self._best
        objects = "1 object" if n_objects == 1 else f"{format_count(n_objects)} objects"
        return f"collected {objects} in {format_value(pause_ns, 'nanoseconds')}"
