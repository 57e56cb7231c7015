"""Map view: the heap map, with time across, addresses down, and cells in the legend's colours."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.memory_trace.map_hover import (
    describe_area,
    describe_place,
    find_cell,
    find_fullest,
    locate_cell,
)
from stackglass_viewer.presenter.memory_trace.map_picture import MapPicture
from stackglass_viewer.view.memory_trace.time_view import (
    TimeView,
    paint_note,
    shorten_address,
)
from stackglass_viewer.view.widgets.accessible_parts import (
    AccessiblePart,
    Parts,
    announce_current,
    offer_parts,
)
from stackglass_viewer.view.widgets.shown_text import show_tip
from stackglass_viewer.view.widgets.theme import Theme

_LEAST_PX = 64
_CAPTION_PX = 26  # least distance between two addresses in the gutter
_GRID_ROWS, _GRID_COLUMNS = 12, 24  # of the coarse grid for keys and screen readers


class MapView(TimeView):
    """A map of cells; a click on a cell lists its blocks. Addresses are positions on the map's
    axis, which leaves out the unused gaps between regions."""

    cell_chosen = Signal(object)  # Cell
    addresses_drawn = Signal(object)  # (begin_ns, end_ns, low, high): positions on the axis

    top_px, bottom_px = 1, 1
    is_two_dimensional = True

    def __init__(self, trace: MemoryTrace, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._trace = trace
        self._picture: MapPicture | None = None
        self._image = QImage()
        self._rows = (0, 1)  # shown positions on the axis: (low, high)
        self._addresses: tuple[int, int] | None = None
        self.setMinimumHeight(_LEAST_PX)
        self.setAccessibleName("Heap map: addresses over time")
        self.brush_drawn.connect(self._on_brush)
        self._row = 0  # row of the grid that keys have chosen
        offer_parts(self, Parts(self._count, self._describe, self._find_part, self._find_current))

    def sizeHint(self) -> QSize:
        return QSize(600, 220)

    def show_window(self, window: MapWindow) -> None:
        self._rows = (window.low, window.high)
        super().show_window(window)

    def show_picture(self, picture: MapPicture) -> None:
        rows, columns = picture.pixels.shape
        self._picture = picture  # it owns the image's pixels
        self._image = QImage(
            picture.pixels.data,
            columns,
            rows,
            columns * 4,
            QImage.Format.Format_ARGB32_Premultiplied,
        )
        self.update()

    @property
    def shape_px(self) -> tuple[int, int]:
        """Size of the picture: (rows, columns) in pixels."""
        rect = self.picture_rect
        return rect.height(), rect.width()

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.face)
        rect, picture = self.picture_rect, self._picture
        painter.fillRect(rect, QColor(self.theme.flame_background))
        if picture is None:
            paint_note(painter, self, "Drawing the heap map…")
        else:
            painter.save()
            painter.setClipRect(rect)
            painter.drawImage(self._place(picture), self._image)
            painter.restore()
            self._paint_addresses(painter, picture)
        self.paint_marks(painter)

    def show_addresses(self, ends: tuple[int, int] | None) -> None:
        """Show the positions on the axis between which the brush lies; None = all."""
        self._addresses = ends
        self.update()

    def paint_marks(self, painter: QPainter) -> None:
        super().paint_marks(painter)
        if self.hasFocus():
            painter.setPen(QColor(self.theme.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self._part_rect(self._find_current()).adjusted(0, 0, -1, -1))
        if self._addresses is None or self.brush_ns is None:
            return
        rect = self.picture_rect
        left, right = (
            round(min(max(self.to_px(end), rect.left()), rect.right())) for end in self.brush_ns
        )
        for position in self._addresses:
            y = round(self._to_y(position))
            if rect.top() <= y <= rect.bottom():
                painter.fillRect(left, y, right - left, 1, QColor(self.theme.accent))

    def _place(self, picture: MapPicture) -> QRectF:
        """Return the rectangle of a picture, stretched from its window to the window shown now."""
        window = picture.heap_map.window
        left, right = self.to_px(window.begin_ns), self.to_px(window.end_ns)
        top, bottom = self._to_y(window.low), self._to_y(window.high)
        return QRectF(left, top, right - left, bottom - top)

    def _to_y(self, position: int) -> float:
        rect, (low, high) = self.picture_rect, self._rows
        return rect.top() + (position - low) / max(high - low, 1) * rect.height()

    def _to_position(self, y: float) -> int:
        low, high = self._rows
        return min(low + int(self.to_share(y) * (high - low)), high - 1)

    def _paint_addresses(self, painter: QPainter, picture: MapPicture) -> None:
        """Paint a line where each region begins, and its address as far as there is room."""
        axis, rect = picture.heap_map.axis, self.picture_rect
        last_y = -1.0 * _CAPTION_PX
        for start, position in zip(axis.start.tolist(), axis.position.tolist(), strict=False):
            y = self._to_y(position)
            if y < rect.top() - 0.5 or y > rect.bottom():
                continue
            if position and y - last_y >= 3:
                painter.fillRect(rect.left(), round(y), rect.width(), 1, self._line_colour)
            if y - last_y >= _CAPTION_PX or last_y < 0:
                half_px = self.metrics.height() / 2
                middle = min(max(y, rect.top()) + half_px, rect.bottom() - half_px)
                self.paint_caption(painter, middle, shorten_address(start))
                last_y = y

    @property
    def _line_colour(self) -> QColor:
        colour = QColor(self.theme.strong_border)
        colour.setAlpha(150)
        return colour

    # -- pointer

    def hover(self, point: QPointF) -> None:
        found = self._find(point)
        if found is None or self._picture is None:
            QToolTip.hideText()
            return
        text = describe_place(self._trace, self._picture, found)
        show_tip(self.mapToGlobal(point.toPoint()), text, self)

    def _find(self, point: QPointF) -> tuple[int, int] | None:
        picture = self._picture
        if picture is None or not self.picture_rect.contains(point.toPoint()):
            return None
        return find_cell(picture.heap_map, self.to_ns(point.x()), self._to_position(point.y()))

    def click(self, point: QPointF) -> None:
        found = self._find(point)
        if found is not None and self._picture is not None:
            self.cell_chosen.emit(locate_cell(self._picture.heap_map, found))

    # -- keys and screen readers: a coarse grid over the map

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move through the addresses at the cursor by Up and Down; list blocks by Enter."""
        key = event.key()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = -1 if key == Qt.Key.Key_Up else 1
            self._row = min(max(self._row + step, 0), _GRID_ROWS - 1)
            self.update()
            announce_current(self)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._list_blocks()
        else:
            super().keyPressEvent(event)

    def _list_blocks(self) -> None:
        """List the blocks of the fullest cell at the cursor in the chosen row of the grid."""
        picture = self._picture
        if picture is None:
            return
        low, high = self._find_addresses(self._row)
        found = find_fullest(picture.heap_map, self._cursor_ns, low, high)
        if found is not None:
            self.cell_chosen.emit(locate_cell(picture.heap_map, found))

    def _find_addresses(self, row: int) -> tuple[int, int]:
        """Return the positions on the axis, (low, high), that a row of the grid covers."""
        low, high = self._rows
        first, last = (low + (row + each) * (high - low) // _GRID_ROWS for each in (0, 1))
        return first, max(last, first + 1)

    def show_cursor(self, time_ns: int) -> None:
        before = self._find_current()
        super().show_cursor(time_ns)
        if self.hasFocus() and before != self._find_current():
            announce_current(self)

    def _part_rect(self, index: int) -> QRect:
        row, column = divmod(index, _GRID_COLUMNS)
        area = self.picture_rect
        left, right = ((column + each) * area.width() // _GRID_COLUMNS for each in (0, 1))
        top, bottom = ((row + each) * area.height() // _GRID_ROWS for each in (0, 1))
        return QRect(area.left() + left, area.top() + top, right - left, bottom - top)

    def _count(self) -> int:
        return _GRID_ROWS * _GRID_COLUMNS if self._picture is not None else 0

    def _describe(self, index: int) -> AccessiblePart | None:
        picture, rect = self._picture, self._part_rect(index)
        if picture is None:
            return None
        row, column = divmod(index, _GRID_COLUMNS)
        begin_ns, end_ns = self.window_ns
        time_ns = begin_ns + (2 * column + 1) * (end_ns - begin_ns) // (2 * _GRID_COLUMNS)
        if index == self._find_current():
            time_ns = self._cursor_ns
        texts = describe_area(self._trace, picture, time_ns, *self._find_addresses(row))
        return AccessiblePart(*texts, rect) if texts is not None else None

    def _find_part(self, point: QPoint) -> int:
        area = self.picture_rect
        if not area.contains(point):
            return -1
        row = (point.y() - area.top()) * _GRID_ROWS // area.height()
        return row * _GRID_COLUMNS + (point.x() - area.left()) * _GRID_COLUMNS // area.width()

    def _find_current(self) -> int:
        area = self.picture_rect
        x = min(max(round(self.to_px(self._cursor_ns)), area.left()), area.right())
        column = (x - area.left()) * _GRID_COLUMNS // area.width()
        return self._row * _GRID_COLUMNS + column

    def _on_brush(self, drawn: tuple[int, int, float, float]) -> None:
        begin_ns, end_ns, top, bottom = drawn
        low, high = self._rows
        ends = (low + int(share * (high - low)) for share in (top, bottom))
        self.addresses_drawn.emit((begin_ns, end_ns, *ends))
