"""Lanes of a memory trace: activities of each thread over time, and the memory in use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stackglass_viewer.model.memory_trace.events import EventColumns, EventKind
from stackglass_viewer.model.memory_trace.slices import (
    COLLECTION,
    LOG,
    REGION,
    TASK,
    Slice,
)
from stackglass_viewer.model.memory_trace.thread_states import list_states
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.memory_trace.waits import list_waits

_ENDS = {
    EventKind.COLLECTION_END: EventKind.COLLECTION_BEGIN,
    EventKind.REGION_END: EventKind.REGION_BEGIN,
    EventKind.TASK_END: EventKind.TASK_BEGIN,
}
_CATEGORIES = {
    EventKind.COLLECTION_BEGIN: COLLECTION,
    EventKind.REGION_BEGIN: REGION,
    EventKind.TASK_BEGIN: TASK,
}
_MOST_LOG_CHARACTERS = 200


@dataclass(frozen=True, slots=True, eq=False)
class MemoryCounter:
    """Memory at the end of each piece of a trace. Immutable."""

    time_ns: list[int]
    live_bytes: list[int]
    live_objects: list[int]


def list_slices(trace: MemoryTrace) -> list[Slice]:
    """Return collections, regions, tasks and logs as slices; also states and waits of threads, if
    the session recorded them."""
    slices = list(_pair(trace))
    if trace.live is not None:
        slices += list_states(trace.live)
        slices += list_waits(trace.live)
    return sorted(slices, key=lambda each: (each.begin_ns, -each.end_ns))


def read_counter(trace: MemoryTrace) -> MemoryCounter:
    """Return the memory in use over time."""
    pieces = trace.index.pieces
    return MemoryCounter(
        pieces.end_ns.tolist(), pieces.live_bytes.tolist(), pieces.live_objects.tolist()
    )


def _pair(trace: MemoryTrace) -> Iterator[Slice]:
    """Pair begins with ends. A slice without an end lasts to the end of the trace.

    The begin and the end of a region have the same number, since asyncio's tasks may take turns in
    a thread. A task of Go has a number, which its regions have too. Collections of one thread, and
    regions with the same number, are paired innermost first. A log has no end.
    """
    events: EventColumns = trace.index.lane_events
    opened: dict[tuple[int, int, int], list[tuple[int, str]]] = {}
    rows = zip(
        events.kind.tolist(),
        events.time_ns.tolist(),
        events.tid.tolist(),
        events.size.tolist(),
        events.type.tolist(),
        events.other.tolist(),
        strict=True,
    )
    for kind, time_ns, tid, size, type_id, key in rows:
        if kind == EventKind.LOG:
            texts = (trace.names.name_type(each) for each in (key, type_id))
            text = ": ".join(each[:_MOST_LOG_CHARACTERS] for each in texts if each)
            yield Slice(tid, time_ns, time_ns, LOG, text)
            continue
        begin = _ENDS.get(kind)
        is_named = kind not in (EventKind.COLLECTION_BEGIN, EventKind.COLLECTION_END)
        number = size if is_named else 0
        if begin is None:
            name = trace.names.name_type(type_id) if is_named else f"generation {size}"
            opened.setdefault((kind, tid, number), []).append((time_ns, name))
        elif stack := opened.get((begin, tid, number)):
            yield _make_slice(begin, tid, *stack.pop(), time_ns)
    for (kind, tid, _), stack in opened.items():
        for begin_ns, name in stack:
            yield _make_slice(kind, tid, begin_ns, name, trace.index.end.time_ns)


def _make_slice(kind: int, tid: int, begin_ns: int, name: str, end_ns: int) -> Slice:
    return Slice(tid, begin_ns, max(end_ns, begin_ns), _CATEGORIES[EventKind(kind)], name)
