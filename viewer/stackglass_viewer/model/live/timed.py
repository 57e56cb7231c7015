"""Stretches of a live session: which stack each thread had when, as far as that is known.

A row of a session says that a thread used so much time in one stack within 10 ms, or, of some
minutes ago, within a second. Rows of one such moment stand one after another, up to its end. Where
in the moment they were is not known; nor are the times of the oldest rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.chart.stretches import (
    Lane,
    Stretches,
    StretchRows,
    arrange_stretches,
)
from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, TypeId
from stackglass_viewer.model.live.samples import UNIT_NS, Ages, SampleRows, join, make_rows
from stackglass_viewer.model.live.view import WALL, Moment, transform_nodes
from stackglass_viewer.model.profile.label_table import Label, LabelFilter, find_valued
from stackglass_viewer.model.profile.transforms import Transform

_SECOND = 100  # units
_GAP_NS = 12_000_000  # between two moments of 10 ms


@dataclass(frozen=True, slots=True, eq=False)
class TimedMoment:
    """A whole session at one moment, and how fine its times are."""

    moment: Moment
    cpu_ages: Ages
    wall_ages: Ages


@dataclass(frozen=True, slots=True)
class TimeQuery:
    """What is to be seen of it."""

    sample_type: TypeId
    tids: frozenset[int] | None = None  # None = every thread
    labels: frozenset[LabelFilter] = frozenset()
    transforms: tuple[Transform, ...] = ()
    kinds: tuple[Label, ...] = ()  # labels that say what a thread did


def list_live_stretches(timed: TimedMoment, query: TimeQuery) -> Stretches:
    """Running threads; of the wall clock those that wait, too. Any thread. Raises PatternError."""
    moment = timed.moment
    tree, node_of_wire, _ = transform_nodes(moment, query.transforms)
    index = moment.index_sets(query.sample_type)
    meant = _Meant(moment.begin, query.tids, node_of_wire, find_valued(index, query.labels))
    parts = [meant.choose(rows, timed.cpu_ages) for rows in moment.tables]
    if query.sample_type == WALL:
        parts.append(meant.choose(moment.list_waiting(), timed.wall_ages))
    rows = join([part[0] for part in parts] or [_NONE])
    width = np.concatenate([part[1] for part in parts] or [np.empty(0, dtype=np.int64)])
    del parts  # as large as what they were joined into
    kind_of_set = np.full(max(index.n_bearers, 1), -1, dtype=np.int32)
    for place, label in enumerate(query.kinds):
        if label in index.labels:
            is_label = index.label == index.labels.index(label)
            kind_of_set[index.bearer[is_label]] = place
    sets = rows.list_sets(len(kind_of_set))
    tids, lane = np.unique(rows.tid, return_inverse=True)
    begin, end, order = place_rows(lane.astype(np.int32), rows, width)
    made = StretchRows(
        lane=lane.astype(np.int32)[order],
        node=node_of_wire[rows.node][order],
        begin_ns=begin,
        end_ns=end,
        kind=kind_of_set[sets][order],
    )
    lanes = [_name_lane(moment, tid) for tid in tids.tolist()]
    span = (moment.begin * UNIT_NS, moment.end * UNIT_NS)
    return arrange_stretches(tree, made, lanes, span, _GAP_NS)


_NONE = make_rows(*[()] * 6)


def _name_lane(moment: Moment, tid: int) -> Lane:
    name = moment.thread_names.get(tid, "")
    return Lane(name or (f"thread {tid}" if tid else "unknown thread"), tid)


@dataclass(frozen=True, slots=True, eq=False)
class _Meant:
    """Which rows are shown. They are chosen table by table: all together are copied once."""

    since: int  # units
    tids: frozenset[int] | None  # None = every thread
    node_of_wire: Int32s  # -1 = left out
    is_valued: Bools  # (n_sets,) label sets that pass

    def choose(self, rows: SampleRows, ages: Ages) -> tuple[SampleRows, Int64s]:
        """Those of a table with a time, and how many units each may lie in."""
        width = np.where(rows.time < ages.fine_from, _SECOND, 1).astype(np.int64)
        is_meant = (rows.time >= max(ages.seconds_from, 0)) & (rows.time + width > self.since)
        is_meant &= (rows.cpu_ns > 0) & (self.node_of_wire[rows.node] >= 0)
        if self.tids is not None:
            is_meant &= np.isin(rows.tid, np.array(sorted(self.tids), dtype=np.int32))
        is_meant &= self.is_valued[rows.list_sets(len(self.is_valued))]
        return (rows, width) if is_meant.all() else (rows.choose(is_meant), width[is_meant])


def place_rows(lane: Int32s, rows: SampleRows, width: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Begin and end of rows in ns, and the order in which they are given: rows of one moment one
    after another up to its end, no further back than the moment before."""
    moment_end = (rows.time.astype(np.int64) + width) * UNIT_NS
    order = np.lexsort((np.arange(len(rows)), moment_end, lane))
    lanes, ends, length = lane[order], moment_end[order], rows.cpu_ns[order]
    if not len(order):
        return length, length, order
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = (lanes[1:] != lanes[:-1]) | (ends[1:] != ends[:-1])
    starts = np.flatnonzero(is_first)
    group = np.cumsum(is_first) - 1
    total = np.add.reduceat(length, starts)
    group_end = ends[starts]
    before = np.concatenate(([np.iinfo(np.int64).min], group_end[:-1]))
    before[np.concatenate(([True], lanes[starts][1:] != lanes[starts][:-1]))] = 0
    group_begin = np.maximum(before, group_end - total)
    scale = (group_end - group_begin) / np.maximum(total, 1)
    inside = np.cumsum(length) - np.repeat(
        np.cumsum(total) - total, np.diff(np.append(starts, len(order)))
    )
    end = group_begin[group] + np.rint(inside * scale[group]).astype(np.int64)
    begin = end - np.rint(length * scale[group]).astype(np.int64)
    return np.maximum(begin, group_begin[group]), end, order.astype(np.int64)
