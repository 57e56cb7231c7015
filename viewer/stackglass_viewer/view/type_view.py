"""What the program's objects are: a table of types beside the lines that their blocks come from."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.presenter.heap_model import SizeBars
from stackglass_viewer.presenter.type_model import TypeModel
from stackglass_viewer.presenter.values import LiveStatus
from stackglass_viewer.view.elided_label import ElidedLabel
from stackglass_viewer.view.heap_delegate import HeapDelegate, set_up_table
from stackglass_viewer.view.size_chart import SizeChart
from stackglass_viewer.view.theme import Theme

_WIDTHS_PX = (92, 92, 92, 92, 240)  # of the model's columns
_TABLE_PX, _SITES_PX = 640, 580  # at first; the user may drag the border
_LABEL_PX = 300
_FIRST_SORTED = 1


class TypeView(QWidget):
    """Emits that a count is wanted."""

    census_requested = Signal()

    def __init__(self, model: TypeModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._count = QPushButton("Count objects", self)
        self._count.setToolTip(
            "Walk through all objects that the collector tracks, in slices of some milliseconds"
        )
        self._about = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._about.setObjectName("hint")
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        self._table = QTableView(splitter)
        self._delegate = HeapDelegate(model, theme, self._table)
        self._table.setModel(model)
        self._table.setItemDelegate(self._delegate)
        set_up_table(self._table, _WIDTHS_PX)
        header = self._table.horizontalHeader()
        header.setSortIndicator(_FIRST_SORTED, Qt.SortOrder.DescendingOrder)
        self._table.setSortingEnabled(True)
        side = QWidget(splitter)
        self._title = ElidedLabel(Qt.TextElideMode.ElideMiddle, side)
        self._chart = SizeChart(theme, _LABEL_PX, side)
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 10, 16, 10)
        column.addWidget(self._title)
        column.addSpacing(6)
        column.addWidget(self._chart, 1)
        splitter.setSizes([_TABLE_PX, _SITES_PX])
        head = QHBoxLayout()
        head.setContentsMargins(12, 0, 12, 8)
        head.setSpacing(12)
        head.addWidget(self._count)
        head.addWidget(self._about, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(head)
        whole.addWidget(splitter, 1)
        self._count.clicked.connect(self.census_requested)
        self._table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        model.modelReset.connect(self._follow)
        model.layoutChanged.connect(self._follow)
        model.summary_changed.connect(self._about.set_text)
        model.sites_changed.connect(self._show_sites)

    def set_theme(self, theme: Theme) -> None:
        self._delegate.set_theme(theme)
        self._chart.set_theme(theme)
        self._table.viewport().update()

    def show_status(self, status: LiveStatus) -> None:
        self._count.setText("Counting…" if status.is_counting else "Count objects")
        self._count.setEnabled(status.phase == "running" and not status.is_counting)

    def _follow(self) -> None:
        """The chosen type may stand elsewhere now."""
        row = self._model.chosen_row
        if row >= 0 and row != self._table.currentIndex().row():
            selection = self._table.selectionModel()
            selection.blockSignals(True)
            self._table.selectRow(row)
            selection.blockSignals(False)
            self._table.viewport().update()

    def _show_sites(self, bars: SizeBars) -> None:
        self._title.set_text(bars.title)
        self._chart.show_bars(bars)

    def _on_row_changed(self, current: QModelIndex) -> None:
        if current.isValid():
            self._model.choose(current.row())
