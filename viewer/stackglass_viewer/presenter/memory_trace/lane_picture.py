"""Picture of thread lanes: which slice covers each pixel of the visible time, in each lane.

A lane has the slices of one thread and one category, such as its waits for locks. Slices that
overlap another slice of their category are in a lane below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.memory_trace.slices import (
    AWAIT,
    CALL,
    COLLECTION,
    GIL,
    LOCK,
    LOG,
    REGION,
    STALL,
    STATE,
    TASK,
    TASKS,
    Slice,
)
from stackglass_viewer.model.units import format_count

_ORDER = (STATE, GIL, LOCK, CALL, STALL, TASKS, AWAIT, COLLECTION, TASK, REGION, LOG)
"""The order of a thread's lanes, by category."""
_CAPTIONS = {STATE: "states", GIL: "GIL", TASKS: "suspended"}
"""Captions by category; other categories have their name and an s."""
_OF_NO_THREAD = (COLLECTION, TASK)  # lanes without the thread's name
_MOST_LANES = 200
_MOST_NAMES = 24  # names in a lane, those of the widest slices


class LaneHead(NamedTuple):
    """The thread, category and depth of a lane."""

    tid: int  # 0 = the lane is of no thread
    category: str  # one of ``_ORDER``
    depth: int


@dataclass(frozen=True, slots=True, eq=False)
class TraceLane:
    """Slices that do not overlap, by time. Immutable."""

    head: LaneHead
    begin_ns: Int64s  # (n,)
    end_ns: Int64s  # (n,)
    name: Int32s  # (n,) position in ``LaneTable.names``


@dataclass(frozen=True, slots=True, eq=False)
class LaneTable:
    """The lanes of a trace, with those of a thread next to each other. Immutable."""

    lanes: tuple[TraceLane, ...]
    names: tuple[str, ...]
    categories: tuple[str, ...]  # category of each name
    n_left_out: int  # number of lanes that are not shown

    def __len__(self) -> int:
        return len(self.lanes)


class LaneName(NamedTuple):
    """A slice that is wide enough to show its name."""

    left_px: int
    width_px: int
    name: int  # position in ``LaneTable.names``


@dataclass(frozen=True, slots=True, eq=False)
class TraceLanePicture:
    """The pixels of lanes for a span of time. Immutable."""

    begin_ns: int
    end_ns: int
    name: Int32s  # (lanes, width_px) position in ``LaneTable.names``; -1 = nothing
    names: tuple[tuple[LaneName, ...], ...]  # for each lane, from left to right


def lay_out_lanes(slices: list[Slice]) -> LaneTable:
    """Put slices into lanes. Slices are ordered by begin; of equal begins the longest is first."""
    names: dict[tuple[str, str], int] = {}
    open_until: dict[tuple[int, str], list[int]] = {}  # by thread, category: end at each depth
    rows: dict[LaneHead, list[tuple[int, int, int]]] = {}
    for each in slices:
        ends = open_until.setdefault((each.tid, each.category), [])
        depth = 0
        while depth < len(ends) and ends[depth] > each.begin_ns:
            depth += 1
        ends[depth : depth + 1] = [each.end_ns]
        name = names.setdefault((each.category, each.name), len(names))
        head = LaneHead(each.tid, each.category, depth)
        rows.setdefault(head, []).append((each.begin_ns, each.end_ns, name))
    heads = sorted(rows, key=lambda head: (head.tid, _ORDER.index(head.category), head.depth))
    lanes = tuple(_make_lane(head, rows[head]) for head in heads[:_MOST_LANES])
    n_left_out = max(len(heads) - _MOST_LANES, 0)
    categories, texts = tuple(each for each, _ in names), tuple(text for _, text in names)
    return LaneTable(lanes, texts, categories, n_left_out)


def _make_lane(head: LaneHead, rows: list[tuple[int, int, int]]) -> TraceLane:
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    begin, end = (np.ascontiguousarray(table[:, column]) for column in (0, 1))
    name = table[:, 2].astype(np.int32)
    freeze(begin, end, name)
    return TraceLane(head, begin, end, name)


def draw_lanes(
    table: LaneTable, span_ns: tuple[int, int], width_px: int, least_name_px: int
) -> TraceLanePicture:
    """Draw lanes. Each slice has at least one pixel; below ``least_name_px`` it has no name."""
    begin_ns, end_ns = span_ns
    scale = width_px / max(end_ns - begin_ns, 1)
    pixels = np.full((len(table), width_px), -1, dtype=np.int32)
    names: list[tuple[LaneName, ...]] = []
    for row, lane in enumerate(table.lanes):
        first = int(np.searchsorted(lane.end_ns, begin_ns, side="left"))
        last = int(np.searchsorted(lane.begin_ns, end_ns, side="left"))
        left = np.floor((lane.begin_ns[first:last] - begin_ns) * scale).astype(np.int64)
        right = np.ceil((lane.end_ns[first:last] - begin_ns) * scale).astype(np.int64)
        left, right = np.clip(left, 0, width_px - 1), np.clip(right, 1, width_px)
        right = np.maximum(right, left + 1)
        pixels[row, left] = lane.name[first:last]
        wide = np.flatnonzero(right > left + 1)
        for at in wide.tolist():
            pixels[row, left[at] : right[at]] = lane.name[first + at]
        widest = wide[np.argsort(left[wide] - right[wide], kind="stable")][:_MOST_NAMES]
        names.append(
            tuple(
                LaneName(int(left[at]), int(right[at] - left[at]), int(lane.name[first + at]))
                for at in sorted(widest.tolist())
                if right[at] - left[at] >= least_name_px
            )
        )
    freeze(pixels)
    return TraceLanePicture(begin_ns, end_ns, pixels, tuple(names))


def caption_lane(table: LaneTable, row: int, thread: str) -> str:
    """Return the text beside a lane: a thread's name at its first lane, else the category; "" for
    lanes of overlapping slices."""
    head = table.lanes[row].head
    if head.depth:
        return ""
    is_first = not row or table.lanes[row - 1].head.tid != head.tid
    if is_first and head.tid and head.category not in _OF_NO_THREAD:
        return thread
    return _CAPTIONS.get(head.category, f"{head.category}s")


def describe_left_out(table: LaneTable) -> str:
    """Return how many lanes are not shown, in words; "" = all are."""
    n = table.n_left_out
    if not n:
        return ""
    return f"{format_count(n)} more lane{' is' if n == 1 else 's are'} not shown"


def find_slice(table: LaneTable, lane: int, time_ns: int, reach_ns: int) -> Slice | None:
    """Return the slice at a time, or the last one that begins or ends within ``reach_ns`` of it;
    None = there is none."""
    if not 0 <= lane < len(table):
        return None
    row = table.lanes[lane]
    at = int(np.searchsorted(row.begin_ns, time_ns + reach_ns, side="right")) - 1
    if at < 0 or row.end_ns[at] < time_ns - reach_ns:
        return None
    head = row.head
    ends = int(row.begin_ns[at]), int(row.end_ns[at])
    return Slice(head.tid, *ends, head.category, table.names[int(row.name[at])])
