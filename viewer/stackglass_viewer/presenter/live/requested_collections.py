"""Requested full collections and their results."""

from __future__ import annotations

from stackglass_viewer.model.proto.wire_pb2 import Heap
from stackglass_viewer.model.units import format_quantity, format_value


class Collections:
    """Finds the result of a requested collection: the one of the oldest generation since the
    request. For one thread."""

    def __init__(self) -> None:
        self._n_before = 0
        self._best: tuple[int, int, int] | None = None  # generation, pause in ns, objects

    def ask(self, n_collects: int) -> None:
        """Note a request; ``n_collects`` requested collections were done before it."""
        self._n_before = n_collects
        self._best = None

    def add(self, heap: Heap) -> None:
        """Add the collections that a message reports."""
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
        """Return ``collected 1 234 objects in 12.0 ms``; ``collected`` if none was reported."""
        if self._best is None:
            return "collected"
        _, pause_ns, n_objects = self._best
        objects = format_quantity(n_objects, "object")
        return f"collected {objects} in {format_value(pause_ns, 'nanoseconds')}"
