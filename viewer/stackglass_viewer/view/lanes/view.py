"""Lanes: a row for each thread that shows how busy the thread was over time.

::

    ┌────────────┬──0.5 s────1 s────1.5 s──┐
    │ MainThread │ ▁▂▇▇▇▇▇▃░░░░░░▁▁▇▇▇▇▇▇  │   a span ░ is drawn over all lanes
    │ worker     │     ▂▂▂ ░░░░░░  ▇▇▇▇    │
    └────────────┴─────────────────────────┘
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from stackglass_viewer.presenter.document.lanes_picture import (
    LanesPicture,
    LanesViewport,
    describe_at,
    describe_busy,
    describe_scale,
    name_lane,
)
from stackglass_viewer.presenter.settings.span_choice import Span, describe_span
from stackglass_viewer.view.lanes.span_brush import SpanBrush
from stackglass_viewer.view.lanes.time_axis import AXIS_PX, paint_axis, paint_scale, paint_untimed
from stackglass_viewer.view.widgets.accessible_parts import (
    AccessiblePart,
    Parts,
    announce_current,
    offer_parts,
)
from stackglass_viewer.view.widgets.theme import Theme

LANE_PX, _BAR_PX = 24, 20  # height of a lane, and of the picture in it
NAMES_PX = 180  # width of the threads' names
_INSET_PX = 8
_GRAB_PX = 5  # greatest distance from an end of the span at which the pointer grabs the end
_NOTCH, _ZOOM_PER_NOTCH = 120, 1.25  # QWheelEvent.angleDelta of a notch; factor
_PAN_PER_NOTCH, _KEY_PAN, _KEY_STEP = 0.1, 0.15, 0.01  # shares of the shown time
_FIRST_SPAN = 0.1  # length of a span that keys begin, as a share of the shown time
_SHADE = 150  # opacity, of 255, of the shade over the time outside the span


class LanesView(QAbstractScrollArea):
    """A scroll area of lanes. It emits zoom and pan in time, which the presenter carries out.

    It paints the last picture that it was given. It requests a picture of the lanes in sight when
    it is scrolled or resized, or when the number of lanes changes.
    """

    viewport_changed = Signal(object)  # LanesViewport
    lane_chosen = Signal(object)  # Lane
    zoomed = Signal(float, float)  # time in ns to zoom about, factor
    panned = Signal(float)  # ns; above 0 = to later times
    all_requested = Signal()
    pointed = Signal(str)  # what is under the pointer; "" = nothing

    def __init__(self, brush: SpanBrush, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Threads over time")
        self.setMinimumSize(160, AXIS_PX + LANE_PX)
        self.viewport().setMouseTracking(True)
        self._brush = brush
        self._theme = theme
        self._picture: LanesPicture | None = None
        self._pressed_at: QPointF | None = None
        self._pointer_px: float | None = None
        brush.moved.connect(self.viewport().update)
        offer_parts(
            self, Parts(self._count, self._describe_lane, self._find_lane, self._find_chosen)
        )
        self.verticalScrollBar().setSingleStep(LANE_PX)
        self.verticalScrollBar().valueChanged.connect(self._request_picture)

    def show_picture(self, picture: LanesPicture | None) -> None:
        """Show a picture of lanes; None = there are no lanes."""
        old, self._picture = self._picture, picture
        self._fit_bar()
        if picture is not None and (old is None or len(old.lanes) != len(picture.lanes)):
            self._request_picture()
        self.viewport().update()
        if old is not None and picture is not None and old.chosen != picture.chosen:
            announce_current(self)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.viewport().update()

    @property
    def wanted_px(self) -> int:
        """Height of the axis and all lanes."""
        return AXIS_PX + LANE_PX * (len(self._picture.lanes) if self._picture is not None else 1)

    @property
    def is_zoomed(self) -> bool:
        """Whether only a part of the time is shown."""
        return self._picture is not None and self._picture.window != self._picture.whole

    # -- coordinates

    @property
    def _plot(self) -> QRectF:
        """Area of the lanes without their names, in pixels of the viewport."""
        size = self.viewport().size()
        names_px = min(NAMES_PX, size.width() // 3)
        return QRectF(names_px, AXIS_PX, size.width() - names_px, size.height() - AXIS_PX)

    def _moment_at(self, x_px: float) -> float:
        assert self._picture is not None
        begin, end = self._picture.window
        plot = self._plot
        share = (x_px - plot.left()) / max(plot.width(), 1)
        return begin + min(max(share, 0.0), 1.0) * (end - begin)

    def _place_of(self, at_ns: float) -> float:
        assert self._picture is not None
        begin, end = self._picture.window
        return self._plot.left() + (at_ns - begin) / (end - begin) * self._plot.width()

    def _lane_at(self, y_px: float) -> int:
        """Return the lane at ``y_px`` of the viewport; -1 = none."""
        if self._picture is None or y_px < AXIS_PX:
            return -1
        lane = int(y_px - AXIS_PX + self.verticalScrollBar().value()) // LANE_PX
        return lane if lane < len(self._picture.lanes) else -1

    def _fit_bar(self) -> None:
        room_px = self.viewport().height() - AXIS_PX
        beyond_px = self.wanted_px - AXIS_PX - room_px if self._picture is not None else 0
        self.verticalScrollBar().setPageStep(max(room_px, 1))
        self.verticalScrollBar().setRange(0, max(beyond_px, 0))

    def _request_picture(self) -> None:
        """Request a picture of the lanes in sight."""
        plot, ratio = self._plot, self.devicePixelRatioF()
        first = self.verticalScrollBar().value() // LANE_PX
        n_lanes = int(plot.height()) // LANE_PX + 2
        width_px, bar_px = round(plot.width() * ratio), round(_BAR_PX * ratio)
        self.viewport_changed.emit(LanesViewport(first, n_lanes, max(width_px, 0), bar_px))
        self.viewport().update()

    # -- for screen readers

    def _count(self) -> int:
        return len(self._picture.lanes) if self._picture is not None else 0

    def _describe_lane(self, lane: int) -> AccessiblePart | None:
        picture = self._picture
        if picture is None or lane >= len(picture.lanes):
            return None
        y = AXIS_PX + lane * LANE_PX - self.verticalScrollBar().value()
        rect = QRect(0, y, self.viewport().width(), LANE_PX)
        return AccessiblePart(name_lane(picture.lanes[lane]), describe_busy(picture, lane), rect)

    def _find_lane(self, point: QPoint) -> int:
        return self._lane_at(point.y())

    def _find_chosen(self) -> int:
        return self._picture.chosen if self._picture is not None else -1

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme, plot = QPainter(self.viewport()), self._theme, self._plot
        painter.fillRect(self.viewport().rect(), QColor(theme.flame_background))
        names = QRectF(0, 0, plot.left(), self.viewport().height())
        painter.fillRect(names, QColor(theme.surface))
        picture = self._picture
        if picture is not None:
            painter.setClipRect(QRectF(0, AXIS_PX, plot.right(), plot.height()))
            self._paint_lanes(painter, picture, plot)
            painter.setClipRect(plot)
            paint_untimed(painter, plot, self._place_of(picture.timed_from_ns), theme)
            self._paint_span(painter, plot)
            if self._pointer_px is not None and self._pointer_px >= plot.left():
                painter.setPen(QPen(QColor(theme.muted), 1))
                x = self._pointer_px
                painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
            painter.setClipping(False)
        axis = QRectF(plot.left(), 0, plot.width(), AXIS_PX)
        painter.fillRect(QRectF(0, 0, plot.right(), AXIS_PX), QColor(theme.surface))
        if picture is not None:
            paint_axis(painter, axis, picture.window, theme)
            corner = QRectF(0, 0, plot.left(), AXIS_PX)
            paint_scale(painter, corner, describe_scale(picture), theme)
        painter.end()

    def _paint_lanes(self, painter: QPainter, picture: LanesPicture, plot: QRectF) -> None:
        theme, metrics = self._theme, QFontMetricsF(self.font())
        painter.setFont(self.font())
        top_px = self.verticalScrollBar().value()
        first = top_px // LANE_PX
        last = min((top_px + int(plot.height())) // LANE_PX + 1, len(picture.lanes))
        for lane in range(first, last):
            y = AXIS_PX + lane * LANE_PX - top_px
            row = QRectF(0, y, plot.left(), LANE_PX)
            is_chosen = lane == picture.chosen
            if is_chosen:
                painter.fillRect(row, QColor(theme.accent_soft))
                painter.fillRect(QRectF(0, y, 3, LANE_PX), QColor(theme.accent))
            painter.setPen(QColor(theme.text if is_chosen else theme.muted))
            text = metrics.elidedText(
                name_lane(picture.lanes[lane]),
                Qt.TextElideMode.ElideMiddle,
                row.width() - 2 * _INSET_PX,
            )
            inner = row.adjusted(_INSET_PX, 0, -_INSET_PX, 0)
            painter.drawText(
                inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text
            )
            at = lane - picture.first_lane
            if 0 <= at < len(picture.pixels):
                pixels = picture.pixels[at]
                height, width = pixels.shape
                image = QImage(pixels.data, width, height, QImage.Format.Format_ARGB32)
                inset = (LANE_PX - _BAR_PX) / 2
                painter.drawImage(QRectF(plot.left(), y + inset, plot.width(), _BAR_PX), image)
            painter.setPen(QPen(QColor(theme.border), 1))
            painter.drawLine(
                QPointF(0, y + LANE_PX - 0.5), QPointF(plot.right(), y + LANE_PX - 0.5)
            )

    def _paint_span(self, painter: QPainter, plot: QRectF) -> None:
        span = self._brush.span
        if span is None:
            return
        left = min(max(self._place_of(span[0]), plot.left()), plot.right())
        right = min(max(self._place_of(span[1]), plot.left()), plot.right())
        shade = QColor(self._theme.flame_background)
        shade.setAlpha(_SHADE)
        painter.fillRect(QRectF(plot.left(), plot.top(), left - plot.left(), plot.height()), shade)
        painter.fillRect(QRectF(right, plot.top(), plot.right() - right, plot.height()), shade)
        painter.setPen(QPen(QColor(self._theme.accent), 2))
        for x in (left, right):
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))

    # -- events

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit_bar()
        self._request_picture()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turn, x_px = event.angleDelta(), event.position().x()
        is_zoom = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        is_pan = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        is_across = abs(turn.x()) > abs(turn.y())  # a touchpad sends a little of both
        turned = turn.y() / _NOTCH
        if self._picture is not None and is_zoom:
            self.zoomed.emit(self._moment_at(x_px), _ZOOM_PER_NOTCH**turned)
        elif self._picture is not None and (is_pan or is_across):
            begin, end = self._picture.window
            across = turn.x() / _NOTCH + (turned if is_pan else 0.0)
            self.panned.emit(-across * _PAN_PER_NOTCH * (end - begin))
        else:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() - round(turned * 2 * LANE_PX))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._picture is not None:
            self._pressed_at = event.position()
            fixed_ns = self._find_fixed_end(event.position())
            if fixed_ns is not None:
                self._brush.hold(fixed_ns)
        else:
            event.ignore()

    def _find_fixed_end(self, point: QPointF) -> float | None:
        """Return the end of the span that stays while the end under the pointer is dragged, in ns.

        Returns None if no end is under the pointer.
        """
        span = self._brush.span
        if span is None or self._picture is None or point.y() < AXIS_PX:
            return None
        for end_ns, other_ns in ((span[0], span[1]), (span[1], span[0])):
            if abs(self._place_of(end_ns) - point.x()) <= _GRAB_PX:
                return other_ns
        return None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position()
        self._pointer_px = point.x()
        picture, pressed = self._picture, self._pressed_at
        if picture is not None and pressed is not None:
            is_drag = (point - pressed).manhattanLength() >= QApplication.startDragDistance()
            if not self._brush.is_held and is_drag and pressed.x() >= self._plot.left():
                self._brush.hold(self._moment_at(pressed.x()))
            self._brush.drag(self._moment_at(point.x()))
        if picture is not None:
            self.pointed.emit(self._describe(picture, point))
            is_grab = self._find_fixed_end(point) is not None or self._brush.is_held
            shape = Qt.CursorShape.SizeHorCursor if is_grab else Qt.CursorShape.ArrowCursor
            self.viewport().setCursor(shape)
        self.viewport().update()

    def _describe(self, picture: LanesPicture, point: QPointF) -> str:
        """Return in words the span while it is drawn, else what is under the pointer."""
        if self._brush.is_held and self._brush.span is not None:
            return describe_span(self._brush.span)
        lane = self._lane_at(point.y())
        is_inside = lane >= 0 and point.x() >= self._plot.left()
        return describe_at(picture, lane, self._moment_at(point.x())) if is_inside else ""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._pressed_at is None:
            return
        self._pressed_at = None
        if self._brush.is_held:
            self._brush.release()
        else:
            self._choose(self._lane_at(event.position().y()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.all_requested.emit()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer_px = None
        self.pointed.emit("")
        self.viewport().update()

    def _choose(self, lane: int) -> None:
        if self._picture is not None and 0 <= lane < len(self._picture.lanes):
            bar, room_px = self.verticalScrollBar(), self.viewport().height() - AXIS_PX
            top_px = min(bar.value(), lane * LANE_PX)
            bar.setValue(max(top_px, (lane + 1) * LANE_PX - room_px))
            self.lane_chosen.emit(self._picture.lanes[lane])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, picture = Qt.Key(event.key()), self._picture
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        is_plain = not event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        )
        if key == Qt.Key.Key_Escape and self._brush.cancel():
            self._pressed_at = None
            return
        if picture is None or not is_plain:
            event.ignore()
            return
        begin, end = picture.window
        sign = -1 if key in (Qt.Key.Key_Left, Qt.Key.Key_A) else 1
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._choose(picture.chosen + (1 if key == Qt.Key.Key_Down else -1))
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._draw(sign * _KEY_STEP * (end - begin), is_shifted)
        elif key in (Qt.Key.Key_A, Qt.Key.Key_D):
            self.panned.emit(sign * _KEY_PAN * (end - begin))
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            power = -2 if key == Qt.Key.Key_Minus else 2
            self.zoomed.emit((begin + end) / 2, _ZOOM_PER_NOTCH**power)
        elif key == Qt.Key.Key_0:
            self.all_requested.emit()
        else:
            event.ignore()

    def _draw(self, step_ns: float, is_end: bool) -> None:
        """Move the span by keys, or only its end if ``is_end``.

        Without a span, the first key puts one into the middle of the shown time.
        """
        assert self._picture is not None
        (begin, end), whole = self._picture.window, self._picture.whole
        span = self._brush.span
        if span is None:
            middle, half = (begin + end) / 2, _FIRST_SPAN * (end - begin) / 2
            self._brush.draw((round(middle - half), round(middle + half)))
            return
        self._brush.draw(move_span(span, round(step_ns), is_end, whole))


def move_span(span: Span, step_ns: int, is_end: bool, whole: Span) -> Span:
    """Return ``span`` moved by ``step_ns`` within ``whole``, or with only its end moved."""
    if is_end:
        return span[0], min(max(span[1] + step_ns, span[0] + 1), max(whole[1], span[0] + 1))
    length = span[1] - span[0]
    begin = min(max(span[0] + step_ns, whole[0]), max(whole[1] - length, whole[0]))
    return begin, begin + length
