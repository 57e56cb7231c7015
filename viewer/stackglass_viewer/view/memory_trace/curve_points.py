"""Accessible points of the memory curve: the cursor, the peak and the ticks of the ruler."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, QRect

from stackglass_viewer.model.units import format_value
from stackglass_viewer.presenter.memory_trace.curve import Curve
from stackglass_viewer.presenter.memory_trace.map_hover import read_curve
from stackglass_viewer.view.widgets.accessible_parts import AccessiblePart, Parts

CURSOR = 0
_PEAK = 1
_REACH_PX = 4  # to each side of a point


class CurvePoints:
    """Describes the points for screen readers, from what its view shows at the time of the call."""

    def __init__(
        self,
        find_curve: Callable[[], Curve | None],
        list_times: Callable[[], Sequence[int]],
        place: Callable[[int], QRect],
        find_zero: Callable[[], int],
    ) -> None:
        """``list_times``: returns the times of the cursor and of the ruler's ticks, ns.
        ``place``: returns the rectangle of a time in the widget.
        ``find_zero``: returns the time that the ruler counts from, ns."""
        self._find_curve = find_curve
        self._list_times = list_times
        self._place = place
        self._find_zero = find_zero

    @property
    def parts(self) -> Parts:
        return Parts(self._count, self._describe, self._find, lambda: CURSOR)

    def _count(self) -> int:
        return len(self._list_points())

    def _list_points(self) -> list[int]:
        """Return the times of cursor, peak and ticks in ns; none without a curve."""
        curve = self._find_curve()
        if curve is None:
            return []
        cursor, *marks = self._list_times()
        return [cursor, curve.peak[0], *marks]

    def _describe(self, index: int) -> AccessiblePart | None:
        curve, points = self._find_curve(), self._list_points()
        if curve is None or not 0 <= index < len(points):
            return None
        time_ns = points[index]
        size = curve.peak[1] if index == _PEAK else read_curve(curve, time_ns)
        at = format_value(time_ns - self._find_zero(), "nanoseconds")
        kind = {CURSOR: "Cursor at ", _PEAK: "Peak at "}.get(index, "")
        value = "not in view" if size is None else f"{format_value(size, 'bytes')} in use"
        return AccessiblePart(f"{kind}{at}", value, self._place(time_ns))

    def _find(self, at: QPoint) -> int:
        """Return the point at a pixel, -1 = none. Cursor and peak take precedence over ticks."""
        for index, time_ns in enumerate(self._list_points()):
            if self._place(time_ns).adjusted(-_REACH_PX, 0, _REACH_PX, 0).contains(at):
                return index
        return -1
