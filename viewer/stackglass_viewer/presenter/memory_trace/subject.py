"""Subject of a memory trace's tab: the moment or the span that graphs and tables show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.memory_trace.allocations import Addresses
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.profiles import ALLOC_SPACE, INUSE_SPACE
from stackglass_viewer.model.memory_trace.trace import MemoryTrace, Progress
from stackglass_viewer.model.memory_trace.trace_profiles import (
    profile_leaks,
    profile_live,
    profile_span,
    show_time,
)
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.units import format_quantity, format_value


class SubjectKind(Enum):
    """The kind of a subject."""

    PEAK = "peak"
    """Blocks that are live when objects hold most bytes."""
    MOMENT = "moment"
    """Blocks that are live at the cursor."""
    LEAKS = "leaks"
    """Blocks that are allocated in a span and live at its end."""
    SPAN = "span"
    """Blocks that are allocated in a span of time and addresses."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The part of a trace that is shown, with its moments looked up.

    For PEAK and MOMENT, ``end`` is the moment that is shown, and ``begin`` the trace's first.
    """

    kind: SubjectKind
    begin: Moment
    end: Moment
    addresses: Addresses | None = None  # None = all

    @property
    def first_type(self) -> TypeId:
        """The sample type that is shown first."""
        return ALLOC_SPACE if self.kind is SubjectKind.SPAN else INUSE_SPACE


@dataclass(frozen=True, slots=True)
class Brush:
    """A span of time and addresses that the user drew on the map. Ends are exclusive."""

    begin_ns: int
    end_ns: int
    addresses: Addresses | None = None  # None = all


@dataclass(frozen=True, slots=True)
class Wish:
    """The part of a trace that the user wants to see, before any moment is looked up."""

    kind: SubjectKind
    cursor_ns: int = 0  # used by MOMENT
    brush: Brush | None = None  # used by LEAKS and SPAN; None = the whole trace


def make_subject(trace: MemoryTrace, wish: Wish) -> Subject:
    """Return the subject of a wish. May read a piece of the trace. Raises ContentError."""
    index, kind, brush = trace.index, wish.kind, wish.brush
    begin, end = Moment(0, index.begin_ns), index.end
    if kind is SubjectKind.PEAK:
        return Subject(kind, begin, index.peak)
    if kind is SubjectKind.MOMENT:
        return Subject(kind, begin, trace.find_moment(wish.cursor_ns))
    if brush is None:
        return Subject(kind, begin, end)
    if brush.begin_ns > index.begin_ns:
        begin = trace.find_moment(brush.begin_ns - 1)
    if brush.end_ns <= end.time_ns:
        end = trace.find_moment(brush.end_ns - 1)
    addresses = brush.addresses if kind is SubjectKind.SPAN else None
    return Subject(kind, begin, end, addresses)


def read_subject(trace: MemoryTrace, subject: Subject, progress: Progress) -> Profile:
    """Read the profile of a subject. Raises ContentError, CancelledError."""
    if subject.kind is SubjectKind.LEAKS:
        return profile_leaks(trace, subject.begin, subject.end)
    if subject.kind is SubjectKind.SPAN:
        return profile_span(trace, subject.begin, subject.end, subject.addresses, progress)
    what = "peak: live" if subject.kind is SubjectKind.PEAK else ""
    return profile_live(trace, subject.end, what, progress)


def describe_subject(trace: MemoryTrace, subject: Subject, profile: Profile | None) -> str:
    """Return a sentence about a subject. ``profile`` None: its sums are not known yet."""
    end = show_time(trace, subject.end)
    if subject.kind is SubjectKind.PEAK:
        text = f"Live at the peak, {end}"
    elif subject.kind is SubjectKind.MOMENT:
        text = f"Live at {end}"
    else:
        text = f"Allocated {_describe_span(trace, subject)}"
        if subject.addresses is not None:
            text += f" at 0x{subject.addresses[0]:x} to 0x{subject.addresses[1]:x}"
        if subject.kind is SubjectKind.LEAKS:
            text += f" and live at {_name_end(trace, subject)}"
    return text if profile is None else f"{text}: {_describe_sum(subject, profile)}"


def describe_emptiness(wish: Wish) -> tuple[str, str]:
    """Return title and text for a subject without any block."""
    if wish.kind in (SubjectKind.PEAK, SubjectKind.MOMENT):
        return "Nothing lives", "No object of the trace lives at this moment."
    title = "Nothing allocated" if wish.kind is SubjectKind.SPAN else "Nothing left"
    text = (
        "No allocation was recorded"
        if wish.kind is SubjectKind.SPAN
        else "Nothing is left of what was allocated"
    )
    if wish.brush is None:
        return title, f"{text} in this trace."
    return title, f"{text} in the part that is brushed. Esc over the picture removes the brush."


def _is_whole(trace: MemoryTrace, subject: Subject) -> bool:
    return not subject.begin.event and subject.end.event >= trace.index.end.event


def _name_end(trace: MemoryTrace, subject: Subject) -> str:
    return "its end" if _is_whole(trace, subject) else "the end of the trace"


def _describe_span(trace: MemoryTrace, subject: Subject) -> str:
    if _is_whole(trace, subject):
        return "in the trace"
    begin, end = show_time(trace, subject.begin), show_time(trace, subject.end)
    return f"from {begin} to {end}"


def _describe_sum(subject: Subject, profile: Profile) -> str:
    first = int(subject.first_type)
    n, size = (int(profile.samples.values[column].sum()) for column in (first - 1, first))
    return f"{format_value(size, 'bytes')} in {format_quantity(n, 'object')}"
