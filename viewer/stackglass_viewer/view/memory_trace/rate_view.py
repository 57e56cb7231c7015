"""Rate view: allocations per second over time, as stacked bars by type or line of code."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from stackglass_viewer.presenter.memory_trace.rate_chart import (
    RateChart,
    RateMeasure,
    describe_bar,
    describe_group,
    find_bar,
    find_group,
    find_largest_group,
    name_bar,
)
from stackglass_viewer.presenter.memory_trace.ticks import place_byte_ticks, place_count_ticks
from stackglass_viewer.view.memory_trace.time_view import TimeView, paint_note
from stackglass_viewer.view.widgets.accessible_parts import (
    AccessiblePart,
    Parts,
    announce_current,
    offer_parts,
)
from stackglass_viewer.view.widgets.shown_text import show_tip
from stackglass_viewer.view.widgets.theme import Theme

_HEAD_PX = 6  # room above the highest bar
_LINE_PX = 22  # height that a tick of the scale takes
_GAP_FROM_PX = 6.0  # width of a bar from which on there is a gap to the next
_FADED_ALPHA = 50  # of 255, of groups that are not highlighted


class RateView(TimeView):
    """Stacked bars. A drag draws a brush, a span of whole bars. Up and Down highlight one group
    after another; Enter draws a brush over the bar at the cursor."""

    group_chosen = Signal(str)  # "" = none

    top_px, bottom_px = 2, 2

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._chart: RateChart | None = None
        self.setAccessibleName("Allocation rate over time")
        offer_parts(self, Parts(self._count, self._describe, self._find, self._find_current))

    def sizeHint(self) -> QSize:
        return QSize(600, 160)

    def show_chart(self, chart: RateChart) -> None:
        self._chart = chart
        self.update()

    def show_cursor(self, time_ns: int) -> None:
        before = self._find_current()
        super().show_cursor(time_ns)
        if self.hasFocus() and self._find_current() != before:
            announce_current(self)

    def snap(self, begin_ns: int, end_ns: int) -> tuple[int, int]:
        """Return the span of all bars that a drag has touched."""
        chart = self._chart
        if chart is None:
            return begin_ns, end_ns
        first, last = find_bar(chart, begin_ns), find_bar(chart, end_ns - 1)
        if first < 0:
            return begin_ns, end_ns
        last = last if last >= 0 else chart.n_bars - 1
        return int(chart.edges_ns[first]), int(chart.edges_ns[last + 1])

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.face)
        rect, chart = self.picture_rect, self._chart
        painter.fillRect(rect, QColor(self.theme.flame_background))
        if chart is None or not chart.top:
            paint_note(
                painter, self, "…" if chart is None else "Nothing was allocated in this time."
            )
        else:
            self._paint_scale(painter, chart)
            self._paint_bars(painter, chart)
        self.paint_marks(painter)

    def _paint_scale(self, painter: QPainter, chart: RateChart) -> None:
        rect = self.picture_rect
        is_bytes = chart.wish.measure is RateMeasure.BYTES
        place_ticks = place_byte_ticks if is_bytes else place_count_ticks
        for tick in place_ticks(int(chart.top), rect.height() // _LINE_PX):
            y = rect.bottom() + 1 - tick.value * self._scale(chart)
            painter.fillRect(rect.left(), round(y), rect.width(), 1, QColor(self.theme.border))
            self.paint_caption(painter, y, f"{tick.text}/s")

    def _scale(self, chart: RateChart) -> float:
        """Return the pixels per byte, or object, per second."""
        return (self.picture_rect.height() - _HEAD_PX) / max(chart.top, 1e-9)

    def _paint_bars(self, painter: QPainter, chart: RateChart) -> None:
        """Paint the bars at their times in the window shown now, until its own chart comes."""
        rect, scale = self.picture_rect, self._scale(chart)
        painter.save()
        painter.setClipRect(rect)
        colours = []
        for entry in chart.legend.entries:
            colour = QColor.fromRgba(entry.colour)
            if chart.wish.chosen and entry.group.text != chart.wish.chosen:
                colour.setAlpha(_FADED_ALPHA)
            colours.append(colour)
        edges_px = [self.to_px(edge) for edge in chart.edges_ns.tolist()]
        for bar, heights in enumerate((chart.per_second * scale).T.tolist()):
            left, right = edges_px[bar : bar + 2]
            if right - left >= _GAP_FROM_PX:
                right -= 1
            bottom = rect.bottom() + 1.0
            for colour, height in zip(colours, heights, strict=True):
                if height > 0:
                    painter.fillRect(QRectF(left, bottom - height, right - left, height), colour)
                    bottom -= height
        painter.restore()

    # -- keys and screen readers

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, chart = event.key(), self._chart
        if chart is None or key not in (
            Qt.Key.Key_Up,
            Qt.Key.Key_Down,
            Qt.Key.Key_Return,
            Qt.Key.Key_Enter,
        ):
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._step_group(chart, 1 if key == Qt.Key.Key_Down else -1)
        elif (bar := find_bar(chart, self._cursor_ns)) >= 0:
            begin_ns, end_ns = (int(edge) for edge in chart.edges_ns[bar : bar + 2])
            self.brush_drawn.emit((begin_ns, end_ns, 0.0, 1.0))

    def _step_group(self, chart: RateChart, step: int) -> None:
        """Highlight the next group in the order of the legend; after the last, none."""
        texts = ["", *(entry.group.text for entry in chart.legend.entries)]
        at = texts.index(chart.wish.chosen) if chart.wish.chosen in texts else 0
        following = texts[(at + step) % len(texts)]
        self.group_chosen.emit(following or chart.wish.chosen)  # emitting the same again clears it

    def _count(self) -> int:
        return self._chart.n_bars if self._chart is not None else 0

    def _describe(self, bar: int) -> AccessiblePart | None:
        chart = self._chart
        if chart is None or not 0 <= bar < chart.n_bars:
            return None
        value = describe_bar(chart, bar)
        largest = find_largest_group(chart, bar)
        if largest >= 0:
            value += f", most by {describe_group(chart, bar, largest)}"
        left, right = (round(self.to_px(int(edge))) for edge in chart.edges_ns[bar : bar + 2])
        rect = self.picture_rect
        return AccessiblePart(
            name_bar(chart, bar), value, QRect(left, rect.top(), right - left, rect.height())
        )

    def _find(self, point: QPoint) -> int:
        chart = self._chart
        if chart is None or not self.picture_rect.contains(point):
            return -1
        return find_bar(chart, self.to_ns(point.x()))

    def _find_current(self) -> int:
        return -1 if self._chart is None else find_bar(self._chart, self._cursor_ns)

    # -- pointer

    def hover(self, point: QPointF) -> None:
        chart, bar = self._chart, self._find(point.toPoint())
        if chart is None or bar < 0:
            QToolTip.hideText()
            return
        lines = [name_bar(chart, bar), describe_bar(chart, bar)]
        height = (self.picture_rect.bottom() + 1 - point.y()) / self._scale(chart)
        group = find_group(chart, bar, height)
        if group >= 0:
            lines += [describe_group(chart, bar, group), describe_bar(chart, bar, group)]
        show_tip(self.mapToGlobal(point.toPoint()), "\n".join(lines), self)
