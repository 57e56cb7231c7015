"""Profiles of a memory trace: at a moment, at its peak, of a span, and of leaks."""

from __future__ import annotations

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.memory_trace.allocations import Addresses
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.profiles import (
    ALLOC_SPACE,
    INUSE_SPACE,
    ProfileMetadata,
    make_profile,
)
from stackglass_viewer.model.memory_trace.site_rows import SiteRows, sum_rows
from stackglass_viewer.model.memory_trace.trace import MemoryTrace, Progress, go_on
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.units import format_value


def profile_live(
    trace: MemoryTrace, moment: Moment, what: str = "", progress: Progress = go_on
) -> Profile:
    """Return a profile of the live objects at a moment and of all allocations before it. ``what``:
    begin of the profile's comment; "" = ``live``.

    Raises ContentError, CancelledError.
    """
    begin = Moment(0, trace.index.begin_ns)
    comment = f"{what or 'live'} at {show_time(trace, moment)} of the memory trace"
    return _make(
        trace,
        trace.sum_allocations(begin, moment, None, progress),
        trace.sum_live(moment),
        (begin, moment),
        (comment, INUSE_SPACE),
    )


def profile_peak(trace: MemoryTrace, progress: Progress = go_on) -> Profile:
    """Return the profile of the moment with most live bytes. Errors are those of
    ``profile_live``."""
    return profile_live(trace, trace.index.peak, "peak: live", progress)


def profile_span(
    trace: MemoryTrace,
    begin: Moment,
    end: Moment,
    addresses: Addresses | None = None,
    progress: Progress = go_on,
) -> Profile:
    """Return a profile of the allocations between two moments, in ``addresses`` if given. Those
    that are live at the end count as in use. Errors are those of ``profile_live``."""
    comment = f"allocated from {show_time(trace, begin)} to {show_time(trace, end)}"
    if addresses is not None:
        comment += f" at 0x{addresses[0]:x} to 0x{addresses[1]:x}"
    return _make(
        trace,
        trace.sum_allocations(begin, end, addresses, progress),
        trace.sum_survivors(begin, end, addresses),
        (begin, end),
        (comment + " of the memory trace", ALLOC_SPACE),
    )


def profile_leaks(trace: MemoryTrace, begin: Moment, end: Moment) -> Profile:
    """Return a profile of the objects that were allocated between two moments and are live at the
    end of the trace."""
    survivors = trace.sum_survivors(begin, trace.index.end)
    if end.event < trace.index.end.event:
        later = trace.sum_survivors(end, trace.index.end)
        survivors = _subtract(survivors, later)
    comment = (
        f"allocated from {show_time(trace, begin)} to {show_time(trace, end)} and live at the "
        "end of the memory trace"
    )
    return _make(trace, survivors, survivors, (begin, end), (comment, INUSE_SPACE))


def show_time(trace: MemoryTrace, moment: Moment) -> str:
    """Return a moment's time since the trace began as text, exact enough to enter it as input:
    ``1.234567 s``."""
    return say_time(max(moment.time_ns - trace.index.begin_ns, 0))


def say_time(time_ns: int) -> str:
    """Return a time since the trace began as text, in the form of ``show_time``."""
    if time_ns < 10**6:
        return format_value(time_ns, "nanoseconds")
    return f"{time_ns / 1e9:.6f} s" if time_ns >= 10**9 else f"{time_ns / 1e6:.3f} ms"


def _subtract(rows: SiteRows, less: SiteRows) -> SiteRows:
    """Subtract the rows of ``less``, and keep those with blocks left."""
    negative = SiteRows(less.stack, less.type, less.is_before, -less.n, -less.size)
    left = sum_rows([rows, negative])
    is_left = left.n > 0
    return SiteRows(
        left.stack[is_left],
        left.type[is_left],
        left.is_before[is_left],
        left.n[is_left],
        left.size[is_left],
    )


def _make(
    trace: MemoryTrace,
    allocated: SiteRows,
    in_use: SiteRows,
    span: tuple[Moment, Moment],
    named: tuple[str, TypeId],
) -> Profile:
    begin, end = span
    began = trace.info.begin_unix_ns
    origin = ProfileMetadata(
        comment=named[0],
        time_unix_ns=began + begin.time_ns if began else 0,
        duration_ns=max(end.time_ns - begin.time_ns, 0),
        default_type=named[1],
        warnings=trace.warnings,
    )
    return make_profile(trace.names.definitions, allocated, in_use, origin)
