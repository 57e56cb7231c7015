"""Downsampling of changes over time: exact where recent, coarser with age.

::

    older ◀──────────────────────────────────────────────────────────▶ now
    ┌────────────┬──────────┬──────────────┬──────────────┬──────────┐
    │ 10 min …   │ minutes  │ 10 s         │ seconds      │ exact    │
    └────────────┴──────────┴──────────────┴──────────────┴──────────┘
              24 h ago    2 h ago      15 min ago       90 s ago

The boxes are the ages, each with the span of its rows. When rows move to the next age, the rows of
one bucket, thread and span become one row with the sum of their values, so that the sum of all
rows never changes. No age keeps more than ``MAX_ROWS``: its oldest rows move to the next age early,
and the last age doubles its span. All ages but the first are packed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.columns.packed_table import PackedTable, Tables, pack_table
from stackglass_viewer.model.columns.partition import append_table, split_tables
from stackglass_viewer.native import _loops

MAX_ROWS = 1 << 18
"""Most rows of one age. A row takes 12 bytes, and 8 for each of its values; a packed row rarely
takes half of that."""

_SECOND = 100  # units of 10 ms
_SPANS = (1, _SECOND, 10 * _SECOND, 60 * _SECOND, 600 * _SECOND)  # units in one row, by age
# How old the rows of each age become, in units; rows of the last age stay there.
_KEPT = (90 * _SECOND, 900 * _SECOND, 7_200 * _SECOND, 86_400 * _SECOND)
_FOLD_UNITS = 10 * _SECOND  # rows move to the next age when at least this much time is due


@dataclass(frozen=True, slots=True, eq=False)
class AgedRows:
    """Columns of equal length. A row covers one span of its age, up to ``until``. Immutable."""

    until: Int32s  # (n,) units of 10 ms since the session's start
    bucket: Int32s  # (n,)
    tid: Int32s  # (n,) 0 = unknown
    values: Int64s  # (n_values, n)

    def __len__(self) -> int:
        return len(self.until)

    def choose(self, which: Bools) -> AgedRows:
        """Return the rows of a mask."""
        return make_rows(
            self.until[which], self.bucket[which], self.tid[which], self.values[:, which]
        )

    def list_columns(self) -> tuple[npt.NDArray[Any], ...]:
        """Return the columns; the first is the time, as ``TimedTable`` requires."""
        return (self.until, self.bucket, self.tid, *self.values)

    @classmethod
    def of_columns(cls, *columns: npt.NDArray[Any]) -> AgedRows:
        """Return the rows from the columns that ``list_columns`` returned."""
        until, bucket, tid, *values = columns
        return make_rows(until, bucket, tid, np.stack(values))


def make_rows(until: Int32s, bucket: Int32s, tid: Int32s, values: Int64s) -> AgedRows:
    """Return rows of these columns, which become read-only."""
    values = np.ascontiguousarray(values)
    freeze(until, bucket, tid, values)
    return AgedRows(until, bucket, tid, values)


def join(tables: Sequence[AgedRows]) -> AgedRows:
    """Concatenate tables; there must be at least one."""
    if len(tables) == 1:
        return tables[0]
    return make_rows(
        np.concatenate([table.until for table in tables]),
        np.concatenate([table.bucket for table in tables]),
        np.concatenate([table.tid for table in tables]),
        np.concatenate([table.values for table in tables], axis=1),
    )


def fold(rows: AgedRows, span: int) -> AgedRows:
    """Sum the rows of one bucket and thread within each span of ``span`` units into one row, which
    has the time of the span's end."""
    until = -(-rows.until // span) * span
    order = np.lexsort((rows.tid, rows.bucket, until))
    keys = (until[order], rows.bucket[order], rows.tid[order])
    is_first = np.zeros(len(order), dtype=np.bool_)
    is_first[:1] = True
    for key in keys:
        is_first[1:] |= key[1:] != key[:-1]
    starts = np.flatnonzero(is_first)
    if len(starts) == 0:
        return rows
    values = np.add.reduceat(rows.values[:, order], starts, axis=1)
    return make_rows(keys[0][starts], keys[1][starts], keys[2][starts], values)


def sum_between(
    tables: Tables[AgedRows],
    n_buckets: int,
    n_values: int,
    after: int | None,
    until: int | None,
    tids: frozenset[int] | None = None,
) -> Int64s:
    """Sum the rows after one moment and until another: (n_values, n_buckets). None for a moment =
    no limit; ``tids`` None = all threads."""
    sums = np.zeros((n_values, n_buckets), dtype=np.int64)
    first = 0 if after is None else after + 1
    last = np.iinfo(np.int32).max if until is None else until
    for table in tables.list_near(first, last):
        is_inside = np.ones(len(table), dtype=np.bool_)
        if after is not None:
            is_inside &= table.until > after
        if until is not None:
            is_inside &= table.until <= until
        if tids is not None:
            is_inside &= np.isin(table.tid, np.array(sorted(tids), dtype=np.int32))
        rows = table if is_inside.all() else table.choose(is_inside)
        for value, column in zip(sums, rows.values, strict=True):
            _loops.sum_own(rows.bucket, column, value)
    return sums


def _join_packed(tables: Sequence[PackedTable[AgedRows]]) -> PackedTable[AgedRows]:
    return pack_table(join(list(Tables(tables))))


class AgingRows:
    """Rows of all ages. Not thread-safe; the rows that ``list_tables`` returns are immutable."""

    def __init__(self, max_rows: int = MAX_ROWS) -> None:
        self._max_rows = max_rows
        self._young: list[AgedRows] = []  # the first age
        self._old: list[list[PackedTable[AgedRows]]] = [[] for _ in _KEPT]  # the other ages
        self._spans = list(_SPANS)
        self._from = [0] * len(_KEPT)  # by age, units: rows until then have moved to the next age

    @property
    def n_rows(self) -> int:
        return self.list_tables().n_rows

    def list_tables(self) -> Tables[AgedRows]:
        """Return all rows, in no order."""
        return Tables(self._young, *self._old)

    def span_at(self, time: int) -> int:
        """Return the span of the rows at ``time``; both in units of 10 ms."""
        for span, begin in zip(self._spans, self._from, strict=False):
            if time >= begin:
                return span
        return self._spans[-1]

    def add(self, rows: AgedRows, now: int) -> None:
        """Add rows, and move old rows to the next age if that is due. ``now``: units of 10 ms."""
        if len(rows):
            append_table(self._young, rows, join)
        for age, kept in enumerate(_KEPT):
            slack = max(_FOLD_UNITS, self._spans[age + 1])
            if now - self._from[age] >= kept + slack:
                self._fold(age, now - kept)
            elif self._list_age(age).n_rows > self._max_rows:
                times = np.concatenate([table.until for table in self._list_age(age)])
                # The limit is at least one span after the oldest row, or no row would move.
                least = int(times.min()) + self._spans[age + 1]
                self._fold(age, min(max(int(np.median(times)), least), now))
        self._limit_oldest()

    def _list_age(self, age: int) -> Tables[AgedRows]:
        return Tables(self._old[age - 1]) if age else Tables(self._young)

    def _fold(self, age: int, before: int) -> None:
        """Move the rows until ``before`` to the next age; ``before`` is rounded to its spans."""
        span = self._spans[age + 1]
        before = before // span * span
        if before <= self._from[age]:
            return
        self._from[age] = before
        old = self._take(age, before)
        if old:
            append_table(self._old[age], pack_table(fold(join(old), span)), _join_packed)

    def _take(self, age: int, before: int) -> list[AgedRows]:
        """Remove the rows until ``before`` from an age, and return them."""
        if age == 0:
            is_old = [table.until <= before for table in self._young]
            old, self._young = split_tables(self._young, is_old)
            return old
        tables = self._old[age - 1]
        packed, self._old[age - 1] = split_tables(tables, [each.time <= before for each in tables])
        return list(Tables(packed))

    def _limit_oldest(self) -> None:
        """Double the span of the last age until its rows fit."""
        last = len(_KEPT)
        while (
            self._list_age(last).n_rows > self._max_rows and 2 * self._spans[-1] <= self._from[-1]
        ):
            self._spans[-1] *= 2
            old = self._take(last, self._from[-1] // self._spans[-1] * self._spans[-1])
            if old:
                self._old[-1].insert(0, pack_table(fold(join(old), self._spans[-1])))
