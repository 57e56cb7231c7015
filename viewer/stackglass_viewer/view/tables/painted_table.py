"""Painted table: a table that paints its visible rows itself, without Qt's delegates.

Qt would call a delegate for each cell, some 300 times per frame. Each call makes Python objects for
the option and the index, which takes several times as long as painting the text.
"""

from __future__ import annotations

import math
from typing import Protocol

from PySide6.QtCore import (
    QEvent,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from stackglass_viewer.presenter.tables.table_model import FIELD_ROLE
from stackglass_viewer.view.widgets.accessible_rows import RowTable, offer_rows
from stackglass_viewer.view.widgets.shown_text import show_item_tip
from stackglass_viewer.view.widgets.theme import Theme

ROW_PX = 26
_FOCUS_PX = 3


class CellPainter(Protocol):
    """Paints a cell's content, over the background that the table has painted."""

    def begin(self, painter: QPainter) -> None:
        """Prepare the painter; called once before the cells of a frame."""

    def paint(self, painter: QPainter, row: int, column: int, rect: QRect) -> float:
        """Paint a cell. Returns the pixels that its column lacks for a number, 0 = none."""

    def set_theme(self, theme: Theme) -> None: ...


class PaintedTable(RowTable):
    """A table with at most one selected row; the row under the pointer has another background."""

    width_lacked = Signal(int, int)  # column, pixels: a number was cut

    def __init__(self, cells: CellPainter, theme: Theme, parent: QWidget | None) -> None:
        super().__init__(parent)
        offer_rows(self, self._list_names)
        self._cells = cells
        self._lacking: dict[int, int] = {}  # lacking pixels by column, since the last report
        self._hovered = -1  # row; -1 = none
        self._pointer_px = 0  # y of the pointer, valid while a row is hovered
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(ROW_PX)
        self._set_colours(theme)

    def set_theme(self, theme: Theme) -> None:
        self._set_colours(theme)
        self._cells.set_theme(theme)
        self.viewport().update()

    def _set_colours(self, theme: Theme) -> None:
        self._selected_back = QColor(theme.accent_soft)
        self._hovered_back = QColor(theme.hover)
        self._accent = QColor(theme.accent)

    def paintEvent(self, event: QPaintEvent) -> None:
        rect = event.rect()
        n_rows = self.model().rowCount() if self.model() is not None else 0
        first = self.rowAt(max(rect.top(), 0))
        if n_rows == 0 or first < 0:
            return
        last = self.rowAt(rect.bottom())
        top_px = self.rowViewportPosition(first)
        columns = self._list_columns(rect)
        chosen = self.selectionModel().selectedRows()
        selected = chosen[0].row() if chosen else -1
        painter = QPainter(self.viewport())
        self._cells.begin(painter)
        paint = self._cells.paint
        rows = range(first, (last if last >= 0 else n_rows - 1) + 1)
        for row in {selected, self._hovered}.intersection(rows):
            row_px = top_px + (row - first) * ROW_PX
            back = self._selected_back if row == selected else self._hovered_back
            painter.fillRect(QRect(rect.left(), row_px, rect.width(), ROW_PX), back)
            if row == selected and self.hasFocus():  # marks the table that has the keyboard
                painter.fillRect(QRect(0, row_px, _FOCUS_PX, ROW_PX), self._accent)
        for column, left_px, width_px in columns:  # cells of a column mostly share their pen
            place = QRect(left_px, top_px, width_px, ROW_PX)
            for row in rows:
                lack_px = paint(painter, row, column, place)
                if lack_px:
                    self._note_lack(column, math.ceil(lack_px))
                place.translate(0, ROW_PX)
        painter.end()

    def _note_lack(self, column: int, lack_px: int) -> None:
        """Note that a column is too narrow, to report it after the painting.

        While a frame is painted, widths must not change.
        """
        if not self._lacking:
            QTimer.singleShot(0, self, self._report_lack)
        self._lacking[column] = max(lack_px, self._lacking.get(column, 0))

    def _report_lack(self) -> None:
        lacking, self._lacking = self._lacking, {}
        for column, lack_px in lacking.items():
            self.width_lacked.emit(column, lack_px)

    def _list_columns(self, rect: QRect) -> list[tuple[int, int, int]]:
        """Return (column, left edge, width) in px of the columns that are visible in ``rect``."""
        columns = []
        for column in range(self.model().columnCount()):
            left_px, width_px = self.columnViewportPosition(column), self.columnWidth(column)
            if width_px and left_px <= rect.right() and left_px + width_px > rect.left():
                columns.append((column, left_px, width_px))
        return columns

    # -- screen readers

    def _list_names(self) -> tuple[int, ...]:
        """Return the columns of texts, which name a row for screen readers."""
        model = self.model()
        head = Qt.Orientation.Horizontal
        columns = range(model.columnCount())
        return tuple(at for at in columns if model.headerData(at, head, FIELD_ROLE).is_text)

    # -- the row under the pointer

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            show_item_tip(self, event)
            return True
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._pointer_px = event.position().toPoint().y()
        self._hover(self.rowAt(self._pointer_px))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Find the row under the pointer again, since scrolling moves rows below it."""
        super().scrollContentsBy(dx, dy)
        if self._hovered >= 0:
            self._hover(self.rowAt(self._pointer_px))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row == self._hovered:
            return
        for changed in (self._hovered, row):
            if changed >= 0:
                top_px = self.rowViewportPosition(changed)
                self.viewport().update(0, top_px, self.viewport().width(), ROW_PX)
        self._hovered = row
