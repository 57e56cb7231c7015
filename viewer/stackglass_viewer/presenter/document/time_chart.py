"""Time chart of a tab: lanes of its threads, the calls of one thread, and a heat map.

::

    Timed ──▶ lanes, for the visible rows and pixels ──▶ LanesPicture
      │  └──▶ calls of the chosen lane in the chosen span ──▶ FlameScene over time
      └─────▶ heat map of all lanes ──▶ HeatPicture
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.chart.heat_map import HeatMap, build_heat_map
from stackglass_viewer.model.chart.lanes import measure_lanes
from stackglass_viewer.model.chart.stack_chart import LIVE_CALLS, MOST_CALLS, build_stack_chart
from stackglass_viewer.model.chart.stretches import Lane
from stackglass_viewer.presenter.document.flame_scene import FlameScene, OverTime
from stackglass_viewer.presenter.document.lanes_picture import (
    LanesPicture,
    LanesViewport,
    count_bins,
    find_full,
    paint_lanes,
)
from stackglass_viewer.presenter.document.time_chart_data import Timed
from stackglass_viewer.presenter.settings.span_choice import Span
from stackglass_viewer.presenter.worker import Worker

_LEAST_NS = 1_000  # the shortest time that can fill the width


@dataclass(frozen=True, slots=True, eq=False)
class HeatPicture:
    """A heat map and the time that it covers."""

    heat: HeatMap
    first_ns: int
    last_ns: int

    @property
    def about(self) -> str:
        """A sentence about the columns of which only the seconds are known; "" = there are none."""
        if self.heat.n_averaged <= self.heat.n_untimed:
            return ""
        return "Left of the line, times are known to the second: all cells have its average"


@dataclass(frozen=True, slots=True)
class _Request:
    """The part of the chart to draw."""

    viewport: LanesViewport
    window: Span | None  # the time that the lanes show; None = all of it
    span: Span | None  # the chosen span; None = none
    lane: Lane | None  # the lane whose calls are shown; None = the first
    order: tuple[Lane, ...] = ()  # lanes that are shown first, in this order


class TimeChart(QObject):
    """Draws in a thread of its own, while a view shows the chart. GUI thread."""

    picture_changed = Signal(object)  # LanesPicture; None = there are no times
    chart_changed = Signal(object)  # FlameScene over time; None = there is nothing to draw
    heat_changed = Signal(object)  # HeatPicture
    chart_released = Signal()  # the drawn calls are released; they are drawn again when needed
    watched = Signal(bool)  # whether a view shows the chart; if so, ``set_timed`` is to follow

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker: Worker | None = None  # made when the chart is first shown
        self._timed: Timed | None = None
        self._wish = _Request(LanesViewport(), None, None, None)
        self._drawn_viewport = LanesViewport()  # of the last picture that was requested
        self._picture: LanesPicture | None = None
        self._chart: FlameScene | None = None
        self._is_watched = False
        self._is_heat = False

    @property
    def is_watched(self) -> bool:
        return self._is_watched

    @property
    def has_times(self) -> bool:
        """Whether the times of samples of this type are known."""
        return self._timed is not None

    @property
    def picture(self) -> LanesPicture | None:
        return self._picture

    def watch(self, is_watched: bool) -> None:
        """Note whether a view shows the chart: it is drawn only then."""
        if is_watched != self._is_watched:
            self._is_watched = is_watched
            self.watched.emit(is_watched)

    def set_timed(self, timed: Timed | None) -> None:
        """Set the data of another profile, or of one that has grown. None = times are not known, or
        were not requested because no view shows the chart."""
        if timed is self._timed and timed is not None:
            if self._wish.viewport != self._drawn_viewport:  # resized while it was hidden
                self._draw_lanes()
            return
        retired = [self._timed]
        self._timed = timed
        if self._worker is not None:
            self._worker.empty(retired)
        if not self._is_watched:
            if timed is None:
                self._release_chart()
            return
        self._wish = replace(self._wish, order=self._arrange(timed))
        if timed is None or not timed.stretches.n_lanes:
            self._picture = None
            self.picture_changed.emit(None)
            self.chart_changed.emit(None)
            self._keep_chart(None)
            return
        self._draw_lanes()
        self._draw_chart()
        self._draw_heat()

    def _release_chart(self) -> None:
        """Release the drawn calls, which no view shows: a chart takes tens of MiB."""
        if self._chart is not None:
            self.chart_released.emit()
            self._keep_chart(None)

    def _keep_chart(self, chart: FlameScene | None) -> None:
        """Keep the chart; the worker releases the one before."""
        retired = [self._chart]
        self._chart = chart
        if self._worker is not None:
            self._worker.empty(retired)

    def _arrange(self, timed: Timed | None) -> tuple[Lane, ...]:
        """Return the order of lanes. Lanes of a process stay in place, and new ones come last."""
        if timed is None or not timed.is_live:
            return ()
        return tuple(dict.fromkeys((*self._wish.order, *timed.stretches.lanes)))

    # -- what is to be drawn

    def set_viewport(self, viewport: LanesViewport) -> None:
        """Set the visible lanes and their pixels."""
        if viewport != self._wish.viewport:
            self._wish = replace(self._wish, viewport=viewport)
            self._draw_lanes()

    def set_span(self, span: Span | None) -> None:
        """Set the chosen span: the calls in it are shown."""
        if span != self._wish.span:
            self._wish = replace(self._wish, span=span)
            self._draw_chart()

    def choose_lane(self, lane: Lane) -> None:
        """Choose the thread whose calls are shown."""
        if lane != self._wish.lane:
            self._wish = replace(self._wish, lane=lane)
            self._draw_chart()
            self._draw_lanes()

    def show_heat(self, is_heat: bool) -> None:
        """Draw the heat map in place of the lanes, or the lanes."""
        self._is_heat = is_heat
        self._draw_heat()

    def zoom(self, center_ns: float, factor: float) -> None:
        """Show less time around a moment (``factor`` above 1), or more."""
        left, right = self._window()
        first, last = self._whole()
        span = min(max((right - left) / factor, _LEAST_NS), max(last - first, _LEAST_NS))
        share = (center_ns - left) / (right - left) if right > left else 0.5
        self._look_at(center_ns - share * span, span)

    def pan(self, ns: float) -> None:
        """Move the visible time by ``ns``: later (above 0) or earlier."""
        if self._wish.window is not None:
            left, right = self._window()
            self._look_at(left + ns, right - left)

    def show_all(self) -> None:
        """Show all of the time."""
        self._show_window(None)

    @property
    def is_zoomed(self) -> bool:
        """Whether the lanes show only a part of the time."""
        return self._wish.window is not None

    def leave(self) -> None:
        """Stop the thread; no signal is emitted any more."""
        self.blockSignals(True)
        if self._worker is not None:
            self._worker.leave()

    def wait(self) -> None:
        """Wait until the thread has ended. Any thread may call this method, after ``leave``."""
        if self._worker is not None:
            self._worker.wait()
        self._timed = self._picture = self._chart = None

    def _whole(self) -> Span:
        timed = self._timed
        return (0, 1) if timed is None else (timed.stretches.first_ns, timed.stretches.last_ns)

    def _window(self) -> Span:
        return self._wish.window or self._whole()

    def _look_at(self, left: float, span: float) -> None:
        first, last = self._whole()
        if span >= last - first:
            self.show_all()
            return
        begin = round(min(max(left, first), last - span))
        self._show_window((begin, begin + round(span)))

    def _show_window(self, window: Span | None) -> None:
        if window != self._wish.window:
            self._wish = replace(self._wish, window=window)
            self._draw_lanes()
            if self._wish.span is None:
                self._draw_chart()

    # -- drawing

    def _submit(
        self,
        key: str,
        draw: Callable[[Timed, _Request], object],
        show: Callable[[Any], object],
    ) -> None:
        timed, wish = self._timed, self._wish
        if not self._is_watched or timed is None or not timed.stretches.n_lanes:
            return
        if self._worker is None:
            self._worker = Worker("time", self)
        given = [timed]  # the worker takes the data out and releases them, because they are large

        def on_drawn(drawn: object) -> None:
            if self._timed is not None and self._timed.stretches.n_lanes:
                show(drawn)  # else there is nothing to draw any more

        self._worker.submit(key, lambda: draw(given.pop(), wish), on_drawn)

    def _draw_lanes(self) -> None:
        if self._is_watched and self._wish.viewport.width_px > 0:
            self._drawn_viewport = self._wish.viewport
            self._submit("lanes", _draw_lanes, self._on_lanes)

    def _draw_chart(self) -> None:
        self._submit("chart", _draw_chart, self._on_chart)

    def _draw_heat(self) -> None:
        if self._is_heat:
            self._submit("heat", _draw_heat, self.heat_changed.emit)

    def _on_chart(self, chart: FlameScene) -> None:
        self.chart_changed.emit(chart)
        self._keep_chart(chart)

    def _on_lanes(self, picture: LanesPicture) -> None:
        self._picture = picture
        self.picture_changed.emit(picture)


def _find_shown(timed: Timed, wish: _Request) -> list[int]:
    """Return the indices of the lanes, in the order in which they are shown."""
    places = {lane: place for place, lane in enumerate(wish.order)}
    lanes = timed.stretches.lanes
    return sorted(range(len(lanes)), key=lambda at: places.get(lanes[at], len(places)))


def _find_window(timed: Timed, wish: _Request) -> Span:
    first, last = (
        timed.stretches.first_ns,
        max(timed.stretches.last_ns, timed.stretches.first_ns + 1),
    )
    if wish.window is None:
        return first, last
    begin = min(max(wish.window[0], first), last - 1)
    return begin, max(min(wish.window[1], last), begin + 1)


def _draw_lanes(timed: Timed, wish: _Request) -> LanesPicture:
    view, window, stretches = wish.viewport, _find_window(timed, wish), timed.stretches
    shown = _find_shown(timed, wish)
    lanes = tuple(stretches.lanes[at] for at in shown)
    first = min(view.first_lane, len(shown))
    painted = shown[first : first + view.n_lanes]
    n_bins = count_bins(timed, view.width_px)
    activity = measure_lanes(stretches, painted, len(timed.kinds), window, n_bins)
    full = find_full(activity)
    return LanesPicture(
        lanes=lanes,
        chosen=lanes.index(wish.lane) if wish.lane in lanes else 0,
        first_lane=first,
        pixels=paint_lanes(timed, activity, view.lane_px, full),
        window=window,
        whole=(stretches.first_ns, max(stretches.last_ns, stretches.first_ns + 1)),
        activity=activity,
        kinds=timed.kinds,
        functions=stretches.tree.frame_name,
        full=full,
        timed_from_ns=stretches.precision.timed_from_ns,
    )


def _draw_chart(timed: Timed, wish: _Request) -> FlameScene:
    lanes = timed.stretches.lanes
    lane = lanes.index(wish.lane) if wish.lane in lanes else _find_shown(timed, wish)[0]
    begin, end = wish.span or _find_window(timed, wish)
    most_calls = LIVE_CALLS if timed.is_live else MOST_CALLS
    end = max(end, begin + 1)
    chart = build_stack_chart(timed.stretches, lane, begin, end, most_calls=most_calls)
    about = OverTime(chart.begin_ns, chart.end_ns, lanes[lane].name, chart.is_coarse)
    return FlameScene(
        tree=chart.calls,
        values=chart.values,
        layout=chart.layout,
        colours=timed.colours,
        root_colour=timed.root_colour,
        box_colours=timed.colour_kinds(chart.kind),
        over_time=about,
    )


def _draw_heat(timed: Timed, wish: _Request) -> HeatPicture:
    stretches = timed.stretches
    heat = build_heat_map(stretches, range(stretches.n_lanes), timed.heats)
    return HeatPicture(heat, stretches.first_ns, stretches.last_ns)
