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
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen, QPolygonF
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

from stackglass_viewer.model.units import format_share, format_value
from stackglass_viewer.presenter.top_model import (
    KIND_ROLE,
    SHARE_ROLE,
    UNIT_ROLE,
    TopColumn,
    TopModel,
)
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
}
_TEXTS = (TopColumn.NAME, TopColumn.FILE)
_SHARES = (TopColumn.FLAT_SHARE, TopColumn.CUM_SHARE)

AnyIndex = QModelIndex | QPersistentModelIndex


class TopDelegate(QStyledItemDelegate):
    """Puts numbers into words and draws the shares as bars."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._font = fixed_font()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(80, _ROW_PX)

    def text_of(self, index: AnyIndex) -> str:
        """What the cell says."""
        kind: TopColumn = index.data(KIND_ROLE)
        value = index.data()
        if kind in _SHARES:
            return format_share(value)
        if kind in _TEXTS:
            return str(value)
        return format_value(value, index.data(UNIT_ROLE)) if value else "–"

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        kind: TopColumn | None = index.data(KIND_ROLE)
        if kind is None:
            return
        theme = self._theme
        painter.save()
        rect: QRect = option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(theme.accent_soft))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, QColor(theme.surface))
        text = self.text_of(index)
        inner = rect.adjusted(_PADDING_PX, 0, -_PADDING_PX, 0)
        painter.setFont(self._font)
        if kind in _SHARES:
            self._paint_bar(painter, inner, index.data(SHARE_ROLE) or 0.0)
        colour = theme.muted if kind is TopColumn.FILE or text == "–" else theme.text
        painter.setPen(QPen(QColor(colour)))
        metrics = painter.fontMetrics()
        if kind in _TEXTS:
            mode = (
                Qt.TextElideMode.ElideLeft
                if kind is TopColumn.FILE
                else Qt.TextElideMode.ElideRight
            )
            text = metrics.elidedText(text, mode, inner.width())
            side = Qt.AlignmentFlag.AlignLeft
        else:
            side = Qt.AlignmentFlag.AlignRight
        painter.drawText(inner, side | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()

    def _paint_bar(self, painter: QPainter, inner: QRect, share: float) -> None:
        width_px = round(inner.width() * min(1.0, max(0.0, share)))
        if width_px > 0:
            bar = QRect(inner.right() + 1 - width_px, inner.bottom() - 3, width_px, 2)
            painter.fillRect(bar, QColor(self._theme.accent))


class _TopHeader(QHeaderView):
    """Marks the sorted column by a small arrow beside its title, not above it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.theme = theme
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setStretchLastSection(True)
        self.setMinimumSectionSize(48)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        painter.save()
        painter.fillRect(rect, QColor(self.theme.surface))
        painter.fillRect(rect.adjusted(0, rect.height() - 1, 0, 0), QColor(self.theme.border))
        is_sorted = self.sortIndicatorSection() == section
        font = self.font()
        font.setBold(is_sorted)
        painter.setFont(font)
        painter.setPen(QPen(QColor(self.theme.text if is_sorted else self.theme.muted)))
        title = str(self.model().headerData(section, Qt.Orientation.Horizontal) or "")
        kind = self.model().headerData(section, Qt.Orientation.Horizontal, KIND_ROLE)
        inner = rect.adjusted(_PADDING_PX, 0, -_PADDING_PX, 0)
        side = Qt.AlignmentFlag.AlignLeft if kind in _TEXTS else Qt.AlignmentFlag.AlignRight
        painter.drawText(inner, side | Qt.AlignmentFlag.AlignVCenter, title)
        if is_sorted:
            title_px = painter.fontMetrics().horizontalAdvance(title)
            x = inner.left() + title_px + 8 if kind in _TEXTS else inner.right() - title_px - 9
            self._paint_arrow(painter, x, inner.center().y() + 1)
        painter.restore()

    def _paint_arrow(self, painter: QPainter, x: int, y: int) -> None:
        down = self.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        tip = 2.0 if down else -2.0
        shape = QPolygonF()
        for point in ((x - 3.5, y - tip), (x + 3.5, y - tip), (x + 0.0, y + tip)):
            shape.append(QPointF(*point))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.accent))
        painter.drawPolygon(shape)


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
        self._filter = QLineEdit()
        self._filter.setPlaceholderText("Filter functions and files")
        self._filter.setClearButtonEnabled(True)
        self._count = QLabel()
        self._count.setObjectName("hint")
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(_FILTER_DELAY_MS)
        self._table = QTableView()
        self._header = _TopHeader(theme, self._table)
        self._table.setHorizontalHeader(self._header)
        self._delegate = TopDelegate(theme, self._table)
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
            if column in _WIDTHS_PX:
                self._table.setColumnWidth(number, _WIDTHS_PX[column])
        wish = self._model.wish
        down = Qt.SortOrder.DescendingOrder if wish.is_descending else Qt.SortOrder.AscendingOrder
        self._table.setSortingEnabled(False)
        if wish.column in self._model.columns:
            self._header.setSortIndicator(self._model.columns.index(wish.column), down)
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
