"""Findings: facts that stand out in a memory trace, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.live_blocks import BlockFlag, Moment
from stackglass_viewer.model.memory_trace.site_table import list_garbage, list_sites
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.memory_trace.trace_profiles import show_time
from stackglass_viewer.model.units import format_count, format_quantity, format_share, format_value

SHORT_NS = 1_000_000
"""A block with a shorter life counts as short-lived."""
_LARGE_SHARE = 0.1  # least share of the peak for a site that is named
_GARBAGE_SHARE = 0.5  # least share of all allocations for short-lived blocks that are reported
# The largest site of survivors is named if these have at least this share of the peak, and bytes.
_KEPT_SHARE, _MANY_BYTES = 0.5, 1 << 20


def list_findings(trace: MemoryTrace) -> list[str]:
    """Return the findings, the most important first. Replays the trace to its peak and its end."""
    return list(_find(trace))


def _find(trace: MemoryTrace) -> Iterator[str]:
    index = trace.index
    if not index.peak_bytes:
        yield "The trace has no allocations."
        return
    at_peak = list_sites(trace.names, trace.sum_live(index.peak))
    n_peak = sum(site.n for site in at_peak)
    yield (
        f"Peak: {_bytes(index.peak_bytes)} in {format_quantity(n_peak, 'object')}, "
        f"{show_time(trace, index.peak)} after the trace began."
    )
    large = [site for site in at_peak if site.size >= _LARGE_SHARE * max(index.peak_bytes, 1)]
    if large:
        shares = [
            f"{show_line(site.line)} {format_share(site.size / index.peak_bytes)}"
            for site in large[:3]
        ]
        yield f"Of that: {', '.join(shares)}."
    yield from _find_survivors(trace)
    yield from _find_garbage(trace)
    yield from _find_pinned(trace)
    if trace.info.hidden_blocks:
        yield (
            f"Not included: {format_count(trace.info.hidden_blocks)} small blocks from before the "
            "trace, which the interpreter does not list."
        )


def _find_survivors(trace: MemoryTrace) -> Iterator[str]:
    index = trace.index
    survivors = trace.sum_survivors(Moment(0, index.begin_ns), index.end)
    n, size = int(survivors.n.sum()), int(survivors.size.sum())
    total = int(index.pieces.live_bytes[-1])
    text = f"At the end: {_bytes(total)} live, {_bytes(size)} of it allocated in the trace"
    if size >= _KEPT_SHARE * max(index.peak_bytes, 1) and size >= _MANY_BYTES:
        sites = [site for site in list_sites(trace.names, survivors) if site.size]
        text += f", most by {show_line(sites[0].line)} ({_bytes(sites[0].size)})"
    yield f"{text} ({format_quantity(n, 'object')})."


def _find_garbage(trace: MemoryTrace) -> Iterator[str]:
    sites = trace.index.sites
    total = int(sites.n.sum())
    rows = list_garbage(trace.names, sites, SHORT_NS)
    n_short = sum(row.n_short for row in rows)
    if not total or n_short < _GARBAGE_SHARE * total:
        return
    first = rows[0]
    yield (
        f"Short-lived: {format_share(n_short / total)} of {format_quantity(total, 'allocation')} "
        f"lived less than {format_value(SHORT_NS, 'nanoseconds')}, most by "
        f"{show_line(first.line)} "
        f"({format_count(first.n_short)})."
    )


def _find_pinned(trace: MemoryTrace) -> Iterator[str]:
    spans = trace.measure_spans(trace.index.end)
    is_arena = (spans.size == trace.info.arena_bytes) & spans.is_pinned
    n = int(np.count_nonzero(is_arena))
    if n:
        objects = int(spans.n_objects[is_arena].sum())
        free = int(spans.size[is_arena].sum()) - int(spans.live_bytes[is_arena].sum())
        yield (
            f"Fragmentation: {format_count(objects)} "
            f"{'object pins' if objects == 1 else 'objects pin'} "
            f"{format_count(n)} {'arena that is' if n == 1 else 'arenas that are'} mostly free: "
            f"{_bytes(free)} cannot be returned."
        )


def count_uncertain(trace: MemoryTrace, moment: Moment) -> int:
    """Return the number of objects at a moment that may have been freed by a lost event."""
    if not trace.index.troubles.n_lost:
        return 0
    return sum(
        int(np.count_nonzero(objects.flags & BlockFlag.UNCERTAIN))
        for objects in trace.walk_live(moment)
    )


def show_line(line: LineName) -> str:
    """Return a line as text: ``load (app.py:12)``."""
    if not line.file:
        return line.function
    place = f"{line.file}:{line.number}" if line.number else line.file
    return f"{line.function} ({place})"


def _bytes(value: int) -> str:
    return format_value(value, "bytes")
