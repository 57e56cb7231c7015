"""Address space view: a line for each arena and mapping at the cursor, with its pools' fill."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from stackglass_viewer.presenter.memory_trace.address_space import (
    CELLS,
    UNUSED,
    HeapState,
    describe_line,
    describe_state,
    locate_area,
    order_lines,
)
from stackglass_viewer.view.memory_trace.time_view import GUTTER_PX, shorten_address
from stackglass_viewer.view.widgets.accessible_parts import (
    AccessiblePart,
    Parts,
    announce_current,
    offer_parts,
)
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.shown_text import join_units, show_tip
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

_HEAD_PX, _HEAD_MARGIN_PX = 22, 8  # of the sentence on all lines
_LINE_PX, _BOX_PX = 14, 11
_WORDS_PX = 340  # width of the text at a line's end
_LEAST_ALPHA = 0.12


class SpaceView(QAbstractScrollArea):
    """A sentence on all lines, and a list of them: pinned ones first, then those with the most free
    bytes. The text of a pinned line has the colour of warnings: a few objects keep its memory from
    being released. A click on a pool lists its objects; a click beside the pools, or Enter, lists
    all objects of the line."""

    area_chosen = Signal(object)  # Cell

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._face = fixed_font()
        self._face.setPixelSize(11)
        self._metrics = QFontMetricsF(self._face)
        self._state: HeapState | None = None
        self._order: list[int] = []
        self._current = 0  # place in _order of the line that keys have chosen
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setViewportMargins(0, _HEAD_PX, 0, 0)
        self._summary = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Arenas and mappings at the cursor")
        offer_parts(
            self,
            Parts(
                count=lambda: len(self._order),
                describe=self._describe,
                find=lambda point: self._find_line(point.y() - _HEAD_PX),
                current=lambda: self._current,
            ),
        )

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.viewport().update()

    def show_state(self, state: HeapState) -> None:
        self._state = state
        self._order = order_lines(state.space, is_by_fill=True).tolist()
        self._current = min(self._current, max(len(self._order) - 1, 0))
        self._summary.set_text(describe_state(state) if self._order else "")
        self._measure()
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width_px = self.width() - 2 * _HEAD_MARGIN_PX
        self._summary.setGeometry(_HEAD_MARGIN_PX, 0, width_px, _HEAD_PX)
        self._measure()

    def _measure(self) -> None:
        bar = self.verticalScrollBar()
        bar.setRange(0, max(len(self._order) * _LINE_PX - self.viewport().height(), 0))
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(3 * _LINE_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setFont(self._face)
        theme, state, rect = self._theme, self._state, self.viewport().rect()
        painter.fillRect(rect, QColor(theme.flame_background))
        if state is None or not self._order:
            painter.setPen(QColor(theme.faint))
            text = "…" if state is None else join_units(describe_state(state))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(rect, flags, text)
            return
        colours = _shade(theme)
        cell_px = self._cell_px
        first, last = self._find_line(0), self._find_line(rect.height() - 1)
        for index in range(first, min(last + 1, len(self._order))):
            line = self._order[index]
            y = index * _LINE_PX - self.verticalScrollBar().value()
            self._paint_caption(painter, y, shorten_address(int(state.space.address[line])))
            for cell, fill in enumerate(state.space.fill[line].tolist()):
                if fill == UNUSED:
                    continue
                box = QRect(GUTTER_PX + cell * cell_px, y + 1, max(cell_px - 1, 1), _BOX_PX)
                painter.fillRect(box, colours[round(max(fill, 0.0) * (len(colours) - 1))])
            is_pinned = bool(state.space.is_pinned[line])
            painter.setPen(QColor(theme.warning if is_pinned else theme.muted))
            left_px = GUTTER_PX + CELLS * cell_px + 10
            words = describe_line(state.space, line).partition(": ")[2].partition(":")[0]
            painter.drawText(
                QRect(left_px, y, max(rect.right() - left_px, 1), _LINE_PX),
                Qt.AlignmentFlag.AlignVCenter,
                self._metrics.elidedText(
                    words, Qt.TextElideMode.ElideRight, rect.right() - left_px
                ),
            )
        if self.hasFocus():
            painter.setPen(QColor(theme.accent))
            painter.drawRect(self._place_line(self._current).adjusted(0, 0, -1, -1))

    def _place_line(self, index: int) -> QRect:
        y = index * _LINE_PX - self.verticalScrollBar().value()
        return QRect(0, y, self.viewport().width(), _LINE_PX)

    def _paint_caption(self, painter: QPainter, y: int, text: str) -> None:
        painter.setPen(QColor(self._theme.faint))
        rect = QRect(4, y, GUTTER_PX - 10, _LINE_PX)
        painter.drawText(rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    @property
    def _cell_px(self) -> int:
        return max((self.viewport().width() - GUTTER_PX - _WORDS_PX) // CELLS, 3)

    def _find_line(self, y: int) -> int:
        return (y + self.verticalScrollBar().value()) // _LINE_PX

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._find_line(event.position().toPoint().y())
        if event.button() is not Qt.MouseButton.LeftButton or not 0 <= index < len(self._order):
            return
        self._current = index
        self.viewport().update()
        cell = (event.position().toPoint().x() - GUTTER_PX) // self._cell_px
        self._choose(cell if 0 <= cell < CELLS else None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Consume the event: the press has been handled."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if step and self._order:
            self._current = min(max(self._current + step, 0), len(self._order) - 1)
            line, bar = self._place_line(self._current), self.verticalScrollBar()
            bar.setValue(bar.value() + min(line.top(), 0))
            bar.setValue(bar.value() + max(line.bottom() - self.viewport().height(), 0))
            self.viewport().update()
            announce_current(self)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(None)
        else:
            super().keyPressEvent(event)

    def _choose(self, cell: int | None) -> None:
        """Emit a cell of the current line; None = the whole line."""
        if self._state is not None and self._current < len(self._order):
            self.area_chosen.emit(locate_area(self._state, self._order[self._current], cell))

    def _describe(self, index: int) -> AccessiblePart | None:
        if self._state is None or not 0 <= index < len(self._order):
            return None
        name, _, about = describe_line(self._state.space, self._order[index]).partition(": ")
        return AccessiblePart(name, about, self._place_line(index).translated(0, _HEAD_PX))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        line = self._find_line(point.y())
        if self._state is None or not 0 <= line < len(self._order):
            QToolTip.hideText()
            return
        text = describe_line(self._state.space, self._order[line])
        show_tip(self.viewport().mapToGlobal(point), text, self)


def _shade(theme: Theme) -> list[QColor]:
    """Return the 16 colours of a pool's fill, from empty to full."""
    colours = []
    for level in range(16):
        colour = QColor(theme.accent)
        colour.setAlphaF(_LEAST_ALPHA + (1 - _LEAST_ALPHA) * level / 15)
        colours.append(colour)
    return colours
