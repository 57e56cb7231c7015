"""Accessible points of the timeline: markers, the last moment, the peak and the ticks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPoint, QRect

from stackglass_viewer.model.memory.timeline import (
    UNITS_PER_S,
    TimelineMoment,
    TimelinePicture,
    read_timeline,
)
from stackglass_viewer.model.units import format_clock, format_value
from stackglass_viewer.presenter.live.timeline_markers import TimelineMarks
from stackglass_viewer.view.widgets.accessible_parts import AccessiblePart, Parts

_REACH_PX = 4  # to each side of a point


class _Point(NamedTuple):
    kind: str  # ``Marker A at ``; "" = a tick of the axis
    time: float  # units


class TimelinePoints:
    """Describes the points for screen readers, from what its plot shows at the time of the call."""

    def __init__(
        self,
        find_picture: Callable[[], TimelinePicture | None],
        find_marks: Callable[[], TimelineMarks],
        place: Callable[[float], QRect],
        list_ticks: Callable[[], Sequence[float]],
        describe_lane: Callable[[float], str],
    ) -> None:
        """``place``: returns the rectangle of a time in the widget.
        ``list_ticks``: returns the times of the axis's ticks, in units.
        ``describe_lane``: returns the metrics of a time in words."""
        self._find_picture = find_picture
        self._find_marks = find_marks
        self._place = place
        self._list_ticks = list_ticks
        self._describe_lane = describe_lane

    @property
    def parts(self) -> Parts:
        return Parts(self._count, self._describe, self._find, self._find_current)

    def _list_points(self) -> list[_Point]:
        """Return all points, none without a picture; markers and span, which keys move, first."""
        picture = self._find_picture()
        if picture is None:
            return []
        marked = list(_list_marked(self._find_marks(), picture))
        ticks = (_Point("", time) for time in self._list_ticks() if time <= picture.now)
        return [*marked, _Point("Last at ", picture.now), *_find_peak(picture), *ticks]

    def _count(self) -> int:
        return len(self._list_points())

    def _describe(self, index: int) -> AccessiblePart | None:
        picture, points = self._find_picture(), self._list_points()
        if picture is None or not 0 <= index < len(points):
            return None
        kind, time = points[index]
        is_seen = picture.left <= time <= picture.right
        value = "not in view"
        if is_seen:
            values = (_say(read_timeline(picture, time, 0.0)), self._describe_lane(time))
            value = ". ".join(filter(None, values))
        return AccessiblePart(f"{kind}{format_clock(time / UNITS_PER_S)}", value, self._place(time))

    def _find(self, at: QPoint) -> int:
        """Return the first point within reach of a pixel, -1 = none."""
        for index, point in enumerate(self._list_points()):
            if self._place(point.time).adjusted(-_REACH_PX, 0, _REACH_PX, 0).contains(at):
                return index
        return -1

    def _find_current(self) -> int:
        return 0 if self._list_points() else -1


def _list_marked(marks: TimelineMarks, picture: TimelinePicture) -> Iterator[_Point]:
    if marks.mode == "growth":
        yield _Point("Marker A at ", marks.a)
        yield _Point("Marker B at ", picture.now if marks.b is None else marks.b)
    elif marks.mode == "span":
        begin, end = marks.span
        yield _Point("Span ends at ", end)
        yield _Point("Span begins at ", begin)


def _find_peak(picture: TimelinePicture) -> Iterator[_Point]:
    """Yield the peak of memory in use, or of RSS if that was not recorded."""
    trace = picture.accounted if len(picture.accounted.time) else picture.rss
    if len(trace.time):
        yield _Point("Peak at ", float(trace.time[int(np.argmax(trace.high))]))


def _say(moment: TimelineMoment) -> str:
    """Return a moment's values in words, without values that were not recorded."""
    words = [
        f"{format_value(value, 'bytes')}{suffix}"
        for value, suffix in (
            (moment.rss_bytes, " RSS"),
            (moment.accounted_bytes, " in use"),
            (moment.rate_bytes, " a second allocated"),
        )
        if value is not None
    ]
    return ", ".join(words) or "no memory recorded"
