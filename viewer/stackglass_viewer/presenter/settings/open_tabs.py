"""Windows and tabs that were open at the end of the last run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

from PySide6.QtCore import QByteArray, QSettings

from stackglass_viewer.model.profile.label_table import LabelFilter, LabelPattern
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.settings.kept_layouts import read_layout, write_layout
from stackglass_viewer.presenter.settings.preferences import OPEN_TABS, REMEMBERED_VIEWS
from stackglass_viewer.presenter.settings.span_choice import Span
from stackglass_viewer.presenter.settings.thread_choice import NamePattern
from stackglass_viewer.presenter.settings.trace_views import TRACE_VIEWS
from stackglass_viewer.presenter.settings.view_layout import ViewLayout

_WINDOWS_KEY = "open_windows"
_MOST_TABS = 50
_MOST_WINDOWS = 20
_MOST_THREADS = 1000
_MOST_NS = 2**63
_MOST_FRAMES = 1000  # of the stack of a zoomed box
_KINDS = {kind.value: kind for kind in TransformKind}
_VIEWS = (*REMEMBERED_VIEWS, *TRACE_VIEWS)


@dataclass(frozen=True, slots=True)
class ZoomRecord:
    """The zoom of a flame graph, which shows less than everything."""

    path: tuple[tuple[str, str], ...]  # names and files from below the root down to the box
    left: float  # of the view, in widths of the box: 0 … 1 is the box
    right: float
    top_px: float


class Growth(NamedTuple):
    """Markers a and b of a timeline; units of 10 ms."""

    a: int
    b: int | None  # None = the end of the session


@dataclass(frozen=True, slots=True)
class TabRecord:
    """A tab of a file, or of a process."""

    path: str  # "" = the tab is of a process
    pid: int  # 0 = the tab is of a file
    began: str  # the process's start, as ``read_beginning`` returns it
    title: str
    view: str
    sample_type: SampleType
    transforms: tuple[Transform, ...] = ()
    labels: frozenset[LabelFilter] = frozenset()
    is_front: bool = False  # whether it is the front tab of its window
    span: str = ""  # of a capture: a key of SPANS_NS; "" = not stored
    tids: frozenset[int] = frozenset()  # of a capture: the shown threads; empty = all
    window: int = 0  # index of its window
    brush: Span | None = None  # the chosen span of time, ns; None = all
    zoom: ZoomRecord | None = None  # of the flame graph; None = it shows everything
    named: NamePattern | None = None  # of a capture: pattern of the shown threads; None = none
    growth: Growth | None = None  # of a session: the chosen growth; None = none is chosen
    layout: ViewLayout | None = None  # of several views; None = ``view`` alone
    more: tuple[str, ...] = ()  # paths of further files, if the tab adds up several
    has_native: bool = True  # of a process: as in its ``Target``
    variables: tuple[str, ...] = ()  # of a process: as in its ``Target``
    family: int = 0  # PID of the followed process, also in its own tab; 0 = no family
    is_group: bool = False  # whether this is the tab of all processes of the family ``pid``
    family_name: str = ""  # title of the followed process's tab; "" = no family

    @property
    def paths(self) -> tuple[str, ...]:
        """The file of the tab, or all files that it adds up."""
        return (self.path, *self.more)


class WindowRecord(NamedTuple):
    """A window of the last run."""

    geometry: str  # as ``encode_geometry`` returns it
    is_active: bool  # whether it was used last


class OpenTabs:
    """Reads and stores tabs and windows. What cannot be read (of another version, or edited by
    hand) is left out. GUI thread."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    def read(self) -> tuple[TabRecord, ...]:
        """Return the stored tabs in their order."""
        try:
            stored = json.loads(str(self._settings.value(OPEN_TABS, "[]")))
        except (ValueError, RecursionError):
            return ()
        rows = stored[:_MOST_TABS] if isinstance(stored, list) else []
        return tuple(record for row in rows if (record := _read(row)) is not None)

    def read_windows(self) -> tuple[WindowRecord, ...]:
        """Return the stored windows in their order; empty = one window, at its default place."""
        try:
            stored = json.loads(str(self._settings.value(_WINDOWS_KEY, "[]")))
        except (ValueError, RecursionError):
            return ()
        rows = stored[:_MOST_WINDOWS] if isinstance(stored, list) else []
        return tuple(_read_window(row) for row in rows)

    def store(self, records: Sequence[TabRecord], windows: Sequence[WindowRecord] = ()) -> None:
        """Store tabs and windows, in place of those stored before."""
        self._settings.setValue(_WINDOWS_KEY, json.dumps([list(each) for each in windows]))
        if records:
            self._settings.setValue(OPEN_TABS, json.dumps([_write(each) for each in records]))
        else:
            self._settings.remove(OPEN_TABS)


def encode_geometry(geometry: QByteArray) -> str:
    """Return a result of ``QWidget.saveGeometry`` as text."""
    return bytes(geometry.toBase64().data()).decode("ascii")


def decode_geometry(text: str) -> QByteArray:
    """Return the geometry that ``encode_geometry`` encoded; Qt ignores that of any other text."""
    return QByteArray.fromBase64(text.encode("ascii", "replace"))


def _write(record: TabRecord) -> dict[str, object]:
    return {
        "path": record.path,
        "pid": record.pid,
        "began": record.began,
        "title": record.title,
        "view": record.view,
        "type": [record.sample_type.name, record.sample_type.unit],
        "transforms": [[step.kind.value, step.name] for step in record.transforms],
        "labels": sorted(map(list, record.labels)),
        "front": record.is_front,
        "span": record.span,
        "tids": sorted(record.tids)[:_MOST_THREADS],
        "window": record.window,
        "brush": list(record.brush) if record.brush is not None else None,
        "zoom": _write_zoom(record.zoom) if record.zoom is not None else None,
        "named": list(record.named) if record.named is not None else None,
        "growth": list(record.growth) if record.growth is not None else None,
        "layout": write_layout(record.layout) if record.layout is not None else None,
        "more": list(record.more),
        "native": record.has_native,
        "variables": list(record.variables),
        "family": record.family,
        "group": record.is_group,
        "family_name": record.family_name,
    }


def _write_zoom(zoom: ZoomRecord) -> list[object]:
    return [zoom.left, zoom.right, zoom.top_px, [list(step) for step in zoom.path[:_MOST_FRAMES]]]


def _read(row: object) -> TabRecord | None:
    match row:
        case {
            "path": str(path),
            "pid": int(pid),
            "began": str(began),
            "title": str(title),
            "view": str(view),
            "type": [str(name), str(unit)],
            "transforms": list(steps),
            "labels": list(labels),
            "front": bool(is_front),
        } if bool(path) != (pid > 0) and "\0" not in path:
            transforms = tuple(_read_step(step) for step in steps)
            filters = frozenset(_read_label(label) for label in labels)
            if None in transforms or None in filters:  # the others alone would show something else
                transforms, filters = (), frozenset()
            family, is_group, family_name = _read_family(row)
            return TabRecord(
                path,
                pid,
                began,
                title,
                view if view in _VIEWS else REMEMBERED_VIEWS[0],
                SampleType(name, unit),
                tuple(step for step in transforms if step is not None),
                frozenset(each for each in filters if each is not None),
                is_front,
                *_read_capture(row),
                _read_number(row),
                _read_brush(row),
                _read_zoom(row),
                _read_named(row),
                _read_growth(row),
                _read_layout(row),
                _read_more(row),
                *_read_target(row),
                family=family,
                is_group=is_group,
                family_name=family_name,
            )
    return None


def _read_capture(row: object) -> tuple[str, frozenset[int]]:
    """Return span and threads; older versions did not store them."""
    match row:
        case {"span": str(span), "tids": list(tids)} if all(type(tid) is int for tid in tids):
            return span, frozenset(tids[:_MOST_THREADS])
    return "", frozenset()


def _read_number(row: object) -> int:
    """Return the index of the window; older versions had one window."""
    match row:
        case {"window": int(number)} if 0 <= number < _MOST_WINDOWS:
            return number
    return 0


def _read_brush(row: object) -> Span | None:
    """Return the chosen span; older versions did not store it."""
    match row:
        case {"brush": [int(begin), int(end)]} if 0 <= begin < end < _MOST_NS:
            return begin, end
    return None


def _read_growth(row: object) -> Growth | None:
    """Return the chosen growth; older versions did not store it."""
    match row:
        case {"growth": [int(a), (int() | None) as b]} if 0 <= a < _MOST_NS:
            is_sound = b is None or 0 <= b < _MOST_NS
            return Growth(a, b) if is_sound else None
    return None


def _read_layout(row: object) -> ViewLayout | None:
    """Return the layout; older versions did not store it."""
    match row:
        case {"layout": stored}:
            return read_layout(stored)
    return None


def _read_more(row: object) -> tuple[str, ...]:
    """Return paths of further files; older versions did not store them."""
    match row:
        case {"more": list(paths)} if all(
            isinstance(path, str) and "\0" not in path for path in paths
        ):
            return tuple(paths)
    return ()


def _read_target(row: object) -> tuple[bool, tuple[str, ...]]:
    """Return the fields of ``Target`` besides PID and rates; older versions did not store them."""
    match row:
        case {"native": bool(has_native), "variables": list(variables)} if all(
            isinstance(each, str) for each in variables
        ):
            return has_native, tuple(variables)
    return True, ()


def _read_family(row: object) -> tuple[int, bool, str]:
    """Return the family, whether the tab is that of all processes, and the family's name; older
    versions did not store them."""
    match row:
        case {"family": int(family), "group": bool(is_group), "family_name": str(name)} if (
            family > 0
        ):
            return family, is_group, name
    return 0, False, ""


def _read_zoom(row: object) -> ZoomRecord | None:
    """Return the zoom; older versions did not store it."""
    match row:
        case {"zoom": [float(left), float(right), float(top_px), list(steps)]} if left < right:
            path = tuple(_read_pair(step) for step in steps[:_MOST_FRAMES])
            pairs = tuple(step for step in path if step is not None)
            is_sound = len(pairs) == len(path) and all(map(isfinite, (left, right, top_px)))
            return ZoomRecord(pairs, left, right, top_px) if is_sound else None
    return None


def _read_named(row: object) -> NamePattern | None:
    """Return the pattern of threads; older versions did not store it."""
    match row:
        case {"named": [str(pattern), bool(is_excluded)]}:
            return NamePattern(pattern, is_excluded)
    return None


def _read_window(row: object) -> WindowRecord:
    """Return a window. If it cannot be read, it keeps its index and opens at its default place."""
    match row:
        case [str(geometry), bool(is_active)]:
            return WindowRecord(geometry, is_active)
    return WindowRecord("", False)


def _read_label(label: object) -> LabelFilter | None:
    match label:
        case [str(key), str(pattern), bool(is_excluded)]:
            return LabelPattern(key, pattern, is_excluded)
    return _read_pair(label)


def _read_step(step: object) -> Transform | None:
    match step:
        case [str(kind), str(name)] if kind in _KINDS:
            return Transform(_KINDS[kind], name)
    return None


def _read_pair(pair: object) -> tuple[str, str] | None:
    """Return a label, or name and file of a frame; None = it cannot be read."""
    match pair:
        case [str(first), str(second)]:
            return (first, second)
    return None
