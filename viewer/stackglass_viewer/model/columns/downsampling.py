"""Downsampling of changes over time: exact where recent, coarser with age.

::

    older ◀──────────────────────────────────────────────────────────▶ now
    ┌────────────┬──────────┬──────────────┬──────────────┬──────────┐
    │ 10 min …   │ minutes  │ 10 s         │ seconds      │ exact    │
    └────────────┴──────────┴──────────────┴──────────────┴──────────┘
              24 h ago    2 h ago      15 min ago       90 s ago

Rows of one bucket, thread and span become one row: their values are added up, so that the sum of
all rows never changes. No age keeps more than ``MAX_ROWS``: its oldest rows then move to the next
age early, and the last age doubles its span.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.columns.partition import append_table, split_tables
from stackglass_viewer.native import _loops

MAX_ROWS = 1 << 18
"""Of one age. A row takes 12 bytes, and 8 for each of its values."""

_SECOND = 100  # units of 10 ms
_SPANS = (1, _SECOND, 10 * _SECOND, 60 * _SECOND, 600 * _SECOND)  # of one row, by age
_KEPT = (90 * _SECOND, 900 * _SECOND, 7_200 * _SECOND, 86_400 * _SECOND)  # by age but the last
_FOLD_UNITS = 10 * _SECOND  # old rows are folded by so much at a time, at least


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Columns of equal length. Immutable. A row is of the time up to ``until``."""

    until: Int32s  # (n,) units of 10 ms since the session's start
    bucket: Int32s  # (n,)
    tid: Int32s  # (n,) 0 = unknown
    values: Int64s  # (n_values, n)

    def __len__(self) -> int:
        return len(self.until)

    def choose(self, which: Bools) -> Rows:
        """The rows of a mask."""
        return make_rows(
            self.until[which], self.bucket[which], self.tid[which], self.values[:, which]
        )


def make_rows(until: Int32s, bucket: Int32s, tid: Int32s, values: Int64s) -> Rows:
    """Rows out of columns, which become read-only."""
    values = np.ascontiguousarray(values)
    freeze(until, bucket, tid, values)
    return Rows(until, bucket, tid, values)


def join(tables: Sequence[Rows]) -> Rows:
    """One table of several, at least one."""
    if len(tables) == 1:
        return tables[0]
    return make_rows(
        np.concatenate([table.until for table in tables]),
        np.concatenate([table.bucket for table in tables]),
        np.concatenate([table.tid for table in tables]),
        np.concatenate([table.values for table in tables], axis=1),
    )


def fold(rows: Rows, span: int) -> Rows:
    """Rows of one bucket and thread within a span of so many units become one row, at its end."""
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
    tables: Sequence[Rows],
    n_buckets: int,
    n_values: int,
    after: int | None,
    until: int | None,
    tids: frozenset[int] | None = None,
) -> Int64s:
    """(n_values, n_buckets) the sums of rows after a moment and until another; None = any time."""
    sums = np.zeros((n_values, n_buckets), dtype=np.int64)
    for table in tables:
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


class AgingRows:
    """For one thread at a time; ``list_tables`` hands out immutable rows."""

    def __init__(self, max_rows: int = MAX_ROWS) -> None:
        self._max_rows = max_rows
        self._ages: list[list[Rows]] = [[] for _ in _SPANS]
        self._spans = list(_SPANS)
        self._from = [0] * len(_KEPT)  # units; older rows are in the next age

    @property
    def n_rows(self) -> int:
        return sum(len(table) for table in self.list_tables())

    def list_tables(self) -> tuple[Rows, ...]:
        """All rows, in no order."""
        return tuple(table for tables in self._ages for table in tables)

    def span_at(self, time: int) -> int:
        """The length in units of the rows at this time."""
        for span, begin in zip(self._spans, self._from, strict=False):
            if time >= begin:
                return span
        return self._spans[-1]

    def add(self, rows: Rows, now: int) -> None:
        """Add rows, and move old ones to the next age where that is due."""
        if len(rows):
            append_table(self._ages[0], rows, join)
        for age, kept in enumerate(_KEPT):
            slack = max(_FOLD_UNITS, self._spans[age + 1])
            if now - self._from[age] >= kept + slack:
                self._fold(age, now - kept)
            elif self._count(age) > self._max_rows:
                times = np.concatenate([table.until for table in self._ages[age]])
                # At least one span, or no row would move; and no row of the future.
                least = int(times.min()) + self._spans[age + 1]
                self._fold(age, min(max(int(np.median(times)), least), now))
        self._limit_oldest()

    def _count(self, age: int) -> int:
        return sum(len(table) for table in self._ages[age])

    def _fold(self, age: int, before: int) -> None:
        """Move the rows until ``before`` to the next age; ``before`` is rounded to its spans."""
        span = self._spans[age + 1]
        before = before // span * span
        if before <= self._from[age]:
            return
        self._from[age] = before
        tables = self._ages[age]
        old, young = split_tables(tables, [table.until <= before for table in tables])
        self._ages[age] = young
        if old:
            append_table(self._ages[age + 1], fold(join(old), span), join)

    def _limit_oldest(self) -> None:
        """Double the span of the last age until its rows fit."""
        while self._count(-1) > self._max_rows and 2 * self._spans[-1] <= self._from[-1]:
            self._spans[-1] *= 2
            before = self._from[-1] // self._spans[-1] * self._spans[-1]
            tables = self._ages[-1]
            old, young = split_tables(tables, [table.until <= before for table in tables])
            self._ages[-1] = [fold(join(old), self._spans[-1]), *young] if old else young
