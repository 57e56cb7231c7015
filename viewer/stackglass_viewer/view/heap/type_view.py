"""Type view: a table of Python types beside the lines that allocated their blocks."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.presenter.settings.heap_texts import describe_missing_count
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.presenter.tables.heap_model import SizeBars
from stackglass_viewer.presenter.tables.type_model import TypeModel
from stackglass_viewer.view.heap.size_panel import SizePanel
from stackglass_viewer.view.tables.lazy_table import LazyTable
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.shown_text import join_units
from stackglass_viewer.view.widgets.theme import Theme

_WIDTHS_PX = (92, 92, 92, 92, 240)  # of the model's columns
_TABLE_PX, _SITES_PX = 640, 580  # at first; the user may drag the border
_LABEL_PX = 300


class TypeView(CompoundWidget):
    """Shows the last count of objects. ``button``, in the bar above, requests another count."""

    census_requested = Signal()

    def __init__(
        self, model: TypeModel, theme: Theme, bar: QWidget, parent: QWidget | None = None
    ) -> None:
        """``bar``: the parent of ``button``."""
        super().__init__(parent)
        self._model = model
        self._status: LiveStatus | None = None
        self.button = QPushButton("Count objects", bar)
        self.button.setToolTip(
            "Count all objects that the garbage collector tracks, in slices of a few milliseconds"
        )
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        self._table = LazyTable(model, theme, _WIDTHS_PX, "Objects by type", splitter)
        side = QWidget(splitter)
        self.about = QLabel(join_units(model.summary), side)
        self.about.setObjectName("hint")
        self.about.setTextFormat(Qt.TextFormat.PlainText)
        self.about.setWordWrap(True)
        self.about.setContentsMargins(12, 10, 16, 0)
        self._sizes = SizePanel(theme, _LABEL_PX, side)
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.about)
        column.addWidget(self._sizes, 1)
        splitter.setSizes([_TABLE_PX, _SITES_PX])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(splitter, 1)
        self.set_entry(self._table)
        self.button.clicked.connect(self.census_requested)
        self._table.row_chosen.connect(model.choose)
        self._table.pressed.connect(self.census_requested)
        model.summary_changed.connect(self._show_summary)
        model.sites_changed.connect(self._show_sites)
        self._show_sites(model.sites)
        self._show_missing()

    def set_theme(self, theme: Theme) -> None:
        self._table.set_theme(theme)
        self._sizes.set_theme(theme)

    def clear_selection(self) -> bool:
        """Clear the selection; returns whether a row was chosen."""
        return self._table.clear_selection()

    def show_status(self, status: LiveStatus) -> None:
        self.button.setText("Counting…" if status.is_counting else "Count objects")
        self.button.setEnabled(status.phase == "running" and not status.is_counting)
        self._status = status
        self._show_missing()

    def _show_summary(self, text: str) -> None:
        self.about.setText(join_units(text))
        self._show_missing()

    def _show_missing(self) -> None:
        missing = describe_missing_count(self._status, self._model.summary, self._model.is_past)
        buttons = ("Count objects",) if missing.can_count else ()
        self._table.say(missing.title, missing.text, buttons)

    def _show_sites(self, bars: SizeBars) -> None:
        self._sizes.show_bars(bars)
