"""Placed stretches: computes begins and ends for the rows of a session, part by part.

::

    MomentRows ── place ──▶ _Part, by thread and time ──┐
    MomentRows ── place ──▶ _Part, by thread and time ──┴─ build ─▶ Stretches of the whole session

A moment is a unit of 10 ms or a second, in which a thread may have been in several stacks. When in
the moment the thread was in each stack is unknown, so the stacks are placed one after another, up
to the end of the moment. In a second, equal pauses separate the stacks; without pauses the thread
would seem to have worked at the end of the second only. ``Precision`` says up to when this is so::

    unit      │      load│      a second  │   load     work     wait│
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stackglass_viewer.model.chart.stretches import (
    EXACT,
    Kinds,
    Lane,
    Lengths,
    Precision,
    Stretches,
    narrow_kinds,
    narrow_lengths,
)
from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.live.samples import UNIT_NS


@dataclass(frozen=True, slots=True, eq=False)
class MomentRows:
    """How long a thread was in a stack during one moment: one row each."""

    tid: Int32s  # (n,)
    node: Int32s  # (n,) node of the tree
    kind: Int32s  # (n,) as in ``Stretches``
    end: Int32s  # (n,) end of the moment, units of 10 ms
    width: Int32s  # (n,) length of the moment, units of 10 ms
    length_ns: Int64s  # (n,) greater than 0


def join_moments(parts: Sequence[MomentRows]) -> MomentRows:
    """Concatenate parts; there must be at least one."""
    if len(parts) == 1:
        return parts[0]
    return make_moments(
        np.concatenate([part.tid for part in parts]),
        np.concatenate([part.node for part in parts]),
        np.concatenate([part.kind for part in parts]),
        np.concatenate([part.end for part in parts]),
        np.concatenate([part.width for part in parts]),
        np.concatenate([part.length_ns for part in parts]),
    )


def make_moments(*columns: Any) -> MomentRows:
    """Return rows of these columns, in the order of MomentRows. They become read-only."""
    freeze(*columns)
    return MomentRows(*columns)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Placed rows, ordered by thread and then by time."""

    tids: Int32s  # (n_threads,) ascending
    start: Int64s  # (n_threads + 1,) first row of each thread
    node: Int32s
    kind: Kinds
    begin_ns: Int64s
    length_ns: Lengths


class PlacedStretches:
    """Collects the parts of a session, the earliest first. Not thread-safe."""

    def __init__(self) -> None:
        self._parts: list[_Part] = []
        self._ended_ns: dict[int, int] = {}  # by thread: the end of its last moment

    def add(self, rows: MomentRows) -> None:
        """Add rows in any order. All moments must be later than those of earlier calls."""
        if not len(rows.tid):
            return
        tids, inverse = np.unique(rows.tid, return_inverse=True)
        lane: Int32s = inverse.astype(np.int32)
        before = np.array([self._ended_ns.get(tid, 0) for tid in tids.tolist()], dtype=np.int64)
        begin, end, order = place_rows(lane, rows, before)
        last = np.searchsorted(lane[order], np.arange(len(tids)), side="right") - 1
        ended = rows.end[order][last].astype(np.int64) * UNIT_NS
        self._ended_ns.update(zip(tids.tolist(), ended.tolist(), strict=True))
        is_there = end > begin
        kept = order[is_there]
        start = np.searchsorted(lane[kept], np.arange(len(tids) + 1)).astype(np.int64)
        begin, length = begin[is_there], narrow_lengths((end - begin)[is_there])
        kind = narrow_kinds(rows.kind[kept])
        self._parts.append(_Part(tids, start, rows.node[kept], kind, begin, length))

    def build(
        self,
        tree: CallTree,
        name_lane: Callable[[int], Lane],
        span_ns: tuple[int, int],
        gap_ns: int,
        precision: Precision = EXACT,
    ) -> Stretches:
        """Return all rows as stretches. Call it once: each part is freed after it is copied."""
        tids = np.unique(np.concatenate([np.zeros(0, np.int32), *(p.tids for p in self._parts)]))
        count, sums = np.zeros(len(tids), dtype=np.int64), np.zeros(len(tids), dtype=np.int64)
        last_ns = span_ns[1]
        for part in self._parts:
            at, n_rows = np.searchsorted(tids, part.tids), np.diff(part.start)
            count[at] += n_rows
            ends = np.cumsum(part.length_ns, dtype=np.int64)
            sums[at] += np.diff(np.concatenate((np.zeros(1, np.int64), ends))[part.start])
            last_ns = max(last_ns, int((part.begin_ns + part.length_ns).max(initial=0)))
        by_size = np.lexsort((np.arange(len(tids)), -sums))
        by_size = by_size[sums[by_size] > 0]
        lane_start = np.concatenate((np.zeros(1, np.int64), np.cumsum(count[by_size])))
        free = np.zeros(len(tids), dtype=np.int64)  # where the next row of each thread goes
        free[by_size] = lane_start[:-1]
        n_all = int(lane_start[-1])
        node, begin = np.empty(n_all, dtype=np.int32), np.empty(n_all, dtype=np.int64)
        kind = np.empty(n_all, dtype=_find_type([part.kind for part in self._parts]))
        length = np.empty(n_all, dtype=_find_type([part.length_ns for part in self._parts]))
        self._parts.reverse()
        while self._parts:
            part = self._parts.pop()
            at, n_of_each = np.searchsorted(tids, part.tids), np.diff(part.start)
            row = np.repeat(free[at] - part.start[:-1], n_of_each) + np.arange(len(part.node))
            free[at] += n_of_each
            node[row], kind[row] = part.node, part.kind
            begin[row], length[row] = part.begin_ns, part.length_ns
        freeze(lane_start, node, begin, length, kind)
        return Stretches(
            tree=tree,
            lanes=tuple(name_lane(tid) for tid in tids[by_size].tolist()),
            lane_start=lane_start,
            node=node,
            begin_ns=begin,
            length_ns=length,
            kind=kind,
            first_ns=span_ns[0],
            last_ns=last_ns,
            gap_ns=gap_ns,
            precision=precision,
        )


def _find_type(columns: Sequence[Kinds | Lengths]) -> np.dtype[Any]:
    """Return the dtype that holds the values of all columns."""
    return np.result_type(*columns) if columns else np.dtype(np.int32)


def place_rows(lane: Int32s, rows: MomentRows, before_ns: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Place the rows of each moment one after another, so that the last one ends with the moment.
    Returns begins and ends in ns, and the order of the rows in both: (n,) each.

    Rows do not begin before the end of the lane's previous moment; if there is too little room, all
    rows of the moment are shortened. The remaining room of a moment of several units is divided
    into equal pauses, one before each row.

    ``lane``: (n,) the lane of each row. ``before_ns``: (n_lanes,) the end of each lane's last
    moment before these rows.
    """
    order = np.lexsort((rows.end, lane))
    if not len(order):
        return rows.length_ns, rows.length_ns, order
    lanes, ends, length = lane[order], rows.end[order], rows.length_ns[order]
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = (lanes[1:] != lanes[:-1]) | (ends[1:] != ends[:-1])
    starts = np.flatnonzero(is_first)
    n_of_each = np.diff(starts, append=len(order))
    total = np.add.reduceat(length, starts)
    group_end = ends[starts].astype(np.int64) * UNIT_NS
    before = np.concatenate((np.zeros(1, np.int64), group_end[:-1]))
    is_new = np.concatenate(([True], lanes[starts][1:] != lanes[starts][:-1]))
    before[is_new] = before_ns[lanes[starts][is_new]]
    group_begin = np.maximum(before, group_end - total)
    width = rows.width[order][starts].astype(np.int64)
    room = group_begin - np.maximum(before, group_end - width * UNIT_NS)
    pause = np.where(width > 1, np.maximum(room, 0) // n_of_each, 0)
    scale = np.repeat((group_end - group_begin) / np.maximum(total, 1), n_of_each)
    first = np.repeat(group_begin - pause * n_of_each, n_of_each)
    number = np.arange(1, len(order) + 1) - np.repeat(starts, n_of_each)  # in its moment, from 1
    inside = np.cumsum(length) - np.repeat(np.cumsum(total) - total, n_of_each)
    stops = first + np.rint(inside * scale).astype(np.int64)
    stops += np.repeat(pause, n_of_each) * number
    begins = np.maximum(stops - np.rint(length * scale).astype(np.int64), first)
    is_same = lanes[1:] == lanes[:-1]
    np.maximum(begins[1:], stops[:-1], out=begins[1:], where=is_same)  # rounding may overlap
    return begins, stops, order.astype(np.int64)
