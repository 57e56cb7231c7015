"""Stretches of a live session: the stacks of each thread over time, as far as times are known.

A row of samples says how much time a thread spent in one stack within 10 ms, or within a second if
the row is older. When in this moment the time was spent is not known, so the rows of a moment are
placed one after another (``placed_stretches``). The oldest rows have no time and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.chart.stretches import Lane, Precision, Stretches
from stackglass_viewer.model.columns.index import Bools, Int32s, TypeId
from stackglass_viewer.model.live.placed_stretches import (
    MomentRows,
    PlacedStretches,
    join_moments,
    make_moments,
)
from stackglass_viewer.model.live.samples import UNIT_NS, Ages, SampleRows
from stackglass_viewer.model.live.view import WALL, LiveMoment, transform_nodes
from stackglass_viewer.model.profile.label_table import Label, LabelFilter, match_labels
from stackglass_viewer.model.profile.transforms import Transform

_SECOND = 100  # units
_GAP_NS = 12_000_000  # a call goes on over shorter pauses: one moment of 10 ms without a sample


@dataclass(frozen=True, slots=True, eq=False)
class TimedMoment:
    """A session up to one moment, with the borders between the ages of its samples."""

    moment: LiveMoment
    cpu_ages: Ages
    wall_ages: Ages


@dataclass(frozen=True, slots=True)
class TimeQuery:
    """The part of a session that a chart over time shows."""

    sample_type: TypeId
    tids: frozenset[int] | None = None  # None = every thread
    labels: frozenset[LabelFilter] = frozenset()
    transforms: tuple[Transform, ...] = ()
    kinds: tuple[Label, ...] = ()  # labels that say what a thread did


def list_live_stretches(timed: TimedMoment, query: TimeQuery) -> Stretches:
    """Return the stretches of running threads, and for wall samples of waiting threads too. Any
    thread. Raises PatternError."""
    moment = timed.moment
    tree, node_of_wire, _ = transform_nodes(moment, query.transforms)
    index = moment.index_sets(query.sample_type)
    kind_of_set = np.full(max(index.n_bearers, 1), -1, dtype=np.int32)
    for number, label in enumerate(query.kinds):
        if label in index.labels:
            is_label = index.label == index.labels.index(label)
            kind_of_set[index.bearer[is_label]] = number
    has_labels = match_labels(index, query.labels)
    span = (moment.begin, moment.end)
    wanted = _RowFilter(span, query.tids, node_of_wire, has_labels, kind_of_set)
    placed = PlacedStretches()
    is_wall = query.sample_type == WALL
    for chunk in _list_chunks(timed, is_wall, wanted):
        placed.add(chunk)
    return placed.build(
        tree,
        lambda tid: _name_lane(moment, tid),
        (moment.begin * UNIT_NS, moment.end * UNIT_NS),
        _GAP_NS,
        _find_precision(timed, is_wall),
    )


def _find_precision(timed: TimedMoment, is_wall: bool) -> Precision:
    ages = (timed.cpu_ages, timed.wall_ages) if is_wall else (timed.cpu_ages,)
    return Precision(
        timed_from_ns=max(each.seconds_from for each in ages) * UNIT_NS,
        exact_from_ns=max(each.fine_from for each in ages) * UNIT_NS,
    )


def _list_chunks(timed: TimedMoment, is_wall: bool, wanted: _RowFilter) -> Iterator[MomentRows]:
    """Yield the session's rows in parts, by time; all rows of one moment are in one part. All rows
    together would take ten times as much memory as the stretches made of them."""
    tables = timed.moment.tables
    if is_wall:
        if not timed.moment.has_wall:
            return
        waiting = wanted.choose(timed.moment.list_waiting(), timed.wall_ages)
        yield join_moments([*(wanted.choose(rows, timed.cpu_ages) for rows in tables), waiting])
        return
    held: list[MomentRows] = []
    for rows in tables.list_by_time():
        chosen = wanted.choose(rows, timed.cpu_ages)
        if not len(chosen.end):
            continue
        if held and int(chosen.end.min()) > max(int(each.end.max()) for each in held):
            yield join_moments(held)
            held = []
        held.append(chosen)
    if held:
        yield join_moments(held)


def _name_lane(moment: LiveMoment, tid: int) -> Lane:
    name = moment.thread_names.get(tid, "")
    return Lane(name or (f"thread {tid}" if tid else "unknown thread"), tid)


@dataclass(frozen=True, slots=True, eq=False)
class _RowFilter:
    """Filters for rows of samples, and the maps that give each row its node and kind."""

    span: tuple[int, int]  # units; without its end
    tids: frozenset[int] | None  # None = every thread
    node_of_wire: Int32s  # (n_wire_nodes,) node of the tree; -1 = left out
    has_labels: Bools  # (n_sets,) whether a label set passes the filters
    kind_of_set: Int32s  # (n_sets,) index in ``TimeQuery.kinds``; -1 = none of them

    def choose(self, rows: SampleRows, ages: Ages) -> MomentRows:
        """Return the rows of a table that pass the filters and have a time."""
        width = np.where(rows.time < ages.fine_from, _SECOND, 1).astype(np.int32)
        end = rows.time + width
        is_meant = (rows.time >= max(ages.seconds_from, 0)) & (end > self.span[0])
        is_meant &= (
            (rows.time < self.span[1]) & (rows.cpu_ns > 0) & (self.node_of_wire[rows.node] >= 0)
        )
        if self.tids is not None:
            is_meant &= np.isin(rows.tid, np.array(sorted(self.tids), dtype=np.int32))
        sets = rows.list_sets(len(self.has_labels))
        is_meant &= self.has_labels[sets]
        return make_moments(
            rows.tid[is_meant],
            self.node_of_wire[rows.node[is_meant]],
            self.kind_of_set[sets[is_meant]],
            end[is_meant],
            width[is_meant],
            rows.cpu_ns[is_meant],
        )
