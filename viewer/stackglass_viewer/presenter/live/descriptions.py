"""Descriptions of what a process's tab shows: the sum, the sample type and the span."""

from __future__ import annotations

from stackglass_viewer.model.contention.buckets import CONTENTION_TYPES
from stackglass_viewer.model.contention.snapshot import ContentionMoment
from stackglass_viewer.model.contention.table import NO_LOCK
from stackglass_viewer.model.heap.buckets import HEAP_TYPES
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.heap.snapshot import HeapMoment
from stackglass_viewer.model.live.wall import drop_wall_filters
from stackglass_viewer.model.live_profile import THREADS, WALL, LiveView
from stackglass_viewer.model.memory.timeline import UNITS_PER_S
from stackglass_viewer.model.units import format_clock, format_count, format_quantity, format_value
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.live.time_range import say_span
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice, HeapChoice

# The stacks of a process that uses no CPU are requested more often. Those of a busy process are as
# old as its last idle moment.
_CURRENT_UNITS = 5 * UNITS_PER_S


def say_end(request: BuildRequest) -> str:
    """Return the moment at which a session ends: "now", unless the capture is over."""
    return "at the end" if request.is_over else "now"


def describe_samples(
    view: LiveView, request: BuildRequest, is_idle: bool, is_filtered: bool
) -> str:
    """Return ``12 s of CPU time in 1 min``.

    ``is_idle``: the threads' current stacks are shown. ``is_filtered``: labels or frames are
    filtered.
    """
    is_now = request.window is None  # the shown span ends now, or with the session
    total = int(view.values.total[0])
    span = f"in {_say_seconds(view.span_ns)}"
    if not is_now:
        span = say_span(*view.between)
    is_standing = is_idle or view.sample_type == THREADS
    if total == 0:
        is_first = is_now and not view.threads  # no thread was seen in the session
        description = "no samples yet" if is_first else f"no samples {span}"
        if is_standing and not is_now:
            description = f"no stacks are known at {format_clock(view.between[1] / UNITS_PER_S)}"
        if is_filtered:
            description = f"no samples pass the filters {span}"
    elif is_standing:
        threads = "1 thread" if total == 1 else f"{format_count(total)} threads"
        moment = format_clock(view.stacks_at / UNITS_PER_S)
        is_current = is_now and view.between[1] - view.stacks_at <= _CURRENT_UNITS
        current = "stacks at the end" if request.is_over else "current stacks"
        description = f"{threads}, " + (current if is_current else f"stacks at {moment}")
    elif view.values.unit == "count":
        description = f"{format_quantity(total, 'sample')} {span}"
    else:
        what = "the threads' and tasks' time" if view.sample_type == WALL else "CPU time"
        description = f"{format_value(total, view.values.unit)} of {what} {span}"
    if view.n_lost:
        description += f"  ·  {format_count(view.n_lost)} lost"
    return description


def _say_seconds(span_ns: int) -> str:
    """Return ``10.0 s``, in whole seconds; ``less than 1 s`` for less."""
    seconds = span_ns // 1_000_000_000
    return format_value(seconds, "seconds") if seconds else "less than 1 s"


def describe_heap(moment: HeapMoment, choice: HeapChoice, total: int, request: BuildRequest) -> str:
    """Return ``1.21 GiB in use`` or ``3.40 MiB allocated in 10.0 s``."""
    what = choice.describe(format_value(total, HEAP_TYPES[choice.column].unit))
    if moment.when is HeapWhen.AS_OF_FULL:
        has_full = moment.full_age_ns is not None
        when = "as of the last full collection" if has_full else say_end(request)
        return f"{what} {when}"
    if choice.is_in_use:
        return what
    return f"{what} in {_say_seconds(moment.span_ns)}"


def describe_contention(
    moment: ContentionMoment, choice: ContentionChoice, total: int, request: BuildRequest
) -> str:
    """Return ``3.02 s waited for locks in 10.0 s``, with the filters for lock and call."""
    unit = CONTENTION_TYPES[choice.column].unit
    if total:
        text = choice.describe(format_value(total, unit))
    else:
        labels = drop_wall_filters(request.labels, is_wall=False)
        is_filtered = bool(labels or request.transforms) or request.tids is not None
        text = choice.describe_none(is_filtered)
    if request.window is not None:
        text += f" {say_span(moment.span.after, moment.span.until)}"
    elif moment.wall_ns >= 1_000_000_000:
        text += f" in {format_value(moment.wall_ns // 1_000_000_000, 'seconds')}"
    if request.waits.lock >= 0:
        text += f"  ·  only {moment.locks.describe(request.waits.lock) or NO_LOCK}"
    if request.waits.primitive:
        text += f"  ·  only {request.waits.primitive}"
    return text
