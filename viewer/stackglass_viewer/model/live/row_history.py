"""History of a table whose rows are replaced one by one: what each row was at any moment.

::

    time ─▶   t1        t2        t3           changes, in order
            rows 0 1   row 1    rows 0 2
    find(t2): rows 0 1 of t1, row 1 replaced by that of t2

Where the changes take too much room, every two that follow each other become one, at the time of
the later: old time gets coarser, and the rows as they are now lose nothing.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from stackglass_viewer.model.columns.index import Int64s

_MOST_BYTES = 16 << 20
_N_COLUMNS = 4


class RowHistory:
    """Grows by changes. Guarded by its owner's lock."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        """``most_bytes``: of the changes that are kept, or twice what all rows take if that is
        more."""
        self._least_bytes = self._most_bytes = most_bytes
        self._n_bytes = 0
        self._times_ns: list[int] = []  # CLOCK_MONOTONIC, never falling
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
        """Every two become one. Where all are one, the bound follows its size: else each change
        that comes would be joined with it at once."""
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
        """(4, n) the rows as they were at a moment, CLOCK_MONOTONIC, in no order."""
        return _replace_rows(self._changes[: bisect_right(self._times_ns, until_ns)])


def _replace_rows(changes: list[Int64s]) -> Int64s:
    """(4, n) each row as its last change has it."""
    if not changes:
        return np.empty((_N_COLUMNS, 0), dtype=np.int64)
    backwards = np.concatenate(changes, axis=1)[:, ::-1]
    _, last = np.unique(backwards[0], return_index=True)
    return np.ascontiguousarray(backwards[:, last])
