"""Navigation in a heap map: zoom and pan in time and in addresses.

Fractions run from 0 to 1 over the visible part: in time from left to right, in addresses from the
top down. The lowest position on the axis is at the top.
"""

from __future__ import annotations

from stackglass_viewer.model.memory_trace.heap_map import MapWindow

_LEAST_NS = 1_000  # the shortest time that a map shows
_LEAST_BYTES = 256  # the fewest bytes of the axis that a map shows


class MapNavigation:
    """The part of the map that is to be shown. It holds state only."""

    def __init__(self, whole: MapWindow) -> None:
        self.whole = whole
        self._window = whole

    @property
    def window(self) -> MapWindow:
        return self._window

    @property
    def is_zoomed(self) -> bool:
        """Whether less than the whole trace is shown."""
        return self._window != self.whole

    def show(self, window: MapWindow) -> None:
        """Show this window, moved and cut to lie within the trace."""
        whole = self.whole
        begin_ns, end_ns = _fit(
            (window.begin_ns, window.end_ns), (whole.begin_ns, whole.end_ns), _LEAST_NS
        )
        low, high = _fit((window.low, window.high), (whole.low, whole.high), _LEAST_BYTES)
        self._window = MapWindow(begin_ns, end_ns, low, high)

    def show_all(self) -> None:
        self._window = self.whole

    def zoom(self, at: tuple[float, float], factors: tuple[float, float]) -> None:
        """Zoom about a point, ``at`` (time, address); factors above 1 show less of each."""
        window = self._window
        begin_ns, end_ns = _zoom((window.begin_ns, window.end_ns), at[0], factors[0])
        low, high = _zoom((window.low, window.high), at[1], factors[1])
        self.show(MapWindow(begin_ns, end_ns, low, high))

    def pan(self, right: float, down: float) -> None:
        """Move by shares of the visible width and height."""
        window = self._window
        time_ns = round(right * (window.end_ns - window.begin_ns))
        size = round(down * (window.high - window.low))
        self.show(
            MapWindow(
                window.begin_ns + time_ns,
                window.end_ns + time_ns,
                window.low + size,
                window.high + size,
            )
        )

    def follow(self, time_ns: int) -> bool:
        """Move so that a time is visible. Returns whether the window has moved."""
        window = self._window
        span = window.end_ns - window.begin_ns
        if window.begin_ns <= time_ns < window.end_ns:
            return False
        begin_ns = time_ns if time_ns >= window.end_ns else time_ns - span + 1
        self.show(window._replace(begin_ns=begin_ns, end_ns=begin_ns + span))
        return self._window != window


def _zoom(ends: tuple[int, int], at: float, factor: float) -> tuple[int, int]:
    begin, end = ends
    span = end - begin
    wanted = max(round(span / factor), 1)
    low = begin + round(at * (span - wanted))
    return low, low + wanted


def _fit(ends: tuple[int, int], whole: tuple[int, int], least: int) -> tuple[int, int]:
    """Return the span ``ends``, moved and cut to lie in ``whole``, and at least ``least`` long."""
    total = whole[1] - whole[0]
    span = min(max(ends[1] - ends[0], min(least, total)), total)
    begin = min(max(ends[0], whole[0]), whole[1] - span)
    return begin, begin + span
