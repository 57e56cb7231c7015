"""Pauses of the garbage collector: time, generation, duration, objects freed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.growing_column import GrowingColumn
from stackglass_viewer.model.columns.index import Int64s, freeze

MAX_PAUSES = 1 << 15
"""Most rows. Above this, the older half is merged into one row per second and generation."""

_SECOND_NS = 1_000_000_000
_N_COLUMNS = 7


@dataclass(frozen=True, slots=True, eq=False)
class Pauses:
    """Columns of equal length, by time. Immutable."""

    start_ns: Int64s  # (n,) begin of the row's longest pause, since the session's start
    generation: Int64s  # (n,)
    longest_ns: Int64s  # (n,)
    total_ns: Int64s  # (n,) equals longest_ns, unless the row stands for several pauses
    n_pauses: Int64s  # (n,)
    n_freed: Int64s  # (n,) objects
    n_uncollectable: Int64s  # (n,) objects

    def __len__(self) -> int:
        return len(self.start_ns)


class PauseLog:
    """A growing log of pauses. Not thread-safe; the result of ``view`` is immutable."""

    def __init__(self, max_pauses: int = MAX_PAUSES) -> None:
        self._max_pauses = max_pauses
        self._columns = tuple(GrowingColumn(np.int64) for _ in range(_N_COLUMNS))

    def add(
        self,
        start_ns: Int64s,
        generation: Int64s,
        pause_ns: Int64s,
        n_freed: Int64s,
        n_uncollectable: Int64s,
    ) -> None:
        """Add collections, columns (n,), roughly in the order in which they began."""
        once = np.ones(len(start_ns), dtype=np.int64)
        rows = (start_ns, generation, pause_ns, pause_ns, once, n_freed, n_uncollectable)
        for column, values in zip(self._columns, rows, strict=True):
            column.extend(values)
        if self._columns[0].n_rows > self._max_pauses:
            self._fold_old()

    def view(self) -> Pauses:
        return Pauses(*(column.view() for column in self._columns))

    def _fold_old(self) -> None:
        """Merge the pauses of the older half into one row per second and generation; if too many
        rows are left, per minute, or else per hour."""
        pauses = self.view()
        half = len(pauses) // 2
        for span_ns in (_SECOND_NS, 60 * _SECOND_NS, 3600 * _SECOND_NS):
            folded = merge(_slice(pauses, 0, half), pauses.start_ns[:half] // span_ns)
            if len(folded) <= half // 2:
                break
        columns = tuple(GrowingColumn(np.int64) for _ in range(_N_COLUMNS))
        for part in (folded, _slice(pauses, half, len(pauses))):
            for column, values in zip(columns, _list_columns(part), strict=True):
                column.extend(values)
        self._columns = columns


def merge(pauses: Pauses, group: Int64s) -> Pauses:
    """Merge the pauses with the same generation and ``group``, (n,), into one row, which has the
    time of the longest. Returns the rows ordered by time."""
    if len(pauses) == 0:
        return pauses
    order = np.lexsort((-pauses.longest_ns, pauses.generation, group))
    group, generation = group[order], pauses.generation[order]
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = (group[1:] != group[:-1]) | (generation[1:] != generation[:-1])
    starts = np.flatnonzero(is_first)
    longest = order[starts]
    sums = tuple(
        np.add.reduceat(column[order], starts)
        for column in (
            pauses.total_ns,
            pauses.n_pauses,
            pauses.n_freed,
            pauses.n_uncollectable,
        )
    )
    merged = (pauses.start_ns[longest], pauses.generation[longest], pauses.longest_ns[longest])
    by_time = np.argsort(merged[0], kind="stable")
    columns = [column[by_time] for column in (*merged, *sums)]
    freeze(*columns)
    return Pauses(*columns)


def thin_pauses(pauses: Pauses, left_ns: float, right_ns: float, n_px: int) -> Pauses:
    """Return the pauses of a span: at most one row for each generation in each of ``n_px`` equal
    parts."""
    first = int(np.searchsorted(pauses.start_ns, left_ns))
    last = int(np.searchsorted(pauses.start_ns, right_ns))
    inside = _slice(pauses, first, last)
    if right_ns <= left_ns:
        return inside
    pixel = np.floor((inside.start_ns - left_ns) * (n_px / (right_ns - left_ns)))
    return merge(inside, pixel.astype(np.int64))


def _list_columns(pauses: Pauses) -> tuple[Int64s, ...]:
    return (
        pauses.start_ns,
        pauses.generation,
        pauses.longest_ns,
        pauses.total_ns,
        pauses.n_pauses,
        pauses.n_freed,
        pauses.n_uncollectable,
    )


def _slice(pauses: Pauses, first: int, last: int) -> Pauses:
    return Pauses(*(column[first:last] for column in _list_columns(pauses)))
