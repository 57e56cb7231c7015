"""Stretches: spans of time, each with the stack that a thread had in it, in lanes by thread.

::

    lane 0  MainThread  ┌main;load┐┌─main;work─┐       ┌main┐
    lane 1  worker            ┌run;wait┐
                        ──────────────────────────────────────▶ ns
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int32s, Int64s, UInt32s, freeze
from stackglass_viewer.model.graph.call_tree import CallTree

_PAUSE = 1.5  # a sample lasts at most this many usual distances of samples; a pause follows
_UNKNOWN_NS = 1_000_000  # the length of samples if no thread has two of them

Lengths = UInt32s | Int64s
Kinds = npt.NDArray[np.int8] | Int32s


class Lane(NamedTuple):
    """A thread."""

    name: str
    tid: int = 0  # thread ID in a capture; 0 in a file
    process: str = ""  # name of its process; "" = there is only one
    key: str = ""  # key of the label that names the thread; "" = no label does


class Precision(NamedTuple):
    """How exactly the times of a capture's rows are known: the older, the less."""

    timed_from_ns: int = 0
    """Earlier samples have no times, so that they are in no row."""
    exact_from_ns: int = 0
    """Of earlier rows, only the second is known; where they are placed in it means nothing."""


EXACT = Precision()
"""The precision of a file: its times are as exact as the file has them."""


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Rows lane by lane, ordered by time within a lane; rows of a lane do not overlap. Immutable.

    A session of hours has a million rows, so columns are as narrow as their values allow.
    """

    tree: CallTree
    lanes: tuple[Lane, ...]  # by the sum of their lengths, the largest first
    lane_start: Int64s  # (n_lanes + 1,) rows of each lane
    node: Int32s  # (n,) node of the tree: the stack
    begin_ns: Int64s  # (n,)
    length_ns: Lengths  # (n,) above 0; see ``narrow_lengths``
    kind: Kinds  # (n,) what the thread did: index of a value of the legend; -1 = none of them
    first_ns: int  # begin of the time axis
    last_ns: int  # end of the time axis
    gap_ns: int = 0  # a call goes on over pauses of at most this length
    precision: Precision = EXACT

    @property
    def n_lanes(self) -> int:
        return len(self.lanes)

    @property
    def end_ns(self) -> Int64s:
        """(n,) the end of each row, ns; computed at each access."""
        return self.find_ends(slice(None))

    def find_ends(self, rows: slice) -> Int64s:
        """Return the ends of some rows, ns."""
        ends: Int64s = self.begin_ns[rows] + self.length_ns[rows]
        return ends

    def slice_lane(self, lane: int) -> slice:
        """Return the rows of a lane."""
        return slice(int(self.lane_start[lane]), int(self.lane_start[lane + 1]))


@dataclass(frozen=True, slots=True, eq=False)
class StretchRows:
    """Rows in any order, as a file or a capture has them."""

    lane: Int32s  # (n,) index of the row's ``Lane``
    node: Int32s  # (n,)
    begin_ns: Int64s  # (n,)
    end_ns: Int64s  # (n,) equal to ``begin_ns`` for a sample, which has no length
    kind: Int32s  # (n,)


def arrange_stretches(
    tree: CallTree, rows: StretchRows, lanes: Sequence[Lane], span_ns: tuple[int, int], gap_ns: int
) -> Stretches:
    """Return the rows ordered by lane and time, each cut where the next one of its lane begins.

    A sample lasts until the next row of its lane, but at most ``_PAUSE`` times the median distance
    of samples. Lanes without time are left out. Any thread.
    """
    order = np.lexsort((rows.end_ns, rows.begin_ns, rows.lane))
    lane, begin = rows.lane[order], rows.begin_ns[order]
    end = _find_ends(lane, begin, rows.end_ns[order])
    sums = np.zeros(len(lanes), dtype=np.int64)
    np.add.at(sums, lane, end - begin)
    by_size = np.lexsort((np.arange(len(lanes)), -sums))
    by_size = by_size[sums[by_size] > 0]
    place = np.zeros(len(lanes), dtype=np.int64)
    place[by_size] = np.arange(len(by_size))
    is_there = end > begin
    moved = np.flatnonzero(is_there)[np.argsort(place[lane[is_there]], kind="stable")]
    counts = np.bincount(place[lane[moved]], minlength=len(by_size))
    made = Stretches(
        tree=tree,
        lanes=tuple(lanes[at] for at in by_size.tolist()),
        lane_start=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        node=np.ascontiguousarray(rows.node[order][moved]),
        begin_ns=begin[moved],
        length_ns=narrow_lengths((end - begin)[moved]),
        kind=narrow_kinds(rows.kind[order][moved]),
        first_ns=span_ns[0],
        last_ns=max(span_ns[1], int(end.max()) if len(end) else span_ns[1]),
        gap_ns=gap_ns,
    )
    freeze(made.lane_start, made.node, made.begin_ns, made.length_ns, made.kind)
    return made


def narrow_lengths(length_ns: Int64s) -> Lengths:
    """Return the lengths as uint32 if all are shorter than 2^32 ns (4.3 s), else as they are."""
    is_short = int(length_ns.max(initial=0)) <= np.iinfo(np.uint32).max
    return length_ns.astype(np.uint32) if is_short else length_ns


def narrow_kinds(kind: Int32s) -> Kinds:
    """Return the kinds as int8 if all fit, else as they are."""
    is_small = int(kind.max(initial=0)) <= np.iinfo(np.int8).max
    return kind.astype(np.int8) if is_small else kind


def _find_ends(lane: Int32s, begin: Int64s, end: Int64s) -> Int64s:
    """Return the ends of rows that are ordered by lane and time; see ``arrange_stretches``."""
    next_begin = np.full(len(begin), np.iinfo(np.int64).max)
    is_followed = lane[1:] == lane[:-1]
    next_begin[:-1][is_followed] = begin[1:][is_followed]
    is_sample = end == begin
    if is_sample.any():
        distance = next_begin - begin
        known = distance[is_sample & (next_begin < np.iinfo(np.int64).max) & (distance > 0)]
        usual = int(np.median(known)) if len(known) else _UNKNOWN_NS
        end = np.where(is_sample, begin + round(usual * _PAUSE), end)
        is_last = is_sample & (next_begin == np.iinfo(np.int64).max)
        end[is_last] = begin[is_last] + usual
    ends: Int64s = np.minimum(end, next_begin)
    return ends


def cut_lane(
    stretches: Stretches, lane: int, begin_ns: int, end_ns: int
) -> tuple[Int32s, Int64s, Int64s]:
    """Return node, begin and end of a lane's rows between two moments, cut at these moments."""
    rows = stretches.slice_lane(lane)
    begins, ends = stretches.begin_ns[rows], stretches.find_ends(rows)
    first = int(np.searchsorted(ends, begin_ns, side="right"))
    last = int(np.searchsorted(begins, end_ns, side="left"))
    last = max(first, last)
    return (
        stretches.node[rows][first:last],
        np.maximum(begins[first:last], begin_ns),
        np.minimum(ends[first:last], end_ns),
    )
