"""Texts for the position of the pointer in a heap map or its curve."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.memory_trace.heap_map import HeapMap
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.memory_trace.trace_profiles import show_time
from stackglass_viewer.model.units import format_share, format_value
from stackglass_viewer.presenter.memory_trace.block_choice import MapCell
from stackglass_viewer.presenter.memory_trace.curve import Curve
from stackglass_viewer.presenter.memory_trace.map_groups import make_namer
from stackglass_viewer.presenter.memory_trace.map_picture import MapPicture


def find_cell(heap_map: HeapMap, time_ns: int, position: int) -> tuple[int, int] | None:
    """Return (row, column) of a time and a position on the axis; None = outside the map."""
    window, (n_rows, n_columns) = heap_map.window, heap_map.shape
    span_ns = window.end_ns - window.begin_ns
    if not (window.begin_ns <= time_ns < window.end_ns and window.low <= position < window.high):
        return None
    column = (time_ns - window.begin_ns) * n_columns // span_ns
    row = int(np.searchsorted(heap_map.row_position, position, side="right")) - 1
    return min(max(row, 0), n_rows - 1), min(column, n_columns - 1)


def locate_cell(heap_map: HeapMap, cell_index: tuple[int, int]) -> MapCell:
    """Return the addresses and the time of a cell."""
    low, high, time_ns = heap_map.locate(*cell_index)
    return MapCell(low, high, time_ns, not heap_map.is_exact)


def find_fullest(heap_map: HeapMap, time_ns: int, low: int, high: int) -> tuple[int, int] | None:
    """Return the cell with most bytes at a time, between two positions on the axis; None = outside
    the map."""
    found = find_cell(heap_map, time_ns, low)
    last = find_cell(heap_map, time_ns, high - 1)
    if found is None or last is None:
        return found
    column = heap_map.live_bytes[found[0] : last[0] + 1, found[1]]
    return found[0] + int(np.argmax(column)), found[1]


def describe_area(
    trace: MemoryTrace, picture: MapPicture, time_ns: int, low: int, high: int
) -> tuple[str, str] | None:
    """Return name and value of an area of the map for screen readers; None = outside the map.

    The name is ``2.31 s, 0x7f3a20010000``, the value ``12.0 KiB in use, mostly dict``.
    """
    heap_map = picture.heap_map
    fullest = find_fullest(heap_map, time_ns, low, high)
    if fullest is None:
        return None
    moment = show_time(trace, Moment(0, heap_map.locate(*fullest)[2]))
    name = f"{moment}, 0x{heap_map.axis.to_address(low):x}"
    first = find_cell(heap_map, time_ns, low) or fullest
    last = find_cell(heap_map, time_ns, high - 1) or fullest
    used = int(heap_map.live_bytes[first[0] : last[0] + 1, fullest[1]].sum())
    if used <= 0:
        return name, "free, or not in use by objects"
    group = make_namer(picture.legend.colouring, trace.names)(int(heap_map.key[fullest]))
    return name, f"{format_value(used, 'bytes')} in use, mostly {group.about or group.text}"


def describe_place(trace: MemoryTrace, picture: MapPicture, cell_index: tuple[int, int]) -> str:
    """Return the lines of a tool tip: ``2.31 s  0x7f3a20010000``, ``12.0 KiB of 16.0 KiB (75.0%)``
    and the group."""
    heap_map = picture.heap_map
    low, high, time_ns = heap_map.locate(*cell_index)
    used = int(heap_map.live_bytes[cell_index])
    lines = [f"{show_time(trace, Moment(0, time_ns))}  0x{low:x}"]
    if used <= 0:
        return f"{lines[0]}\nFree, or not in use by objects"
    room = max(high - low, 1)
    used_text, room_text = (format_value(each, "bytes") for each in (min(used, room), room))
    lines.append(f"{used_text} of {room_text} ({format_share(min(used / room, 1.0))})")
    name = make_namer(picture.legend.colouring, trace.names)
    group = name(int(heap_map.key[cell_index]))
    lines.append(group.about or group.text)
    return "\n".join(lines)


def read_curve(curve: Curve, time_ns: int) -> int | None:
    """Return the live bytes that the curve shows at a time; None = outside the curve."""
    window, n_columns = curve.window, len(curve.live_bytes)
    if not n_columns or not window.begin_ns <= time_ns <= window.end_ns:
        return None
    span_ns = max(window.end_ns - window.begin_ns, 1)
    column = min((time_ns - window.begin_ns) * n_columns // span_ns, n_columns - 1)
    return int(curve.live_bytes[column])
