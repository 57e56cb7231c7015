"""Lanes view: what each thread did over time, with garbage collections and regions."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.units import format_quantity, format_value, make_printable
from stackglass_viewer.presenter.memory_trace.block_texts import name_thread
from stackglass_viewer.presenter.memory_trace.lane_colours import colour_lanes, list_state_colours
from stackglass_viewer.presenter.memory_trace.lane_picture import (
    LaneTable,
    TraceLanePicture,
    caption_lane,
    describe_left_out,
    find_slice,
)
from stackglass_viewer.view.memory_trace.time_view import TimeView, paint_note
from stackglass_viewer.view.widgets.accessible_parts import (
    AccessiblePart,
    Parts,
    announce_current,
    offer_parts,
)
from stackglass_viewer.view.widgets.shown_text import show_tip
from stackglass_viewer.view.widgets.theme import Theme

_LANE_PX, _GAP_PX = 18, 3
_REACH_PX = 3  # greatest distance from the pointer to a slice that it points at
_LEGEND_PX, _SWATCH_PX = 18, 9  # height of the legend, and of a colour in it
_NOTHING = (
    "The recording has no states of threads, waits, collections or regions. "
    "`stackglass record --profile memory` records them, but not with --no-states."
)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TraceLanesView(TimeView):
    """As many lanes as there is room for; the wheel with Ctrl scrolls to the others."""

    top_px, bottom_px = 2, 2

    def __init__(self, trace: MemoryTrace, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._trace = trace
        self._table: LaneTable | None = None
        self._picture: TraceLanePicture | None = None
        self._colours: tuple[QColor, ...] = ()
        self._state_colours: tuple[tuple[str, int], ...] = ()  # (state, colour)
        self._left_out = ""  # how many lanes are not shown; "" = all are
        self._first = 0  # lane at the top
        self._palette: Palette | None = None
        self._row = 0  # lane that the arrow keys have chosen
        offer_parts(self, Parts(self._count, self._describe, self._find_row, self._find_current))
        self.setAccessibleName("Threads, collections and regions over time")

    def sizeHint(self) -> QSize:
        return QSize(600, 160)

    def show_lanes(self, table: LaneTable) -> None:
        self._table = table
        self._left_out = describe_left_out(table)
        self.setAccessibleDescription(self._left_out)
        self._choose_colours()

    def show_picture(self, picture: TraceLanePicture) -> None:
        self._picture = picture
        self.update()

    def show_palette(self, palette: Palette) -> None:
        self._palette = palette
        self._choose_colours()

    def _choose_colours(self) -> None:
        table, palette = self._table, self._palette
        if table is None or palette is None:
            return
        self._colours = tuple(map(QColor.fromRgba, colour_lanes(table, palette)))
        self._state_colours = list_state_colours(table, palette)
        has_legend = bool(self._state_colours or self._left_out)
        self.bottom_px = _LEGEND_PX if has_legend else type(self).bottom_px
        self.update()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._choose_colours()

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.face)
        rect, table, picture = self.picture_rect, self._table, self._picture
        painter.fillRect(rect, QColor(self.theme.flame_background))
        if table is None or not len(table):
            paint_note(painter, self, "…" if table is None else _NOTHING)
        elif picture is not None and len(picture.name) == len(table) == len(picture.names):
            self._paint_lanes(painter, table, picture)
            self._paint_legend(painter)
        self.paint_marks(painter)

    def _paint_lanes(self, painter: QPainter, table: LaneTable, picture: TraceLanePicture) -> None:
        """Paint the lanes, stretched from the time they were made for to the time shown now."""
        rect = self.picture_rect
        left_px = self.to_px(picture.begin_ns)
        scale = (self.to_px(picture.end_ns) - left_px) / max(picture.name.shape[1], 1)
        for row in range(self._first, min(self._first + self._n_shown, len(table))):
            y = self._to_y(row)
            thread = name_thread(self._trace, table.lanes[row].head.tid)
            self.paint_caption(painter, y + _LANE_PX / 2, caption_lane(table, row, thread))
            if row == self._row and self.hasFocus():
                painter.fillRect(QRect(0, y, 3, _LANE_PX), QColor(self.theme.accent))
            painter.save()
            painter.setClipRect(rect)
            for begin, end, name in _list_runs(picture.name[row].tolist()):
                box = QRectF(left_px + begin * scale, y, (end - begin) * scale, _LANE_PX)
                painter.fillRect(box, self._colours[name])
            painter.setPen(QColor(self.theme.label))
            for each in picture.names[row]:
                box = QRectF(left_px + each.left_px * scale + 4, y, each.width_px * scale, _LANE_PX)
                text = make_printable(table.names[each.name])
                cut = self.metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width() - 8)
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, cut)
            painter.restore()

    def _paint_legend(self, painter: QPainter) -> None:
        """Paint how many lanes are not shown, and a legend of the states' colours, as far as there
        is room."""
        rect = self.picture_rect
        x, y = rect.left(), rect.bottom() + 1
        height_px = self.height() - y
        painter.setPen(QColor(self.theme.faint))
        painter.drawText(QRect(x, y, rect.width(), height_px), _RIGHT, self._left_out)
        end_px = rect.right() - round(self.metrics.horizontalAdvance(self._left_out))
        for state, colour in self._state_colours:
            width_px = round(self.metrics.horizontalAdvance(state))
            if x + _SWATCH_PX + 4 + width_px > end_px:
                return
            swatch = QRect(x, y + (height_px - _SWATCH_PX) // 2, _SWATCH_PX, _SWATCH_PX)
            painter.fillRect(swatch, QColor.fromRgba(colour))
            x += _SWATCH_PX + 4
            painter.setPen(QColor(self.theme.faint))
            painter.drawText(QRect(x, y, width_px + 2, height_px), _LEFT, state)
            x += width_px + 14

    @property
    def _n_shown(self) -> int:
        return max(self.picture_rect.height() // (_LANE_PX + _GAP_PX), 1)

    def _to_y(self, row: int) -> int:
        return self.picture_rect.top() + (row - self._first) * (_LANE_PX + _GAP_PX) + _GAP_PX

    # -- keys and screen readers

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move to the lane above or below by Up and Down."""
        if event.key() not in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            super().keyPressEvent(event)
            return
        step = -1 if event.key() == Qt.Key.Key_Up else 1
        self._row = min(max(self._row + step, 0), max(self._count() - 1, 0))
        self._first = min(max(self._first, self._row - self._n_shown + 1), self._row)
        self.update()
        announce_current(self)

    def _count(self) -> int:
        return len(self._table) if self._table is not None else 0

    def _describe(self, row: int) -> AccessiblePart | None:
        table = self._table
        if table is None or row >= len(table):
            return None
        lane = table.lanes[row]
        head = lane.head
        thread = name_thread(self._trace, head.tid)
        name = " ".join(filter(None, (thread, head.category)))
        whole_ns = int((lane.end_ns - lane.begin_ns).sum())
        n_times = format_quantity(len(lane.name), "time")
        value = f"{n_times}, {format_value(whole_ns, 'nanoseconds')} in all"
        rect = QRect(0, self._to_y(row), self.width(), _LANE_PX)
        return AccessiblePart(name, value, rect)

    def _find_row(self, point: QPoint) -> int:
        row = self._first + (point.y() - self.picture_rect.top()) // (_LANE_PX + _GAP_PX)
        return row if 0 <= row < self._count() else -1

    def _find_current(self) -> int:
        return self._row if self._row < self._count() else -1

    # -- pointer

    def hover(self, point: QPointF) -> None:
        table = self._table
        row = self._first + (int(point.y()) - self.picture_rect.top()) // (_LANE_PX + _GAP_PX)
        begin_ns, end_ns = self.window_ns
        reach_ns = _REACH_PX * (end_ns - begin_ns) // self.picture_rect.width()
        is_inside = self.picture_rect.contains(point.toPoint())
        found = None
        if table is not None and is_inside:
            found = find_slice(table, row, self.to_ns(point.x()), reach_ns)
        if found is None:
            QToolTip.hideText()
            return
        lines = [
            f"{found.category}: {make_printable(found.name)}",
            f"{format_value(found.end_ns - found.begin_ns, 'nanoseconds')}, from "
            f"{format_value(found.begin_ns - self._trace.index.begin_ns, 'nanoseconds')}",
            name_thread(self._trace, found.tid),
        ]
        show_tip(self.mapToGlobal(point.toPoint()), "\n".join(filter(None, lines)), self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        table = self._table
        if table is None or not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            return
        step = -1 if event.angleDelta().y() > 0 else 1
        most = max(len(table) - self._n_shown, 0)
        self._first = min(max(self._first + step, 0), most)
        self.update()
        event.accept()


def _list_runs(names: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (begin, end, name) of each run of equal names; pixels below 0 have no name."""
    begin = 0
    for end in range(1, len(names) + 1):
        if end == len(names) or names[end] != names[begin]:
            if names[begin] >= 0:
                yield begin, end, names[begin]
            begin = end
