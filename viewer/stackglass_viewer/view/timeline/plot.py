"""Timeline plot: memory, rates, the collector's pauses and metrics over time, with markers.

The module imports pyqtgraph, which takes 0.2 s: import it only when a plot is needed. Times are in
units of 1 / UNITS_PER_S seconds.

::

    ┌──────┬──────────────────────┐
    │ MiB  │ RSS ─  in use ▒      │   markers a ┆ and b ┆ , span ░ over both
    ├──────┼──────────────────────┤
    │ MiB/s│ allocated ▁▂▁  pause │
    ├──────┼──────────────────────┤
    │      │ a lane of metrics    │
    └──────┴──────────────────────┘ m:ss
"""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from stackglass_viewer.model.memory.timeline import TimelinePicture
from stackglass_viewer.presenter.live.timeline_markers import TimelineMarks
from stackglass_viewer.view.timeline.axis import TimelineAxis
from stackglass_viewer.view.timeline.curves import (
    HEADROOM,
    draw_trace,
    find_highest,
    mark_pauses,
)
from stackglass_viewer.view.timeline.lane_row import LaneRow
from stackglass_viewer.view.timeline.points import TimelinePoints
from stackglass_viewer.view.widgets.accessible_parts import announce_current, offer_parts
from stackglass_viewer.view.widgets.shown_text import join_units
from stackglass_viewer.view.widgets.theme import Theme

_AXIS_PX = 82
_TIME_AXIS_PX = 20
_STRETCHES = (3, 2, 2)  # relative heights of the rows
_NO_LIMIT_PX = 16_777_215  # QWIDGETSIZE_MAX
_ROWS_FROM_PX = 56  # from this height on, there is room for all rows; below it, for the first
_GRAB_PX = 6  # greatest distance from a marker at which the pointer grabs it
_NOTCH = 120  # QWheelEvent.angleDelta of a notch
_ZOOM_PER_NOTCH = 1.25
_PAN_PX_PER_NOTCH = 80
_KEY_PX = 4  # step of a marker per arrow key
_KEY_FAST_PX = 40  # the same with Shift


class TimelinePlot(pg.GraphicsView):  # type: ignore[misc] # pyqtgraph has no types
    """Paints a picture and marks. A drag emits a marker's new time; the presenter then shows it."""

    marker_moved = Signal(str, float)  # a or b, units; while the user drags it
    marker_dropped = Signal()
    marker_stepped = Signal(int)  # pixels, by an arrow key
    span_drawn = Signal(float, float)  # units
    hovered = Signal(object)  # units; None = the pointer has left
    zoomed = Signal(float, float)  # time to zoom about in units, factor
    panned = Signal(float)  # units
    all_requested = Signal()
    escape_pressed = Signal()
    width_changed = Signal(int)  # width of the boxes with lines, pixels

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self.setObjectName("timelinePlot")
        self.setAccessibleName("Timeline")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAntialiasing(False)
        self._marks = TimelineMarks()
        self._picture: TimelinePicture | None = None
        self._held = ""  # held part: a, b, begin, end, press, brush; "" = none
        self._held_at = 0.0  # time that was pressed, units
        self._pressed_px = QPointF()
        self._grid = pg.GraphicsLayout()
        self._grid.setContentsMargins(0, 4, 8, 0)
        self._grid.setSpacing(0)
        self.setCentralItem(self._grid)
        self._memory, self._activity = (pg.ViewBox(enableMenu=False) for _ in range(2))
        self.lane = LaneRow()
        self._boxes = (self._memory, self._activity, self.lane.box)
        self._axes = (
            TimelineAxis("bytes", "left"),
            TimelineAxis("rate", "left"),
            TimelineAxis("clock", "bottom"),
        )
        self._hint = QLabel(self)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setWordWrap(True)
        self._hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        points = TimelinePoints(
            *(lambda: self._picture, lambda: self._marks, self._place, self._list_ticks),
            self.lane.describe,
        )
        offer_parts(self, points.parts)
        self._width_timer = QTimer(self)
        self._width_timer.setSingleShot(True)
        self._width_timer.timeout.connect(lambda: self.width_changed.emit(self._plot_px()))

    def lay_out(self) -> None:
        """Add boxes and axes. Call it once, then ``fill``, ``add_marks`` and ``set_theme``.

        Making a plot takes so long that the window would freeze, so each call is an incremental
        step, in its own turn of the event loop.
        """
        memory_axis, rate_axis, clock = self._axes
        axes = (memory_axis, rate_axis, self.lane.axis)
        for row, (axis, box) in enumerate(zip(axes, self._boxes, strict=True)):
            self._grid.addItem(axis, row, 0)
            self._grid.addItem(box, row, 1)
            axis.linkToView(box)
            axis.setWidth(_AXIS_PX)
            box.setMouseEnabled(False, False)
            box.setDefaultPadding(0)
        self._grid.addItem(clock, len(self._boxes), 1)
        clock.linkToView(self._activity)
        clock.setHeight(_TIME_AXIS_PX)
        for row, (box, stretch) in enumerate(zip(self._boxes, _STRETCHES, strict=True)):
            self._grid.layout.setRowStretchFactor(row, stretch)
            if box is not self._memory:
                box.setXLink(self._memory)

    def fill(self) -> None:
        """Add the lines to the boxes."""
        self._rss, self._in_use, self._rate = (pg.PlotCurveItem() for _ in range(3))
        self._pauses = tuple(pg.PlotCurveItem(connect="pairs") for _ in range(3))
        self._memory.addItem(self._in_use)
        self._memory.addItem(self._rss)
        self._activity.addItem(self._rate)
        for curve in self._pauses:
            self._activity.addItem(curve)
        self.lane.fill()

    def add_marks(self) -> None:
        """Add markers, spans, and the line under the pointer."""
        n_boxes = len(self._boxes)
        self._spans = tuple(pg.LinearRegionItem(movable=False) for _ in range(n_boxes))
        self._lines = tuple(
            {marker: pg.InfiniteLine(angle=90, movable=False) for marker in "ab"}
            for _ in range(n_boxes)
        )
        self._names = {
            marker: pg.InfLineLabel(self._lines[0][marker], marker.upper(), position=0.86)
            for marker in "ab"
        }
        self._pointers = tuple(pg.InfiniteLine(angle=90, movable=False) for _ in range(n_boxes))
        for box, span, pointer, lines in zip(
            self._boxes, self._spans, self._pointers, self._lines, strict=True
        ):
            box.addItem(span, ignoreBounds=True)
            box.addItem(pointer, ignoreBounds=True)
            pointer.hide()
            for line in lines.values():
                box.addItem(line, ignoreBounds=True)

    # -- what is shown

    def set_theme(self, theme: Theme) -> None:
        """Set the colours of lines, marks and axes."""
        self.resetCachedContent()  # pyqtgraph keeps an image of the background
        faint = QColor(theme.border)
        for axis in (*self._axes, self.lane.axis):
            axis.setPen(QPen(faint))
            axis.setTextPen(QPen(QColor(theme.muted)))
        self.lane.set_theme(theme)
        for box in self._boxes:
            box.setBackgroundColor(QColor(theme.flame_background))
            box.setBorder(QPen(faint))
        self._rss.setPen(_pen(theme.muted, 1))
        self._in_use.setPen(_pen(theme.accent, 1))
        self._in_use.setBrush(_wash(theme.accent, 0.35))
        self._in_use.setFillLevel(0)
        self._rate.setPen(_pen(theme.ok, 1))
        self._rate.setBrush(_wash(theme.ok, 0.25))
        self._rate.setFillLevel(0)
        pauses = (theme.faint, theme.warning, theme.danger)  # of generations 0, 1 and 2
        for curve, colour in zip(self._pauses, pauses, strict=True):
            curve.setPen(_pen(colour, 2))
        self._brushed, self._compared = _wash(theme.accent, 0.18), _wash(theme.muted, 0.10)
        for span in self._spans:
            for line in span.lines:
                line.setPen(_pen(theme.accent, 1))
        for lines in self._lines:
            for line in lines.values():
                line.setPen(_pen(theme.text, 1))
        for pointer in self._pointers:
            pointer.setPen(_pen(theme.faint, 1))
        for name in self._names.values():
            name.fill = pg.mkBrush(theme.text)
            name.setColor(QColor(theme.window))
            name.update()

    def show_picture(self, picture: TimelinePicture) -> None:
        """Draw the lines of a span of time."""
        self._picture = picture
        self._hint.setVisible(len(picture.accounted.time) == 0)
        draw_trace(self._rss, picture.rss)
        draw_trace(self._in_use, picture.accounted)
        draw_trace(self._rate, picture.rate)
        memory = max(find_highest(picture.rss), find_highest(picture.accounted), 1.0) * HEADROOM
        activity = max(find_highest(picture.rate), 1.0) * HEADROOM
        for generation, curve in enumerate(self._pauses):
            mark_pauses(curve, picture.pauses, generation, activity)
        self._memory.setRange(
            xRange=(picture.left, picture.right), yRange=(0, memory), padding=0, update=False
        )
        self._activity.setYRange(0, activity, padding=0)
        self._place_marks()

    def say(self, text: str) -> None:
        """Set the text that is shown while there is no memory in use to draw."""
        self._hint.setText(join_units(text))

    def show_marks(self, marks: TimelineMarks) -> None:
        """Move the markers and the span to their new places."""
        is_moved, self._marks = marks != self._marks, marks
        self._place_marks()
        if is_moved and self.hasFocus():
            announce_current(self)

    def _place_marks(self) -> None:
        marks = self._marks
        for marker in "ab":
            for lines in self._lines:
                lines[marker].setVisible(marks.mode == "growth")
                lines[marker].setPos(self._time_of(marker))
        name = "B = latest" if marks.b is None else "B"
        if self._names["b"].format != name:
            self._names["b"].setFormat(name)
        is_growth = marks.mode == "growth"
        ends = (self._time_of("a"), self._time_of("b")) if is_growth else marks.span
        for span in self._spans:
            span.setVisible(marks.mode != "now")
            span.setRegion((min(ends), max(ends)))
            span.setBrush(self._compared if is_growth else self._brushed)
            for edge in span.lines:
                edge.setVisible(not is_growth)

    def _time_of(self, marker: str) -> float:
        if marker == "a":
            return self._marks.a
        now = float(self._picture.now) if self._picture is not None else 0.0
        return now if self._marks.b is None else self._marks.b

    # -- pixels and time

    def _plot_px(self) -> int:
        return max(1, int(self._memory.boundingRect().width()))

    def _left_px(self) -> float:
        return float(self._memory.mapRectToScene(self._memory.boundingRect()).left())

    def _time_at(self, x_px: float) -> float:
        picture = self._picture
        if picture is None:
            return 0.0
        share = (x_px - self._left_px()) / self._plot_px()
        return picture.left + share * (picture.right - picture.left)

    def _px_of(self, time: float) -> float:
        picture = self._picture
        if picture is None or picture.right <= picture.left:
            return 0.0
        share = (time - picture.left) / (picture.right - picture.left)
        return self._left_px() + share * self._plot_px()

    def _place(self, time: float) -> QRect:
        """Return the rectangle of a time in the widget, for screen readers."""
        return QRect(round(self._px_of(time)), 0, 1, self.height())

    def _list_ticks(self) -> list[float]:
        """Return the times of the time axis's ticks, in units."""
        picture = self._picture
        if picture is None:
            return []
        ((_, ticks),) = self._axes[2].tickValues(picture.left, picture.right, self._plot_px())
        return list(ticks)

    def _grip_at(self, x_px: float) -> str:
        """Return what a press would grab: a, b, begin or end; "" = nothing."""
        marks = self._marks
        if marks.mode == "growth":
            near = {marker: abs(self._px_of(self._time_of(marker)) - x_px) for marker in "ba"}
        elif marks.mode == "span":
            ends = zip(("begin", "end"), marks.span, strict=True)
            near = {end: abs(self._px_of(time) - x_px) for end, time in ends}
        else:
            return ""
        grip = min(near, key=lambda each: near[each])
        return grip if near[grip] <= _GRAB_PX else ""

    # -- events

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_width_timer"):
            self._hint.setGeometry(self.rect())
            has_room = self.height() >= _ROWS_FROM_PX
            for part in (*self._boxes[1:], self._axes[1], self.lane.axis):
                part.setVisible(has_room)
                part.setMaximumHeight(_NO_LIMIT_PX if has_room else 0)
            self._width_timer.start(0)  # after the boxes are laid out

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._picture is None:
            return
        x_px = event.position().x()
        self._pressed_px = event.position()
        self._held = self._grip_at(x_px) or "press"
        self._held_at = self._time_at(x_px)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x_px = event.position().x()
        time = self._time_at(x_px)
        if self._held == "press":
            moved = (event.position() - self._pressed_px).manhattanLength()
            if moved >= QApplication.startDragDistance():
                self._held = "brush"
        if self._held in ("a", "b"):
            self.marker_moved.emit(self._held, time)
        elif self._held == "brush":
            self.span_drawn.emit(self._held_at, time)
        elif self._held in ("begin", "end"):
            begin, end = self._marks.span
            self.span_drawn.emit(*((time, end) if self._held == "begin" else (begin, time)))
        elif not self._held:
            self.setCursor(
                Qt.CursorShape.SizeHorCursor if self._grip_at(x_px) else Qt.CursorShape.CrossCursor
            )
        is_inside = self._left_px() <= x_px <= self._left_px() + self._plot_px()
        self._point_at(time if is_inside else None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        held, self._held = self._held, ""
        if held in ("a", "b"):
            self.marker_dropped.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.all_requested.emit()

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(None)

    def _point_at(self, time: float | None) -> None:
        for pointer in self._pointers:
            pointer.setVisible(time is not None)
            if time is not None:
                pointer.setPos(time)
        self.hovered.emit(time)

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not notches.y():
            step = notches.x() or notches.y()
            self._pan(-step / _NOTCH * _PAN_PX_PER_NOTCH)
        else:
            time = self._time_at(event.position().x())
            self.zoomed.emit(time, _ZOOM_PER_NOTCH ** (notches.y() / _NOTCH))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_fast = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        px = _KEY_FAST_PX if is_fast else _KEY_PX
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right as key:
                self._step(px if key == Qt.Key.Key_Right else -px)
            case Qt.Key.Key_0:
                self.all_requested.emit()
            case Qt.Key.Key_Escape if self._marks.mode != "now":
                self._held = ""  # else the next move would draw the span again
                self.escape_pressed.emit()
            case _:
                event.ignore()

    def _step(self, px: int) -> None:
        """Move the marker, or without one what is shown."""
        move = self._pan if self._marks.mode == "now" else self.marker_stepped.emit
        move(px)

    def _pan(self, px: float) -> None:
        self.panned.emit(px / max(self._px_of(1.0) - self._px_of(0.0), 1e-9))


def _pen(colour: str, width_px: int) -> QPen:
    pen = QPen(QColor(colour), width_px)
    pen.setCosmetic(True)
    return pen


def _wash(colour: str, share: float) -> Any:
    wash = QColor(colour)
    wash.setAlphaF(share)
    return pg.mkBrush(wash)
