"""History of a table with rows that are replaced one by one: finds all rows at any past moment.

::

    time ─▶   t1        t2        t3           changes, in order
            rows 0 1   row 1    rows 0 2
    find(t2): row 0 of t1, row 1 of t2

When the changes take too much room, they are merged in pairs, each at the later change's time. So
all times get coarser, but the present rows stay exact.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from stackglass_viewer.model.columns.index import Int64s

_MOST_BYTES = 16 << 20
_N_COLUMNS = 4


class RowHistory:
    """The changes of a table. The owner's lock guards all methods."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        """``most_bytes``: limit for the changes that are kept. If all rows together need more than
        half of it, the limit is twice their size."""
        self._least_bytes = self._most_bytes = most_bytes
        self._n_bytes = 0
        self._times_ns: list[int] = []  # CLOCK_MONOTONIC, ascending; may repeat
        self._changes: list[Int64s] = []  # (4, n) each; the first column is the row's number

    def __len__(self) -> int:
        return len(self._changes)

    def add(self, time_ns: int, change: Int64s) -> None:
        """Add a change: (4, n) columns, the first one the numbers of the rows that it replaces."""
        if not change.shape[1]:
            return
        self._times_ns.append(max(time_ns, self._times_ns[-1]) if self._times_ns else time_ns)
        self._changes.append(change)
        self._n_bytes += change.nbytes
        while self._n_bytes > self._most_bytes and len(self) > 1:
            self._join_pairs()

    def _join_pairs(self) -> None:
        """Merge the changes in pairs. If only one change is left, raise the limit to twice its
        size: otherwise every further change would be merged with it at once."""
        firsts = range(len(self) % 2, len(self), 2)
        odd = self._changes[: len(self) % 2]
        joined = [_replace_rows(self._changes[at : at + 2]) for at in firsts]
        self._times_ns = [
            *self._times_ns[: len(odd)],
            *(self._times_ns[at + 1] for at in firsts),
        ]
        self._changes = [*odd, *joined]
        self._n_bytes = sum(change.nbytes for change in self._changes)
        if len(self) == 1:
            self._most_bytes = max(self._least_bytes, 2 * self._n_bytes)

    def find(self, until_ns: int) -> Int64s:
        """Return the rows as they were at a moment (CLOCK_MONOTONIC), in no order: (4, n)."""
        return _replace_rows(self._changes[: bisect_right(self._times_ns, until_ns)])


def _replace_rows(changes: list[Int64s]) -> Int64s:
    """Return each row as its last change has it: (4, n)."""
    if not changes:
        return np.empty((_N_COLUMNS, 0), dtype=np.int64)
    backwards = np.concatenate(changes, axis=1)[:, ::-1]
    _, last = np.unique(backwards[0], return_index=True)
    return np.ascontiguousarray(backwards[:, last])
