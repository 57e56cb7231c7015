"""Picture of thread lanes: which slice covers each pixel of the visible time, lane by lane.

A lane is what one thread did of one kind; what lies in something else of its kind is a lane below.
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

_ORDER = (STATE, GIL, LOCK, CALL, STALL, TASKS, AWAIT, COLLECTION, TASK, REGION, LOG)
"""Of the lanes of a thread."""
_CAPTIONS = {STATE: "states", GIL: "GIL", TASKS: "suspended"}
"""Beside lanes that are not called by their category and an s."""
_OF_NO_THREAD = (COLLECTION, TASK)
_MOST_LANES = 200
_MOST_NAMES = 24  # slices of a lane with room for their names


class LaneHead(NamedTuple):
    """What stands beside a lane."""

    tid: int  # 0 = no thread's
    category: str  # one of ``_ORDER``
    depth: int


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """Slices that do not overlap, by time. Immutable."""

    head: LaneHead
    begin_ns: Int64s  # (n,)
    end_ns: Int64s  # (n,)
    name: Int32s  # (n,) position in ``LaneTable.names``


@dataclass(frozen=True, slots=True, eq=False)
class LaneTable:
    """Lanes of a trace, those of one thread together. Immutable."""

    lanes: tuple[Lane, ...]
    names: tuple[str, ...]
    categories: tuple[str, ...]  # of the names
    n_left_out: int  # lanes

    def __len__(self) -> int:
        return len(self.lanes)


class LaneName(NamedTuple):
    """A slice that is wide enough for its name."""

    left_px: int
    width_px: int
    name: int


@dataclass(frozen=True, slots=True, eq=False)
class LanePicture:
    """What is to be painted for a span of time. Immutable."""

    begin_ns: int
    end_ns: int
    name: Int32s  # (lanes, width) position in ``LaneTable.names``; -1 = nothing
    names: tuple[tuple[LaneName, ...], ...]  # of each lane


def lay_out_lanes(slices: list[Slice]) -> LaneTable:
    """Lanes out of slices by begin; of those that begin together, the longest is first."""
    names: dict[tuple[str, str], int] = {}
    open_until: dict[tuple[int, str], list[int]] = {}  # by thread and kind, the end at each depth
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


def _make_lane(head: LaneHead, rows: list[tuple[int, int, int]]) -> Lane:
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    begin, end = (np.ascontiguousarray(table[:, column]) for column in (0, 1))
    name = table[:, 2].astype(np.int32)
    freeze(begin, end, name)
    return Lane(head, begin, end, name)


def draw_lanes(
    table: LaneTable, span_ns: tuple[int, int], width_px: int, least_name_px: int
) -> LanePicture:
    """Every slice has at least its pixel; ``least_name_px``: a narrower one has no name."""
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
    return LanePicture(begin_ns, end_ns, pixels, tuple(names))


def caption_lane(table: LaneTable, row: int, thread: str) -> str:
    """What stands beside a lane: the thread at its first one, what it did at the others."""
    head = table.lanes[row].head
    if head.depth:
        return ""
    is_first = not row or table.lanes[row - 1].head.tid != head.tid
    if is_first and head.tid and head.category not in _OF_NO_THREAD:
        return thread
    return _CAPTIONS.get(head.category, f"{head.category}s")


def find_slice(table: LaneTable, lane: int, time_ns: int, reach_ns: int) -> Slice | None:
    """The slice at a time, or the nearest within reach."""
    if not 0 <= lane < len(table):
        return None
    row = table.lanes[lane]
    at = int(np.searchsorted(row.begin_ns, time_ns + reach_ns, side="right")) - 1
    if at < 0 or row.end_ns[at] < time_ns - reach_ns:
        return None
    head = row.head
    ends = int(row.begin_ns[at]), int(row.end_ns[at])
    return Slice(head.tid, *ends, head.category, table.names[int(row.name[at])])
