"""The table of functions: filter line, sortable columns, numbers in words."""

from __future__ import annotations

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.model.units import format_change, format_share, format_value
from stackglass_viewer.presenter.top_model import Cell, TopColumn, TopModel
from stackglass_viewer.view.table_header import TableHeader
from stackglass_viewer.view.text_fitter import TextFitter
from stackglass_viewer.view.theme import Theme, fixed_font

_ROW_PX = 26
_PADDING_PX = 10
_FILTER_DELAY_MS = 120
_WIDTHS_PX = {
    TopColumn.CALLS: 92,
    TopColumn.FLAT: 86,
    TopColumn.FLAT_SHARE: 76,
    TopColumn.CUM: 86,
    TopColumn.CUM_SHARE: 76,
    TopColumn.NAME: 290,
    TopColumn.FILE: 100,  # and what is left
}
_TEXTS = (TopColumn.NAME, TopColumn.FILE)
_SHARES = (TopColumn.FLAT_SHARE, TopColumn.CUM_SHARE)
_VALUE_OF = {TopColumn.FLAT_SHARE: TopColumn.FLAT, TopColumn.CUM_SHARE: TopColumn.CUM}
_NOTHING = "–"

AnyIndex = QModelIndex | QPersistentModelIndex


class TopDelegate(QStyledItemDelegate):
    """Puts numbers into words and draws the shares as bars.

    Called for each visible cell, some two hundred times a frame: what can be made once is.
    """

    def __init__(self, model: TopModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._font = fixed_font()
        self._fitter = TextFitter(self._font)
        self._metrics = self._fitter.metrics
        self._baseline_px = (_ROW_PX + self._metrics.ascent() - self._metrics.descent()) / 2
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._text_pen = QPen(QColor(theme.text))
        self._muted_pen = QPen(QColor(theme.muted))
        self._accent = QColor(theme.accent)
        self._grown, self._shrunk = QColor(theme.grown), QColor(theme.shrunk)
        self._selected = QColor(theme.accent_soft)
        self._hovered = QColor(theme.surface)

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(80, _ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        cell = self._model.cell(index.row(), index.column())
        if cell is None:
            return
        rect: QRect = option.rect
        state = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._selected)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, self._hovered)
        inner = rect.adjusted(_PADDING_PX, 0, -_PADDING_PX, 0)
        text = _say(cell)
        painter.setFont(self._font)
        is_faint = cell.column is TopColumn.FILE or text == _NOTHING
        if cell.column in _SHARES:
            assert isinstance(cell.value, float)
            self._paint_bar(painter, inner, cell.value, self._accent)
        elif cell.share:
            assert isinstance(cell.value, int)
            colour = self._grown if cell.value > 0 else self._shrunk
            self._paint_bar(painter, inner, cell.share, colour)
        painter.setPen(self._muted_pen if is_faint else self._text_pen)
        if cell.column in _TEXTS:
            is_file = cell.column is TopColumn.FILE  # files lose their beginning, names their end
            text = self._fitter.fit(text, inner.width(), keeps_end=is_file)
            painter.drawText(QPointF(inner.left(), rect.top() + self._baseline_px), text)
        else:
            width_px = self._metrics.horizontalAdvance(text)
            if width_px <= inner.width():
                x_px = inner.right() + 1 - width_px
                painter.drawText(QPointF(x_px, rect.top() + self._baseline_px), text)
            else:  # a column made too narrow: cut at the edge
                side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(inner, side, text)
        painter.restore()

    def _paint_bar(self, painter: QPainter, inner: QRect, share: float, colour: QColor) -> None:
        width_px = round(inner.width() * min(1.0, max(0.0, share)))
        if width_px > 0:
            bar = QRect(inner.right() + 1 - width_px, inner.bottom() - 3, width_px, 2)
            painter.fillRect(bar, colour)


def _say(cell: Cell) -> str:
    """What a cell says."""
    value = cell.value
    if isinstance(value, str):
        return value
    if cell.column in _SHARES:
        return format_share(value)
    if not value:
        return _NOTHING
    return (format_change if cell.is_change else format_value)(value, cell.unit)


class TopView(QWidget):
    """Emits the function whose row the user selects."""

    function_selected = Signal(int)  # function; -1 = none
    function_activated = Signal(int)  # double-click or Enter
    filter_changed = Signal(str)  # a regular expression

    def __init__(self, model: TopModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._is_following = False  # a selection that comes from elsewhere is not sent back
        self._selected = -1
        self._filter = QLineEdit(self)
        self._filter.setPlaceholderText("Filter functions and files")
        self._filter.setClearButtonEnabled(True)
        self._count = QLabel(self)
        self._count.setObjectName("hint")
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(_FILTER_DELAY_MS)
        self._table = QTableView(self)
        self._header = TableHeader(theme, self._find_width, self._table)
        self._table.setHorizontalHeader(self._header)
        self._delegate = TopDelegate(model, theme, self._table)
        self._table.setItemDelegate(self._delegate)
        self._table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._table.setShowGrid(False)
        self._table.setWordWrap(False)
        self._table.setMouseTracking(True)
        self._table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._table.verticalHeader().hide()
        self._table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._table.verticalHeader().setDefaultSectionSize(_ROW_PX)
        self._table.setTabKeyNavigation(False)
        self._table.setAccessibleName("Functions")
        self._table.setModel(model)

        top = QHBoxLayout()
        top.setContentsMargins(8, 6, 12, 6)
        top.setSpacing(10)
        top.addWidget(self._filter, 1)
        top.addWidget(self._count)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(top)
        outer.addWidget(self._table, 1)

        self._filter.textChanged.connect(self._delay.start)
        self._delay.timeout.connect(lambda: self.filter_changed.emit(self._filter.text()))
        self._table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self._table.doubleClicked.connect(self._on_activated)
        model.modelReset.connect(self._on_reset)
        model.pattern_refused.connect(self._on_pattern_refused)
        for changed in (model.rowsInserted, model.rowsRemoved, model.layoutChanged):
            changed.connect(self._show_count)
        self._on_reset()

    def _find_width(self, section: int) -> int:
        columns = self._model.columns
        return _WIDTHS_PX[columns[section] if section < len(columns) else TopColumn.FILE]

    def set_theme(self, theme: Theme) -> None:
        self._header.theme = theme
        self._delegate.set_theme(theme)
        self._table.viewport().update()
        self._header.viewport().update()

    def select_function(self, function: int) -> None:
        """Show what is selected elsewhere, without telling; -1 = nothing."""
        self._selected = function
        self._is_following = True
        row = self._model.row_of(function) if function >= 0 else -1
        if row >= 0:
            if row != self._table.currentIndex().row():
                self._table.selectRow(row)
                self._table.scrollTo(self._model.index(row, 0))
        else:
            self._table.clearSelection()
            self._table.setCurrentIndex(QModelIndex())
        self._is_following = False

    def focus_filter(self) -> None:
        self._filter.setFocus()
        self._filter.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_activated(self._table.currentIndex())
        else:
            super().keyPressEvent(event)

    def _on_reset(self) -> None:
        for number, column in enumerate(self._model.columns):
            self._table.setColumnWidth(number, _WIDTHS_PX[column])
        wish = self._model.wish
        down = Qt.SortOrder.DescendingOrder if wish.is_descending else Qt.SortOrder.AscendingOrder
        self._table.setSortingEnabled(False)
        column = wish.column
        if column not in self._model.columns:
            column = _VALUE_OF.get(column, column)
        if column in self._model.columns:
            self._header.setSortIndicator(self._model.columns.index(column), down)
        self._header.setSortIndicatorShown(True)
        self._header.sortIndicatorChanged.connect(self._on_sort, Qt.ConnectionType.UniqueConnection)
        self._show_count()

    def _on_sort(self, section: int, order: Qt.SortOrder) -> None:
        self._model.sort(section, order)

    def _show_count(self) -> None:
        shown = self._model.rowCount()
        text = "1 function" if shown == 1 else f"{shown:,} functions".replace(",", " ")
        self._count.setText(text)

    def _on_row_changed(self, current: QModelIndex) -> None:
        if not self._is_following and current.isValid():
            self._selected = self._model.function_at(current.row())
            self.function_selected.emit(self._selected)

    def _on_activated(self, index: QModelIndex) -> None:
        if index.isValid():
            self.function_activated.emit(self._model.function_at(index.row()))

    def _on_pattern_refused(self, reason: str) -> None:
        self._filter.setProperty("state", "bad" if reason else "")
        self._filter.setToolTip(reason)
        self._filter.style().unpolish(self._filter)
        self._filter.style().polish(self._filter)
