"""Typed filters: what can be filtered by in words, and what a text of each kind means."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from stackglass_viewer.model.errors import PatternError
from stackglass_viewer.model.patterns import compile_pattern
from stackglass_viewer.model.profile.label_table import LabelPattern
from stackglass_viewer.model.profile.transforms import TransformKind
from stackglass_viewer.presenter.settings.span_choice import Span

STATE = "state"
_KEY = re.compile(r"\s*([\w.:/-]+(?: [\w.:/-]+)*)\s*[=~](.*)", re.DOTALL)
_BETWEEN = re.compile(r"\s*(?:-|–|to|\.\.)\s*")
_LENGTH = re.compile(r"\s*\([^)]*\)\s*$")  # which a chip has behind its span
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|µs|us|ms|s|min|h|)")
_UNITS_NS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "min": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_MOST_NS = 2**62
_TIME_HELP = "Type two moments: 1.5 s - 3 s, or 0:05 - 1:10."


class Subject(Enum):
    """What a filter is about."""

    FRAMES = "frames"
    LABEL = "label"
    STATE = "state"
    THREAD = "thread"
    TIME = "time"


class TypedKind(NamedTuple):
    """One way to filter."""

    subject: Subject
    words: str
    hint: str  # in the empty field
    transform: TransformKind | None = None  # of frames
    is_excluded: bool = False  # what matches is left out


_FRAMES, _VALUE = "Regular expression over names and files", "route=/api, or a pattern alone"
KINDS = (
    TypedKind(Subject.FRAMES, "Only stacks with (focus)", _FRAMES, TransformKind.FOCUS_MATCH),
    TypedKind(Subject.FRAMES, "Without stacks of (ignore)", _FRAMES, TransformKind.DROP_MATCH),
    TypedKind(
        Subject.FRAMES, "Begin stacks with (show_from)", _FRAMES, TransformKind.SUBTREE_MATCH
    ),
    TypedKind(Subject.FRAMES, "Merge into callers (hide)", _FRAMES, TransformKind.MERGE_MATCH),
    TypedKind(
        Subject.FRAMES, "Merge all others into callers (show)", _FRAMES, TransformKind.SHOW_MATCH
    ),
    TypedKind(Subject.LABEL, "Only samples with the label (tagfocus)", _VALUE),
    TypedKind(
        Subject.LABEL, "Without samples with the label (tagignore)", _VALUE, is_excluded=True
    ),
    TypedKind(Subject.STATE, "Only in the state", "running, or lock|GIL"),
    TypedKind(Subject.STATE, "Not in the state", "idle, or lock|GIL", is_excluded=True),
    TypedKind(Subject.THREAD, "Only threads named", "Regular expression over names"),
    TypedKind(
        Subject.THREAD, "Without threads named", "Regular expression over names", is_excluded=True
    ),
    TypedKind(Subject.TIME, "Only the time", "1.5 s - 3 s, or 0:05 - 1:10"),
)
"""In the order of the dialog; with pprof's names."""


class TypedFilter(NamedTuple):
    """What was chosen and typed."""

    kind: TypedKind
    text: str


def list_kinds(subjects: frozenset[Subject]) -> tuple[TypedKind, ...]:
    """What can be filtered by."""
    return tuple(kind for kind in KINDS if kind.subject in subjects)


def find_kind(
    subject: Subject, is_excluded: bool = False, transform: TransformKind | None = None
) -> TypedKind:
    """The kind of a filter that there is."""
    wanted = (subject, is_excluded, transform)
    return next(
        kind for kind in KINDS if (kind.subject, kind.is_excluded, kind.transform) == wanted
    )


def find_fault(kind: TypedKind, text: str) -> str:
    """Why nothing can be filtered by this text; "" = it can."""
    if kind.subject is Subject.TIME:
        return "" if parse_span(text) is not None else _TIME_HELP
    pattern = parse_label(text).pattern if kind.subject is Subject.LABEL else text
    if not pattern.strip():
        return "Type a part of a name or a regular expression."
    try:
        compile_pattern(pattern)
    except PatternError as error:
        return str(error)
    return ""


def parse_label(text: str, is_excluded: bool = False) -> LabelPattern:
    """``route=/api``: a pattern for the values of one key; ``/api``: for those of any."""
    if (found := _KEY.fullmatch(text)) is not None:
        return LabelPattern(found[1], found[2].strip(), is_excluded)
    return LabelPattern("", text.strip(), is_excluded)


def write_label(label: LabelPattern) -> str:
    """As ``parse_label`` reads it."""
    return f"{label.key}={label.pattern}" if label.key else label.pattern


def parse_span(text: str) -> Span | None:
    """Two moments, ns; a chip's own words can be typed. None = they are not two moments, the
    later one last."""
    moments = [_parse_moment(part) for part in _BETWEEN.split(_LENGTH.sub("", text.strip()))]
    match moments:
        case [int(begin), int(end)] if begin < end <= _MOST_NS:
            return begin, end
    return None


def _parse_moment(text: str) -> int | None:
    if (clock := _CLOCK.fullmatch(text)) is not None:
        hours, minutes, seconds = int(clock[1] or 0), int(clock[2]), float(clock[3])
        return round((hours * 3600 + minutes * 60 + seconds) * 1e9)
    if (number := _NUMBER.fullmatch(text)) is not None:
        return round(float(number[1]) * _UNITS_NS[number[2] or "s"])
    return None
