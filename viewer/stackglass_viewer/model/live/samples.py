"""Samples of a live session by time: fine where recent, coarser with age.

::

    older ◀───────────────────────────────────────────────────▶ now
    ┌─────────────────────┬───────────────────┬─────────────────┐
    │ one bucket          │ seconds           │ 10 ms           │
    └─────────────────────┴───────────────────┴─────────────────┘
                      15 min ago          90 s ago

Rows of one bucket of time with the same stack, thread and labels are summed into one row. Nothing
is dropped. The rows of seconds, by far the most, are packed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.columns.packed_table import PackedTable, Tables, pack_table
from stackglass_viewer.model.columns.partition import append_table, split_tables

UNIT_NS = 10_000_000
"""The unit of sample times on the wire: 10 ms."""

_SECOND = 100  # units
_FINE_UNITS = 90 * _SECOND
_SECONDS_UNITS = 15 * 60 * _SECOND
_FOLD_UNITS = 10 * _SECOND  # old rows are folded in steps of this length
_MAX_FINE_ROWS = 2_000_000  # above this, older rows move to the next age early
_MAX_SECONDS_ROWS = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class SampleRows:
    """Columns of equal length. Immutable."""

    node: Int32s  # (n,) the engine's node
    tid: Int32s  # (n,)
    labels: Int32s  # (n,) label set; 0 = none
    time: Int32s  # (n,) units of 10 ms since the session's start; the bucket's first
    count: Int64s  # (n,)
    cpu_ns: Int64s  # (n,)

    def __len__(self) -> int:
        return len(self.node)

    def choose(self, which: Bools) -> SampleRows:
        """Return the rows of a mask."""
        return make_rows(
            self.node[which],
            self.tid[which],
            self.labels[which],
            self.time[which],
            self.count[which],
            self.cpu_ns[which],
        )

    def list_columns(self) -> tuple[npt.NDArray[Any], ...]:
        """Return the columns; the first is the time, as ``TimedTable`` requires."""
        return (self.time, self.node, self.tid, self.labels, self.count, self.cpu_ns)

    @classmethod
    def of_columns(cls, *columns: npt.NDArray[Any]) -> SampleRows:
        """Return the rows from the columns that ``list_columns`` returned."""
        time, node, tid, labels, count, cpu_ns = columns
        return cls(node, tid, labels, time, count, cpu_ns)

    def list_sets(self, n_sets: int) -> Int32s:
        """Return the label set of each row: (n,); 0 for a set that is not among the ``n_sets``
        defined so far."""
        return np.where(self.labels < n_sets, self.labels, 0).astype(np.int32)


_KINDS: tuple[type[np.generic], ...] = (np.int32, np.int32, np.int32, np.int32, np.int64, np.int64)


def make_rows(*columns: Sequence[int] | Int32s | Int64s) -> SampleRows:
    """Return rows of these columns, in the order of SampleRows. Raises OverflowError if an integer
    does not fit its column."""
    arrays = [_convert(column, kind) for column, kind in zip(columns, _KINDS, strict=True)]
    freeze(*arrays)
    return SampleRows(*arrays)


def _convert(column: Sequence[int] | Int32s | Int64s, kind: type[np.generic]) -> Any:
    if isinstance(column, np.ndarray):
        return column.astype(kind, copy=False).view()  # the caller's array stays writable
    return np.fromiter(column, dtype=kind, count=len(column))


def join(parts: Iterable[SampleRows]) -> SampleRows:
    """Concatenate tables."""
    tables = list(parts)
    if len(tables) == 1:
        return tables[0]

    def stack(name: str) -> Int32s | Int64s:
        columns = [getattr(table, name) for table in tables]
        return np.concatenate(columns) if columns else np.empty(0, dtype=np.int64)

    names = ("node", "tid", "labels", "time", "count", "cpu_ns")
    return make_rows(*(stack(name) for name in names))


def fold(rows: SampleRows, unit: int | None) -> SampleRows:
    """Sum the rows with the same stack, thread, labels and time, rounded down to a multiple of
    ``unit``, into one row. ``unit`` None: the time is ignored and becomes 0."""
    if len(rows) == 0:
        return rows
    time = rows.time // unit * unit if unit is not None else np.zeros_like(rows.time)
    order = np.lexsort((rows.labels, rows.tid, rows.node, time))
    keys = (time[order], rows.node[order], rows.tid[order], rows.labels[order])
    is_first = np.zeros(len(order), dtype=np.bool_)
    is_first[0] = True
    for key in keys:
        is_first[1:] |= key[1:] != key[:-1]
    starts = np.flatnonzero(is_first)
    return make_rows(
        keys[1][starts],
        keys[2][starts],
        keys[3][starts],
        keys[0][starts],
        np.add.reduceat(rows.count[order], starts),
        np.add.reduceat(rows.cpu_ns[order], starts),
    )


def _join_packed(tables: Sequence[PackedTable[SampleRows]]) -> PackedTable[SampleRows]:
    return pack_table(join(Tables(tables)))


class Ages(NamedTuple):
    """The borders between ages, in units."""

    fine_from: int  # rows before this time cover a second
    seconds_from: int  # rows before this time have no time


class LiveSamples:
    """Rows in three ages. Not thread-safe; the rows that ``list_tables`` returns are immutable."""

    def __init__(self) -> None:
        self._fine: list[SampleRows] = []
        self._seconds: list[PackedTable[SampleRows]] = []
        self._ancient: list[SampleRows] = []
        self._fine_from = 0  # units; older rows cover a second
        self._seconds_from = 0  # units; older rows have no time
        self.latest = 0  # units; time of the latest sample

    @property
    def n_rows(self) -> int:
        return self.list_tables().n_rows

    def list_tables(self) -> Tables[SampleRows]:
        """Return all rows, in no order."""
        return Tables(self._ancient, self._seconds, self._fine)

    @property
    def ages(self) -> Ages:
        """The ages as they are now."""
        return Ages(self._fine_from, self._seconds_from)

    def add(self, rows: SampleRows) -> None:
        """Add samples, and move old samples to the next age if that is due."""
        if len(rows) == 0:
            return
        append_table(self._fine, rows, join)
        self.latest = max(self.latest, int(rows.time.max()))
        n_fine = sum(len(table) for table in self._fine)
        if self.latest - self._fine_from >= _FINE_UNITS + _FOLD_UNITS:
            self._fold_fine(self.latest - _FINE_UNITS)
        elif n_fine > _MAX_FINE_ROWS:
            times = np.concatenate([table.time for table in self._fine])
            self._fold_fine(int(np.median(times)) + 1)

    def widen(self, begin: int, end: int) -> tuple[int, int]:
        """Return the smallest span of whole rows that contains this one, in units. It begins after
        the oldest rows, which have no time."""
        begin, end = max(begin, self._seconds_from), max(end, self._seconds_from)
        if begin < self._fine_from:
            begin = begin // _SECOND * _SECOND
        if end < self._fine_from:
            end = -(-end // _SECOND) * _SECOND
        return begin, end

    def clear(self) -> None:
        """Drop all rows; the clock does not change."""
        self._fine, self._seconds, self._ancient = [], [], []

    def _fold_fine(self, before: int) -> None:
        """Move fine rows older than ``before``, rounded down to a second, to rows of seconds; and
        old rows of seconds to rows without a time."""
        before = before // _SECOND * _SECOND
        old, young = split_tables(self._fine, [table.time < before for table in self._fine])
        self._fine = young
        self._fine_from = max(self._fine_from, before)
        if old:
            append_table(self._seconds, pack_table(fold(join(old), _SECOND)), _join_packed)
        limit = self.latest - _SECONDS_UNITS
        if sum(len(table) for table in self._seconds) > _MAX_SECONDS_ROWS:
            times = np.concatenate([table.time for table in self._seconds])
            limit = max(limit, int(np.median(times)) + 1)
        is_old = [table.time < limit for table in self._seconds]
        ancient, self._seconds = split_tables(self._seconds, is_old)
        if ancient:
            self._seconds_from = max(self._seconds_from, -(-limit // _SECOND) * _SECOND)
            self._ancient.append(fold(join(Tables(ancient)), None))
            self._merge_ancient()

    def _merge_ancient(self) -> None:
        """Merge tables of similar size, so that each row is sorted only a few times."""
        while len(self._ancient) > 1 and len(self._ancient[-1]) * 2 >= len(self._ancient[-2]):
            last = self._ancient.pop()
            self._ancient[-1] = fold(join((self._ancient[-1], last)), None)
