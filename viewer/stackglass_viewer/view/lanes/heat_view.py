"""Heat map: a column for each second, a cell for each 20 ms of it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from stackglass_viewer.model.chart.heat_map import CELL_NS, CELLS_A_COLUMN, COLUMN_NS, HeatMap
from stackglass_viewer.model.columns.index import Int64s, UInt32s
from stackglass_viewer.presenter.document.lanes_picture import UNTIMED
from stackglass_viewer.presenter.document.time_chart import HeatPicture
from stackglass_viewer.presenter.settings.span_choice import Span, describe_moment, describe_span
from stackglass_viewer.view.lanes.span_brush import SpanBrush
from stackglass_viewer.view.lanes.time_axis import AXIS_PX, paint_axis, paint_untimed
from stackglass_viewer.view.lanes.view import NAMES_PX, move_span
from stackglass_viewer.view.widgets.accessible_parts import (
    AccessiblePart,
    Parts,
    announce_current,
    offer_parts,
)
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

_MOST_COLUMN_PX = 24
_INSET_PX = 8
_AVERAGE = " on average, of times that are known to the second"
_LEAST = 0.15  # least share of the colour in a cell that is not empty
_FADED = 0.3  # share of its colour that a cell outside the span keeps
_LABELS = ((0, "0 ms"), (25, "500 ms"), (50, "1 s"))
_STEPS = {
    Qt.Key.Key_Left: -COLUMN_NS,
    Qt.Key.Key_Right: COLUMN_NS,
    Qt.Key.Key_Up: -CELL_NS,
    Qt.Key.Key_Down: CELL_NS,
}


class HeatView(QWidget):
    """A map of cells: the more threads were busy, the more colour a cell has. A drag over cells
    chooses their time."""

    pointed = Signal(str)  # what is under the pointer; "" = nothing

    def __init__(self, brush: SpanBrush, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Heat map of fractions of a second")
        self.setMinimumSize(160, AXIS_PX + CELLS_A_COLUMN)
        self._brush = brush
        self._theme = theme
        self._picture: HeatPicture | None = None
        self._pressed: int | None = None  # cell
        brush.moved.connect(self.update)
        offer_parts(
            self, Parts(self._count, self._describe_cell, self._find_cell, self._find_first)
        )

    @property
    def picture(self) -> HeatPicture | None:
        return self._picture

    def show_picture(self, picture: HeatPicture | None) -> None:
        """Show a heat map; None = the samples have no times."""
        self._picture = picture
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    # -- cells and their times

    @property
    def _map(self) -> QRectF:
        """Area of the cells, in pixels."""
        names_px = min(NAMES_PX, self.width() // 3)
        n_columns = self._picture.heat.n_columns if self._picture is not None else 1
        width = min(self.width() - names_px, n_columns * _MOST_COLUMN_PX)
        return QRectF(names_px, AXIS_PX, width, self.height() - AXIS_PX)

    def _cell_at(self, point: QPointF, is_near: bool = False) -> int | None:
        """Return the cell at a pixel, counted from the first of the first column; None = none.

        With ``is_near``, return the nearest cell if the pixel is outside all of them.
        """
        picture, area = self._picture, self._map
        if picture is None or not (is_near or area.contains(point)):
            return None
        n_columns = picture.heat.n_columns
        column = int((point.x() - area.left()) / max(area.width(), 1) * n_columns)
        row = int((point.y() - area.top()) / max(area.height(), 1) * CELLS_A_COLUMN)
        column = min(max(column, 0), n_columns - 1)
        return column * CELLS_A_COLUMN + min(max(row, 0), CELLS_A_COLUMN - 1)

    def _time_of(self, cell: int) -> Span:
        assert self._picture is not None
        begin = self._picture.heat.begin_ns + cell * CELL_NS
        return begin, begin + CELL_NS

    def _clip(self, span: Span) -> Span:
        assert self._picture is not None
        begin = min(max(span[0], self._picture.first_ns), self._picture.last_ns - 1)
        return begin, max(min(span[1], self._picture.last_ns), begin + 1)

    # -- for screen readers: the cells with busy threads

    def _list_busy(self) -> Int64s:
        if self._picture is None:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(self._picture.heat.heat)

    def _count(self) -> int:
        return len(self._list_busy())

    def _describe_cell(self, index: int) -> AccessiblePart | None:
        cells = self._list_busy()
        if self._picture is None or index >= len(cells):
            return None
        cell, area = int(cells[index]), self._map
        column, row = divmod(cell, CELLS_A_COLUMN)
        width = area.width() / self._picture.heat.n_columns
        height = area.height() / CELLS_A_COLUMN
        point = QPointF(area.left() + column * width, area.top() + row * height)
        name, _, value = self.describe(cell).rpartition(": ")
        return AccessiblePart(name, value, QRectF(point, QSizeF(width, height)).toAlignedRect())

    def _index_of(self, cell: int | None) -> int:
        cells = self._list_busy()
        at = int(np.searchsorted(cells, -1 if cell is None else cell))
        return at if at < len(cells) and cells[at] == cell else -1

    def _find_cell(self, point: QPoint) -> int:
        return self._index_of(self._cell_at(QPointF(point)))

    def _find_first(self) -> int:
        """Return the index of the span's first cell among the busy cells; -1 = none."""
        picture, span = self._picture, self._brush.span
        if picture is None or span is None:
            return -1
        return self._index_of((span[0] - picture.heat.begin_ns) // CELL_NS)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme, area = QPainter(self), self._theme, self._map
        painter.fillRect(self.rect(), QColor(theme.flame_background))
        painter.fillRect(QRectF(0, 0, area.left(), self.height()), QColor(theme.surface))
        painter.fillRect(QRectF(0, 0, self.width(), AXIS_PX), QColor(theme.surface))
        picture = self._picture
        if picture is not None:
            pixels = self._colour(picture)
            height, width = pixels.shape
            image = QImage(pixels.data, width, height, QImage.Format.Format_RGB32)
            is_dense = width > area.width()  # columns are narrower than pixels: mix them
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_dense)
            painter.drawImage(area, image)
            begin = picture.heat.begin_ns
            window = (begin, begin + picture.heat.n_columns * COLUMN_NS)
            paint_axis(painter, QRectF(area.left(), 0, area.width(), AXIS_PX), window, theme)
            self._paint_labels(painter, area)
            self._paint_precision(painter, area, picture.heat)
        painter.end()

    def _paint_precision(self, painter: QPainter, area: QRectF, heat: HeatMap) -> None:
        """Hatch the columns without times, and draw a line where exact times begin."""
        column_px = area.width() / heat.n_columns
        untimed_px = area.left() + heat.n_untimed * column_px
        paint_untimed(painter, area, untimed_px, self._theme)
        if heat.n_averaged > heat.n_untimed:
            x = area.left() + heat.n_averaged * column_px
            painter.setPen(QPen(QColor(self._theme.muted), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))

    def _paint_labels(self, painter: QPainter, area: QRectF) -> None:
        """Paint the part of the second at the top, the middle and the bottom of the map."""
        painter.setFont(fixed_font())
        painter.setPen(QColor(self._theme.muted))
        height = painter.fontMetrics().height()
        for row, text in _LABELS:
            y = area.top() + row / CELLS_A_COLUMN * area.height() - height / 2
            y = min(max(y, area.top()), area.bottom() - height)
            box = QRectF(0, y, area.left() - _INSET_PX, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight, text)

    def _colour(self, picture: HeatPicture) -> UInt32s:
        """Return the cells' colours, (CELLS_A_COLUMN, n_columns) uint32, 0xffRRGGBB."""
        heat = picture.heat.heat / max(picture.heat.most, 1e-9)
        share = np.where(heat > 0, _LEAST + (1 - _LEAST) * heat, 0.0)
        span = self._brush.span
        if span is not None:
            begins = picture.heat.begin_ns + np.arange(heat.size).reshape(heat.shape) * CELL_NS
            is_beside = (begins + CELL_NS <= span[0]) | (begins >= span[1])
            share = np.where(is_beside, share * _FADED, share)
        cold, hot = QColor(self._theme.flame_background), QColor(self._theme.accent)
        pixels = np.full(heat.shape, 0xFF000000, dtype=np.uint32)
        for low, high, shift in (
            (cold.red(), hot.red(), 16),
            (cold.green(), hot.green(), 8),
            (cold.blue(), hot.blue(), 0),
        ):
            pixels |= np.rint(low + (high - low) * share).astype(np.uint32) << np.uint32(shift)
        return np.ascontiguousarray(pixels.T)

    # -- events

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self._pressed = self._cell_at(event.position())
        self._drag(event.position())

    def _drag(self, point: QPointF) -> None:
        """Draw the span from the cell that was pressed to the one at ``point``, both included."""
        cell = self._cell_at(point, is_near=True)
        if self._pressed is not None and cell is not None:
            first, last = sorted((self._pressed, cell))
            span = self._clip((self._time_of(first)[0], self._time_of(last)[1]))
            self._brush.hold(span[0])
            self._brush.drag(*span)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._drag(event.position())
        if self._pressed is not None and self._brush.span is not None:
            self.pointed.emit(describe_span(self._brush.span))
        else:
            self.pointed.emit(self.describe(self._cell_at(event.position())))

    def describe(self, cell: int | None) -> str:
        """Return a cell in words: ``1.24 s to 1.26 s: 1.5 threads busy``; "" for None. A cell that
        has the average of its second stands for the second."""
        if cell is None or self._picture is None:
            return ""
        begin, end = self._time_of(cell)
        column, drawn = cell // CELLS_A_COLUMN, self._picture.heat
        if column < drawn.n_untimed:
            return f"{describe_moment(begin)}: {UNTIMED}"
        is_average = column < drawn.n_averaged
        if is_average:
            begin = drawn.begin_ns + column * COLUMN_NS
            end = begin + COLUMN_NS
        heat = float(drawn.heat.ravel()[cell])
        busy = f"{heat:.2g}" if heat < 10 else f"{heat:.0f}"
        what = "thread" if busy == "1" else "threads"
        text = f"{describe_moment(begin)} to {describe_moment(end)}: {busy} {what} busy"
        return text + _AVERAGE if is_average else text

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._pressed is not None:
            self._pressed = None
            self._brush.release()

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed.emit("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, picture = Qt.Key(event.key()), self._picture
        is_plain = not event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        )
        if key == Qt.Key.Key_Escape and self._brush.cancel():
            self._pressed = None
        elif picture is not None and is_plain and key in _STEPS:
            span = self._brush.span
            if span is None:  # begin at the hottest cell
                self._brush.draw(self._clip(self._time_of(int(np.argmax(picture.heat.heat)))))
                announce_current(self)
                return
            is_end = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            whole = (picture.first_ns, picture.last_ns)
            self._brush.draw(move_span(span, _STEPS[key], is_end, whole))
            announce_current(self)
        else:
            event.ignore()
