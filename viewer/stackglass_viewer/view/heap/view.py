"""Heap view: a table of sites, functions or types, beside a chart of the chosen row's sizes."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.type_model import TypeModel
from stackglass_viewer.view.heap.size_panel import SizePanel
from stackglass_viewer.view.heap.type_view import TypeView
from stackglass_viewer.view.tables.lazy_table import LazyTable
from stackglass_viewer.view.tables.table_head import TableHead
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.theme import Theme

_WIDTHS_PX = (92, 76, 92, 92, 320, 160)  # of the model's columns
_TABLE_PX, _SIZES_PX = 860, 360  # at first; the user may drag the border
_LABEL_PX = 96
_SIZES_FROM_PX = 640  # from this width on, there is room for the chart beside the table


class HeapView(CompoundWidget):
    """Shows the table and the chart, and emits the user's choices."""

    grouping_chosen = Signal(str)  # sites, functions
    row_chosen = Signal(int)  # -1 = none
    name_activated = Signal(str)  # function that was double-clicked
    census_requested = Signal()

    def __init__(
        self,
        model: HeapModel,
        types: TypeModel | None,
        theme: Theme,
        bar: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        """``types``: None for a file, in which no objects can be counted.
        ``bar``: the parent of ``head``."""
        super().__init__(parent)
        self._model = model
        self.head = TableHead(
            "Rows", [("sites", "Sites"), ("functions", "Functions"), ("types", "Types")], bar
        )
        self._grouping = self.head.groupings
        self._grouping.set_tool_tips(
            {
                "sites": "One row per line that allocates",
                "functions": "One row per function, with all its lines",
                "types": "Objects by Python type, counted on request",
            }
        )
        self._grouping.set_visible("types", types is not None)
        self._grouping.choose("sites")
        self._count = self.head.count
        self._pages = QStackedWidget(self)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self._pages)
        self._pages.addWidget(self._splitter)
        self._type_model = types
        self._types: TypeView | None = None  # made when it is first shown
        self._theme = theme
        self._status: LiveStatus | None = None
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._placeholder = ("Nothing here", "")
        self._table = LazyTable(model, theme, _WIDTHS_PX, "Sites of the heap", self._splitter)
        self._table.say(*self._placeholder)
        self._sizes: SizePanel | None = None
        self.set_entry(self._table)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._pages, 1)
        self._grouping.chosen.connect(self._on_grouping)
        self._table.row_chosen.connect(self.row_chosen)
        self._table.row_activated.connect(self._on_activated)
        model.summary_changed.connect(self._show_summary)
        QTimer.singleShot(0, self, self._add_sizes)  # an incremental step of its own

    def _add_sizes(self) -> None:
        sizes = self._sizes = SizePanel(self._theme, _LABEL_PX, self._splitter)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([_TABLE_PX, _SIZES_PX])
        self._fit()
        self._model.sizes_changed.connect(sizes.show_bars)
        self._model.emit_sizes()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._sizes is not None:
            self._sizes.setVisible(self.width() >= _SIZES_FROM_PX)

    def set_theme(self, theme: Theme) -> None:
        self._table.set_theme(theme)
        self._theme = theme
        if self._sizes is not None:
            self._sizes.set_theme(theme)
        if self._types is not None:
            self._types.set_theme(theme)

    def clear_selection(self) -> bool:
        """Clear the selection of the table that is shown; returns whether a row was chosen."""
        if self._types is not None and self._types is self._pages.currentWidget():
            return self._types.clear_selection()
        return self._table.clear_selection()

    def show_status(self, status: LiveStatus) -> None:
        self._status = status
        if self._types is not None:
            self._types.show_status(status)

    def _make_types(self, model: TypeModel) -> TypeView:
        made = TypeView(model, self._theme, self.head, self._pages)
        made.census_requested.connect(self.census_requested)
        if self._status is not None:
            made.show_status(self._status)
        self._pages.addWidget(made)
        self.head.add(made.button)
        return made

    def _on_grouping(self, grouping: str) -> None:
        is_types = grouping == "types"
        if is_types and self._types is None and self._type_model is not None:
            self._types = self._make_types(self._type_model)
        if self._types is not None:
            self._types.button.setVisible(is_types)
        self._count.setVisible(not is_types)
        if is_types and self._types is not None:
            self.turn_to(self._pages, self._types, self._types)
        else:
            self.turn_to(self._pages, self._splitter, self._table)
        if not is_types:
            self.grouping_chosen.emit(grouping)

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts of an empty table."""
        self._placeholder = (title, text)
        self._table.say(title, text)

    def _show_summary(self, text: str) -> None:
        self._count.set_text(text if self._model.rowCount() else "")
        self._table.say(*self._placeholder)

    def _on_activated(self, row: int) -> None:
        self.name_activated.emit(self._model.name_at(row))
