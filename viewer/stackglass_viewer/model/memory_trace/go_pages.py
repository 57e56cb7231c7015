"""Pages of Go's spans: finds the span of an object by its page, and from the span the size of the
object, which is that of the span's slots."""

from __future__ import annotations

import secrets

import numpy as np

from stackglass_viewer.model.columns.index import UInt32s, UInt64s
from stackglass_viewer.model.memory_trace.events import UInt8s
from stackglass_viewer.native import _loops

_FIRST_SLOTS = 1 << 12


class SpanPages:
    """A hash table from pages to spans. Pages of freed spans stay in the table, since Go uses them
    again."""

    def __init__(self, page_bytes: int) -> None:
        self._page_bytes = page_bytes
        self._seed = secrets.randbits(64)
        self._columns = _make_columns(_FIRST_SLOTS)
        self._n_used = 0

    def size_objects(self, kind: UInt8s, address: UInt64s, size: UInt64s, slot: UInt32s) -> None:
        """Go through events in order: add spans, and give objects the address and size of their
        slot. ``kind``, ``address`` and ``size`` are changed in place."""
        done = 0
        while True:
            done, self._n_used = _loops.size_go_objects(
                (*self._columns, self._n_used, self._page_bytes, self._seed),
                *(kind, address, size, slot, done),
            )
            if done == len(kind):
                return
            wider = _make_columns(4 * len(self._columns[0]))
            _loops.enter_go_pages(
                (*self._columns, self._n_used, self._page_bytes, self._seed),
                (*wider, 0, self._page_bytes, self._seed),
            )
            self._columns = wider


def _make_columns(n_slots: int) -> tuple[UInt64s, UInt64s, UInt64s]:
    """Return empty columns of a table: keys, bases and slots."""
    return (
        np.zeros(n_slots, dtype=np.uint64),
        np.zeros(n_slots, dtype=np.uint64),
        np.zeros(n_slots, dtype=np.uint64),
    )
