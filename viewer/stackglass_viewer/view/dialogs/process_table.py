"""The list of Python processes in the attach dialog."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from stackglass_viewer.model.units import format_value
from stackglass_viewer.presenter.settings.view_state import ProcessRow
from stackglass_viewer.presenter.tables.process_filter import ProcessFilter
from stackglass_viewer.presenter.tables.process_model import HISTORY_ROLE, ROW_ROLE, ProcessColumn
from stackglass_viewer.view.tables.header import TableHeader
from stackglass_viewer.view.widgets.accessible_rows import RowTable
from stackglass_viewer.view.widgets.icons import draw_icon
from stackglass_viewer.view.widgets.shown_text import show_item_tip
from stackglass_viewer.view.widgets.sparkline import draw_sparkline
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

_WIDTHS_PX = {
    ProcessColumn.PID: 76,
    ProcessColumn.PYTHON: 76,
    ProcessColumn.OWNER: 92,
    ProcessColumn.CPU: 112,
    ProcessColumn.MEMORY: 136,
    ProcessColumn.STATE: 34,
}
_RIGHT = (ProcessColumn.PID, ProcessColumn.CPU, ProcessColumn.MEMORY)
_LINE_PX = 44  # width of the sparkline, to the left of its number
# Least range that a sparkline shows in its full height: 100% of a CPU, a MiB.
_LEAST_SPANS = {ProcessColumn.CPU: 1.0, ProcessColumn.MEMORY: float(1 << 20)}


class _ProcessDelegate(QStyledItemDelegate):
    """Paints a cell of the process list.

    CPU and memory have a sparkline of their history; a warning sign marks a process that cannot be
    attached to.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(super().sizeHint(option, index).width(), 30)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row: ProcessRow = index.data(ROW_ROLE)
        column = index.column()
        painter.save()
        is_selected = bool(option.state & QStyleOptionViewItem().state.State_Selected)
        if is_selected:
            painter.fillRect(option.rect, QColor(self.theme.accent_soft))
        rect = option.rect.adjusted(10, 0, -10, 0)
        colour = self.theme.text if row.is_attachable else self.theme.faint
        if column != ProcessColumn.COMMAND and row.is_attachable:
            colour = self.theme.muted
        painter.setPen(QPen(QColor(colour)))
        if column == ProcessColumn.STATE:
            if not row.is_attachable:
                icon = draw_icon(
                    "warning", self.theme.warning, 14, painter.device().devicePixelRatioF()
                )
                painter.drawPixmap(rect.center().x() - 7, rect.center().y() - 7, icon)
            painter.restore()
            return
        text = str(index.data())
        if column == ProcessColumn.MEMORY:
            text = format_value(row.rss_bytes, "bytes") if row.rss_bytes else "–"
        elif column == ProcessColumn.PYTHON:
            text = row.python or "–"
        if column in _LEAST_SPANS:
            line = QRectF(rect.left(), rect.top() + 7, _LINE_PX, rect.height() - 14)
            points, accent = index.data(HISTORY_ROLE), QColor(self.theme.accent)
            draw_sparkline(painter, line, points, _LEAST_SPANS[ProcessColumn(column)], accent)
        if column == ProcessColumn.COMMAND:
            painter.setFont(fixed_font())
        text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        side = Qt.AlignmentFlag.AlignRight if column in _RIGHT else Qt.AlignmentFlag.AlignLeft
        painter.drawText(rect, side | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


class ProcessTable(RowTable):
    """The list of processes. It emits typed letters, which are for the search field."""

    typed = Signal(str)
    entered_by_pointer = Signal()
    left_by_pointer = Signal()

    def scroll_to_current(self) -> None:
        """Scroll so that the current row is visible; nothing happens if there is none."""
        if self.currentIndex().isValid():
            self.updateGeometries()  # else the scroll bar does not know rows that have just come
            self.scrollTo(self.currentIndex())

    def keyboardSearch(self, text: str) -> None:
        self.typed.emit(text)

    def set_theme(self, theme: Theme) -> None:
        """For a table of ``make_process_table``."""
        header, delegate = self.horizontalHeader(), self.itemDelegate()
        assert isinstance(header, TableHeader)
        assert isinstance(delegate, _ProcessDelegate)
        header.theme = delegate.theme = theme
        header.viewport().update()
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            show_item_tip(self, event)
            return True
        if event.type() == QEvent.Type.Enter:
            self.entered_by_pointer.emit()
        elif event.type() == QEvent.Type.Leave:
            self.left_by_pointer.emit()
        return super().viewportEvent(event)


def make_process_table(rows: ProcessFilter, theme: Theme) -> ProcessTable:
    """Make a table that shows ``rows``, the newest processes first."""
    table = ProcessTable()
    table.setAccessibleName("Python processes")
    table.setModel(rows)
    header = TableHeader(theme, lambda section: _WIDTHS_PX.get(ProcessColumn(section), 0), table)
    header.setStretchLastSection(False)
    header.setMinimumSectionSize(min(_WIDTHS_PX.values()))
    table.setHorizontalHeader(header)
    table.setItemDelegate(_ProcessDelegate(theme, table))
    table.setSortingEnabled(True)
    table.sortByColumn(ProcessColumn.PID, Qt.SortOrder.DescendingOrder)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(30)
    for column, width_px in _WIDTHS_PX.items():
        table.setColumnWidth(column, width_px)
    header.setSectionResizeMode(ProcessColumn.COMMAND, QHeaderView.ResizeMode.Stretch)
    return table
