"""Time view: the base class of widgets that show a trace over time, with common mouse and keys.

A drag draws a brush, which is a span of time, and in the heap map also a range of addresses. A drag
in the gutter at the left of the heap map draws a range of addresses over all the visible time. A
click chooses a time. The wheel zooms. The wheel with Shift and a drag with the middle button pan.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.view.widgets.shown_text import join_units
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

GUTTER_PX = 92
"""Width of the captions at the left of every time view."""
_RIGHT_PX = 8
_NOTCH = 120.0  # QWheelEvent.angleDelta of a notch
_ZOOM = 1.25  # factor of a notch of the wheel, or of a key
_PAN = 0.1  # share of the visible time
_BRUSH_ALPHA, _OUTSIDE_ALPHA = 34, 110
_DIGITS = 10  # digits of an address that fit into the gutter


class TimeView(QWidget):
    """Holds the shown time, the cursor and the brush, and emits the user's choices.

    A position in the picture is given as shares of its width and height, 0 to 1. Subclasses paint
    the picture.
    """

    moment_chosen = Signal(object)  # ns, an int of 64 bits
    brush_drawn = Signal(object)  # (begin_ns, end_ns, top, bottom); top, bottom: shares
    brush_dropped = Signal()
    zoomed = Signal(object, object)  # (x, y) of the fixed point, as shares; (time, rows) factors
    panned = Signal(float, float)  # right, down: shares
    all_requested = Signal()
    play_toggled = Signal()
    width_changed = Signal()

    top_px, bottom_px = 0, 0  # margins of the picture within the widget
    is_two_dimensional = False  # whether a brush has a top and a bottom, and Ctrl+wheel zooms both

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.face = fixed_font()
        self.face.setPixelSize(11)
        self.metrics = QFontMetricsF(self.face)
        self.window_ns = (0, 1)
        self._cursor_ns = 0
        self.brush_ns: tuple[int, int] | None = None
        self._pressed: QPointF | None = None
        self._panned_from: QPointF | None = None
        self._drawn: tuple[QPointF, QPointF] | None = None  # ends of a drag under way
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # -- what is shown

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def show_window(self, window: MapWindow) -> None:
        """Set the time to show."""
        self.window_ns = (window.begin_ns, window.end_ns)
        self.update()

    def show_cursor(self, time_ns: int) -> None:
        if time_ns != self._cursor_ns:
            self._cursor_ns = time_ns
            self.update()

    def show_brush(self, ends_ns: tuple[int, int] | None) -> None:
        """Show the chosen span; None = there is none."""
        if ends_ns != self.brush_ns:
            self.brush_ns = ends_ns
            self.update()

    # -- geometry

    @property
    def picture_rect(self) -> QRect:
        """Area of the picture. Its width is the shown time."""
        return QRect(
            GUTTER_PX,
            self.top_px,
            max(self.width() - GUTTER_PX - _RIGHT_PX, 1),
            max(self.height() - self.top_px - self.bottom_px, 1),
        )

    def to_px(self, time_ns: int) -> float:
        """Return the x of a time."""
        begin_ns, end_ns = self.window_ns
        rect = self.picture_rect
        return rect.left() + (time_ns - begin_ns) / max(end_ns - begin_ns, 1) * rect.width()

    def to_ns(self, x: float) -> int:
        """Return the time at ``x``, limited to the shown time."""
        begin_ns, end_ns = self.window_ns
        rect = self.picture_rect
        share = min(max((x - rect.left()) / rect.width(), 0.0), 1.0)
        return min(begin_ns + round(share * (end_ns - begin_ns)), end_ns - 1)

    def to_share(self, y: float) -> float:
        """Return ``y`` as a share of the picture's height, limited to 0 to 1."""
        rect = self.picture_rect
        return min(max((y - rect.top()) / rect.height(), 0.0), 1.0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.width_changed.emit()

    # -- painting

    def paint_marks(self, painter: QPainter) -> None:
        """Paint brush, cursor and focus over the picture."""
        rect, theme = self.picture_rect, self.theme
        painter.save()
        painter.setClipRect(rect)
        if self._drawn is not None:
            self._paint_drawn(painter, *self._drawn)
        elif self.brush_ns is not None:
            left, right = (round(self.to_px(end)) for end in self.brush_ns)
            outside = QColor(theme.surface)
            outside.setAlpha(_OUTSIDE_ALPHA)
            painter.fillRect(rect.left(), rect.top(), left - rect.left(), rect.height(), outside)
            painter.fillRect(right, rect.top(), rect.right() - right + 1, rect.height(), outside)
            for edge in (left, right):
                painter.fillRect(edge, rect.top(), 1, rect.height(), QColor(theme.accent))
        painter.fillRect(
            round(self.to_px(self._cursor_ns)), rect.top(), 1, rect.height(), QColor(theme.danger)
        )
        if self.hasFocus():
            painter.setPen(QColor(theme.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        painter.restore()

    def _is_gutter(self, point: QPointF) -> bool:
        """Whether a pixel is in the gutter. In the heap map, a drag there chooses addresses."""
        return point.x() < self.picture_rect.left()

    def _paint_drawn(self, painter: QPainter, first: QPointF, last: QPointF) -> None:
        rect = self.picture_rect
        left, right = sorted((first.x(), last.x()))
        if self.is_two_dimensional and self._is_gutter(first):
            left, right = float(rect.left()), float(rect.right() + 1)
        top, bottom = float(rect.top()), float(rect.bottom() + 1)
        if self.is_two_dimensional:
            top, bottom = sorted((first.y(), last.y()))
        box = QRect(round(left), round(top), round(right - left), round(bottom - top))
        fill = QColor(self.theme.accent)
        fill.setAlpha(_BRUSH_ALPHA)
        painter.fillRect(box, fill)
        painter.setPen(QColor(self.theme.accent))
        painter.drawRect(box)

    def paint_caption(
        self, painter: QPainter, y: float, text: str, is_strong: bool = False
    ) -> None:
        """Paint a caption in the gutter, centred at ``y``."""
        painter.setPen(QColor(self.theme.muted if is_strong else self.theme.faint))
        half_px = self.metrics.height() / 2
        rect = QRect(4, round(y - half_px), GUTTER_PX - 10, round(2 * half_px) + 1)
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        cut = self.metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, side, cut)

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()
        if event.button() is Qt.MouseButton.MiddleButton:
            self._panned_from = event.position()
        elif event.button() is Qt.MouseButton.LeftButton:
            self._pressed = event.position()
            if self.is_ruler(event.position().y()):
                self.moment_chosen.emit(self.to_ns(event.position().x()))

    def is_ruler(self, y: float) -> bool:
        """Whether ``y`` is in a ruler, where a click or drag moves the cursor."""
        return False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point, rect = event.position(), self.picture_rect
        if self._panned_from is not None:
            moved = self._panned_from - point
            self._panned_from = point
            down = moved.y() / rect.height() if self.is_two_dimensional else 0.0
            self.panned.emit(moved.x() / rect.width(), down)
        elif self._pressed is not None:
            if self.is_ruler(self._pressed.y()):
                self.moment_chosen.emit(self.to_ns(point.x()))
                return
            is_far = (point - self._pressed).manhattanLength() >= QApplication.startDragDistance()
            if is_far or self._drawn is not None:
                self._drawn = (self._pressed, point)
                self.update()
        else:
            self.hover(point)

    def snap(self, begin_ns: int, end_ns: int) -> tuple[int, int]:
        """Return the brush for a drag from begin to end. Subclasses may widen it to whole bars."""
        return begin_ns, end_ns

    def hover(self, point: QPointF) -> None:
        """Called when the pointer moves with no button pressed; subclasses show a tool tip."""

    def click(self, point: QPointF) -> None:
        """Called when the left button was pressed and released without a drag."""
        self.moment_chosen.emit(self.to_ns(point.x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._panned_from = None
        pressed, drawn = self._pressed, self._drawn
        self._pressed = self._drawn = None
        if drawn is not None:
            self._draw_brush(*drawn)
        elif pressed is not None and not self.is_ruler(pressed.y()):
            self.click(event.position())
        self.update()

    def _draw_brush(self, first: QPointF, last: QPointF) -> None:
        """Emit the brush of a drag that ended. It is at least one pixel wide, so never empty."""
        begin, end = sorted(self.to_ns(each.x()) for each in (first, last))
        if self._is_gutter(first):
            if not self.is_two_dimensional and self._is_gutter(last):
                return
            if self.is_two_dimensional:
                begin, end = self.window_ns
        top, bottom = sorted(self.to_share(each.y()) for each in (first, last))
        if not self.is_two_dimensional:
            top, bottom = 0.0, 1.0
        least_ns = max((self.window_ns[1] - self.window_ns[0]) // self.picture_rect.width(), 1)
        self.brush_drawn.emit((*self.snap(begin, max(end, begin + least_ns)), top, bottom))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.all_requested.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = (event.angleDelta().y() or event.angleDelta().x()) / _NOTCH
        held = event.modifiers()
        if held & Qt.KeyboardModifier.ShiftModifier:
            self.panned.emit(-notches * _PAN, 0.0)
        else:
            factor = _ZOOM**notches
            is_both = self.is_two_dimensional and bool(held & Qt.KeyboardModifier.ControlModifier)
            rect, point = self.picture_rect, event.position()
            x = min(max((point.x() - rect.left()) / rect.width(), 0.0), 1.0)
            self.zoomed.emit((x, self.to_share(point.y())), (factor, factor if is_both else 1.0))
        event.accept()

    # -- keys

    def event(self, event: QEvent) -> bool:
        """Take Space as a key press, instead of the window's shortcut that pauses a capture."""
        is_override = event.type() is QEvent.Type.ShortcutOverride
        if not (is_override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space):
            return super().event(event)
        event.accept()
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, is_shifted = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        begin_ns, end_ns = self.window_ns
        step_ns = max((end_ns - begin_ns) // self.picture_rect.width(), 1)
        at = ((self._cursor_ns - begin_ns) / max(end_ns - begin_ns, 1), 0.5)
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            sign = 1 if key == Qt.Key.Key_Right else -1
            if is_shifted:
                self.panned.emit(sign * _PAN, 0.0)
            else:
                self.moment_chosen.emit(self._cursor_ns + sign * step_ns)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoomed.emit(at, (_ZOOM, 1.0))
        elif key == Qt.Key.Key_Minus:
            self.zoomed.emit(at, (1 / _ZOOM, 1.0))
        elif key == Qt.Key.Key_Home:
            self.all_requested.emit()
        elif key == Qt.Key.Key_Space:
            self.play_toggled.emit()
        elif key == Qt.Key.Key_Escape and self._drawn is not None:
            self._pressed = self._drawn = None
            self.update()
        elif key == Qt.Key.Key_Escape and self.brush_ns is not None:
            self.brush_dropped.emit()
        else:
            super().keyPressEvent(event)


def paint_note(painter: QPainter, view: TimeView, text: str) -> None:
    """Paint a text in the middle of an empty picture, in the font of other empty views."""
    painter.setFont(view.font())
    painter.setPen(QColor(view.theme.muted))
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.drawText(view.picture_rect, flags, join_units(text))


def shorten_address(address: int) -> str:
    """Return an address as ``…a20010000``: addresses of a process differ at their ends."""
    text = f"{address:x}"
    return f"…{text[-_DIGITS:]}" if len(text) > _DIGITS else f"0x{text}"
