"""Typed filters: the kinds of filter that can be typed, and the meaning of a text of each kind."""

from __future__ import annotations

import json
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
_PATTERN = re.compile(r"\s*[=~](.*)", re.DOTALL)  # after a key in quotes
_BETWEEN = re.compile(r"\s*(?:-|–|to|\.\.)\s*")
_LENGTH = re.compile(r"\s*\([^)]*\)\s*$")  # a chip writes it after its span
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


class FilterTarget(Enum):
    """What a filter applies to."""

    FRAMES = "frames"
    LABEL = "label"
    STATE = "state"
    THREAD = "thread"
    TIME = "time"


class TypedKind(NamedTuple):
    """A kind of filter that can be typed."""

    target: FilterTarget
    words: str
    hint: str  # shown in the empty field
    transform: TransformKind | None = None  # for frames
    is_excluded: bool = False  # whether matches are left out


_FRAMES, _VALUE = "Regular expression over names and files", "route=/api, or a pattern alone"
KINDS = (
    TypedKind(FilterTarget.FRAMES, "Only stacks with (focus)", _FRAMES, TransformKind.FOCUS_MATCH),
    TypedKind(FilterTarget.FRAMES, "Without stacks of (ignore)", _FRAMES, TransformKind.DROP_MATCH),
    TypedKind(
        FilterTarget.FRAMES, "Begin stacks with (show_from)", _FRAMES, TransformKind.SUBTREE_MATCH
    ),
    TypedKind(FilterTarget.FRAMES, "Merge into callers (hide)", _FRAMES, TransformKind.MERGE_MATCH),
    TypedKind(
        FilterTarget.FRAMES,
        "Merge all others into callers (show)",
        _FRAMES,
        TransformKind.SHOW_MATCH,
    ),
    TypedKind(FilterTarget.LABEL, "Only samples with the label (tagfocus)", _VALUE),
    TypedKind(
        FilterTarget.LABEL, "Without samples with the label (tagignore)", _VALUE, is_excluded=True
    ),
    TypedKind(FilterTarget.STATE, "Only in the state", "running, or lock|GIL"),
    TypedKind(FilterTarget.STATE, "Not in the state", "idle, or lock|GIL", is_excluded=True),
    TypedKind(FilterTarget.THREAD, "Only threads named", "Regular expression over names"),
    TypedKind(
        FilterTarget.THREAD,
        "Without threads named",
        "Regular expression over names",
        is_excluded=True,
    ),
    TypedKind(FilterTarget.TIME, "Only the time", "1.5 s - 3 s, or 0:05 - 1:10"),
)
"""The kinds in the order of the dialog, with pprof's names."""


class TypedFilter(NamedTuple):
    """The chosen kind and the typed text."""

    kind: TypedKind
    text: str


def list_kinds(targets: frozenset[FilterTarget]) -> tuple[TypedKind, ...]:
    """Return the kinds of these targets."""
    return tuple(kind for kind in KINDS if kind.target in targets)


def find_kind(
    target: FilterTarget, is_excluded: bool = False, transform: TransformKind | None = None
) -> TypedKind:
    """Return the kind of an existing filter."""
    wanted = (target, is_excluded, transform)
    return next(kind for kind in KINDS if (kind.target, kind.is_excluded, kind.transform) == wanted)


def find_fault(kind: TypedKind, text: str) -> str:
    """Return why a text is no filter of this kind; "" = it is one."""
    if kind.target is FilterTarget.TIME:
        return "" if parse_span(text) is not None else _TIME_HELP
    pattern = parse_label(text).pattern if kind.target is FilterTarget.LABEL else text
    if not pattern.strip():
        return "Type a part of a name or a regular expression."
    try:
        compile_pattern(pattern)
    except PatternError as error:
        return str(error)
    return ""


def parse_label(text: str, is_excluded: bool = False) -> LabelPattern:
    """Return a pattern: ``route=/api`` for the values of one key, ``/api`` for those of any key.

    A key with other characters is in quotes: ``"a=b"=/api``. ``""=a=b`` is a pattern for any key.
    Spaces around a pattern are not part of it.
    """
    if (quoted := _read_quoted(text)) is not None:
        return LabelPattern(*quoted, is_excluded)
    if (found := _KEY.fullmatch(text)) is not None:
        return LabelPattern(found[1], found[2].strip(), is_excluded)
    return LabelPattern("", text.strip(), is_excluded)


def write_label(label: LabelPattern) -> str:
    """Return the text that ``parse_label`` reads as this label."""
    text = f"{label.key}={label.pattern}" if label.key else label.pattern
    if parse_label(text, label.is_excluded) == label:
        return text
    return f"{_quote(label.key)}={label.pattern}"


def _read_quoted(text: str) -> tuple[str, str] | None:
    """Return key and pattern; None = the text does not begin with a key in quotes."""
    try:
        key, end = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return None
    found = _PATTERN.fullmatch(text.lstrip(), end)
    return (key, found[1].strip()) if isinstance(key, str) and found is not None else None


def _quote(key: str) -> str:
    """Return a key in quotes; invisible characters, such as direction marks, become escapes."""
    signs = json.dumps(key, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in signs)


def parse_span(text: str) -> Span | None:
    """Return two moments in ns, from a text such as that of a chip; None = the text is not two
    moments in ascending order."""
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
