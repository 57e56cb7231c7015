"""Allocations by site, in a span of time and optionally in an address range."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stackglass_viewer.model.errors import CancelledError
from stackglass_viewer.model.memory_trace.event_reader import EventReader
from stackglass_viewer.model.memory_trace.events import EventColumns, EventKind
from stackglass_viewer.model.memory_trace.site_rows import SiteRows, sum_rows
from stackglass_viewer.model.memory_trace.trace_index import SiteStep, TraceIndex

_BIRTHS = (EventKind.OBJECT_ALLOC, EventKind.REALLOC)

Addresses = tuple[int, int]
"""Lowest address, and the address behind the highest."""

Progress = Callable[[float], bool]


def sum_allocations(
    reader: EventReader,
    index: TraceIndex,
    span: tuple[int, int],
    addresses: Addresses | None,
    progress: Progress,
) -> SiteRows:
    """Sum the allocations of the events from ``span[0]`` to ``span[1]``, exclusive.

    The index has the sums between checkpoints (``SiteStep``), so only the events at both ends are
    read. With ``addresses``, all events are read. ``progress`` receives the share done and returns
    whether to go on. Raises ContentError, CancelledError.
    """
    parts: list[SiteRows] = []
    begin, end = span
    at = begin
    if addresses is None:
        before = 0
        for step in index.site_steps:
            first, until = before, step.until.event
            before = until
            if begin <= first < until <= end:
                parts += _sum_events(reader, at, first, None, progress, span)
                parts.append(_read_step(index, step))
                at = until
    parts += _sum_events(reader, at, end, addresses, progress, span)
    return sum_rows(parts)


def _sum_events(
    reader: EventReader,
    begin: int,
    end: int,
    addresses: Addresses | None,
    progress: Progress,
    whole: tuple[int, int],
) -> list[SiteRows]:
    parts: list[SiteRows] = []
    for first, events in reader.read(begin, end):
        parts.append(sum_rows([_choose(events, addresses)]))
        if len(parts) > 64:
            parts = [sum_rows(parts)]
        done = (first + len(events) - whole[0]) / max(whole[1] - whole[0], 1)
        if not progress(min(done, 1.0)):
            raise CancelledError
    return parts


def _choose(events: EventColumns, addresses: Addresses | None) -> SiteRows:
    """Return one row for each allocation among some events."""
    is_wanted = np.isin(events.kind, _BIRTHS)
    if addresses is not None:
        is_wanted &= (events.address < addresses[1]) & (events.address + events.size > addresses[0])
    stack = events.stack[is_wanted]
    n = len(stack)
    return SiteRows(
        stack,
        np.where(stack == 0, events.type[is_wanted], np.uint32(0)),
        np.zeros(n, dtype=np.bool_),
        np.ones(n, dtype=np.int64),
        events.size[is_wanted].astype(np.int64),
    )


def _read_step(index: TraceIndex, step: SiteStep) -> SiteRows:
    read = index.side_file.read
    stack = read(step.stack, np.uint32)
    return SiteRows(
        stack,
        read(step.type, np.uint32),
        np.zeros(len(stack), dtype=np.bool_),
        read(step.n, np.int64),
        read(step.size, np.int64),
    )
