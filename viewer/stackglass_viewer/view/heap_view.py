"""Who holds the memory: a table of sites or functions beside the sizes of their blocks."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.model.units import format_share, format_value
from stackglass_viewer.presenter.heap_model import HeapCell, HeapField, HeapModel, SizeBars
from stackglass_viewer.view.elided_label import ElidedLabel
from stackglass_viewer.view.segment import Segment
from stackglass_viewer.view.theme import Theme, fixed_font

_ROW_PX = 26
_PADDING_PX = 10
_WIDTHS_PX = {
    HeapField.SIZE: 92,
    HeapField.SHARE: 76,
    HeapField.OBJECTS: 92,
    HeapField.MEAN: 92,
    HeapField.NAME: 320,
    HeapField.PLACE: 160,  # and what is left
}
_TEXTS = (HeapField.NAME, HeapField.PLACE)
_TABLE_PX, _SIZES_PX = 860, 360  # at first; the user may drag the border
_BAR_ROW_PX = 24
_LABEL_PX, _VALUE_PX = 76, 84

AnyIndex = QModelIndex | QPersistentModelIndex


class _HeapDelegate(QStyledItemDelegate):
    """Puts numbers into words and draws the shares as bars."""

    def __init__(self, model: HeapModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._font = fixed_font()
        self._metrics = QFontMetricsF(self._font)
        self._baseline_px = (_ROW_PX + self._metrics.ascent() - self._metrics.descent()) / 2
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._text_pen = QPen(QColor(theme.text))
        self._muted_pen = QPen(QColor(theme.muted))
        self._accent = QColor(theme.accent)
        self._selected = QColor(theme.accent_soft)
        self._hovered = QColor(theme.surface)

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(80, _ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        cell = self._model.cell(index.row(), index.column())
        if cell is None:
            return
        rect: QRect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._selected)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, self._hovered)
        inner = rect.adjusted(_PADDING_PX, 0, -_PADDING_PX, 0)
        if cell.field is HeapField.SHARE:
            assert isinstance(cell.value, float)
            width_px = round(inner.width() * min(1.0, max(0.0, cell.value)))
            bar = QRect(inner.right() + 1 - width_px, inner.bottom() - 3, width_px, 2)
            painter.fillRect(bar, self._accent)
        painter.setFont(self._font)
        painter.setPen(self._muted_pen if cell.field is HeapField.PLACE else self._text_pen)
        is_left = cell.field is HeapField.PLACE  # files lose their beginning, names their end
        mode = Qt.TextElideMode.ElideLeft if is_left else Qt.TextElideMode.ElideRight
        text = self._metrics.elidedText(_say(cell), mode, inner.width())
        free_px = (
            0 if cell.field in _TEXTS else inner.width() - self._metrics.horizontalAdvance(text)
        )
        place = QPointF(inner.left() + max(free_px, 0), rect.top() + self._baseline_px)
        painter.drawText(place, text)
        painter.restore()


def _say(cell: HeapCell) -> str:
    if isinstance(cell.value, str):
        return cell.value
    if cell.field is HeapField.SHARE:
        return format_share(cell.value)
    return format_value(cell.value, cell.unit)


class SizeChart(QWidget):
    """Bars lying one below the other: a class of sizes, what it has, how many blocks."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bars = SizeBars("", ())
        self._theme = theme
        self._font = fixed_font()
        self._metrics = QFontMetricsF(self._font)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_bars(self, bars: SizeBars) -> None:
        self._bars = bars
        self.setMinimumHeight(len(bars.bars) * _BAR_ROW_PX)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font)
        room_px = self.width() - _LABEL_PX - _VALUE_PX - 2 * _PADDING_PX
        middle = Qt.AlignmentFlag.AlignVCenter
        for number, bar in enumerate(self._bars.bars):
            top_px = number * _BAR_ROW_PX
            label = QRect(0, top_px, _LABEL_PX, _BAR_ROW_PX)
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(label, Qt.AlignmentFlag.AlignRight | middle, bar.label)
            left_px = _LABEL_PX + _PADDING_PX
            width_px = max(1, round(room_px * bar.share)) if bar.value else 0
            box = QRect(left_px, top_px + 5, width_px, _BAR_ROW_PX - 10)
            painter.fillRect(box, QColor(self._theme.accent))
            value = QRect(left_px + room_px, top_px, _VALUE_PX, _BAR_ROW_PX)
            painter.setPen(QColor(self._theme.text))
            text = format_value(bar.value, bar.unit) if bar.value else "–"
            painter.drawText(value, Qt.AlignmentFlag.AlignRight | middle, text)


class HeapView(QWidget):
    """Emits what the user wants to see of the table."""

    grouping_chosen = Signal(str)  # sites, functions
    row_chosen = Signal(int)  # -1 = none
    name_activated = Signal(str)  # function that was double-clicked

    def __init__(self, model: HeapModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._grouping = Segment([("sites", "Sites"), ("functions", "Functions")], self)
        self._grouping.set_tool_tips(
            {"sites": "Lines that allocate", "functions": "All lines of a function together"}
        )
        self._grouping.choose("sites")
        self._count = QLabel(self)
        self._count.setObjectName("hint")
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._table = QTableView(self._splitter)
        self._delegate = _HeapDelegate(model, theme, self._table)
        self._set_up_table()
        side = QWidget(self._splitter)
        self._title = ElidedLabel(Qt.TextElideMode.ElideMiddle, side)
        self._chart = SizeChart(theme, side)
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 10, 16, 10)
        column.addWidget(self._title)
        column.addSpacing(6)
        column.addWidget(self._chart, 1)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([_TABLE_PX, _SIZES_PX])
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 8)
        head.addWidget(self._grouping)
        head.addStretch()
        head.addWidget(self._count)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(head)
        whole.addWidget(self._splitter, 1)
        self._grouping.chosen.connect(self.grouping_chosen)
        self._table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self._table.doubleClicked.connect(self._on_activated)
        model.modelReset.connect(self._follow)
        model.layoutChanged.connect(self._follow)
        model.column_sorted.connect(self._show_sorting)
        model.summary_changed.connect(self._count.setText)
        model.sizes_changed.connect(self._show_sizes)

    def _set_up_table(self) -> None:
        table = self._table
        table.setModel(self._model)
        table.setItemDelegate(self._delegate)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setMouseTracking(True)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(_ROW_PX)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        for number, field in enumerate(HeapField):
            table.setColumnWidth(number, _WIDTHS_PX[field])
        header.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
        table.setSortingEnabled(True)

    def set_theme(self, theme: Theme) -> None:
        self._delegate.set_theme(theme)
        self._chart.set_theme(theme)
        self._table.viewport().update()

    def show_grouping(self, grouping: str) -> None:
        self._grouping.choose(grouping)

    def _follow(self) -> None:
        """The chosen row may stand elsewhere now."""
        row = self._model.chosen_row
        if row >= 0 and row != self._table.currentIndex().row():
            selection = self._table.selectionModel()
            selection.blockSignals(True)
            self._table.selectRow(row)
            selection.blockSignals(False)
            self._table.viewport().update()

    def _show_sorting(self, column: int) -> None:
        """Without asking for it again."""
        header = self._table.horizontalHeader()
        header.blockSignals(True)
        header.setSortIndicator(column, Qt.SortOrder.DescendingOrder)
        header.blockSignals(False)
        header.viewport().update()

    def _show_sizes(self, bars: SizeBars) -> None:
        self._title.set_text(bars.title)
        self._chart.show_bars(bars)

    def _on_row_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self.row_chosen.emit(current.row())

    def _on_activated(self, index: QModelIndex) -> None:
        if index.isValid():
            self.name_activated.emit(self._model.name_at(index.row()))
