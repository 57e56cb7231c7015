"""Table pane: a table of a memory trace, made when it is first shown."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from stackglass_viewer.presenter.tables.delay_bars import DelayBars
from stackglass_viewer.presenter.tables.table_model import TableModel
from stackglass_viewer.view.contention.delay_chart import DelayChart
from stackglass_viewer.view.tables.number_table import NumberTable
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.empty_note import EmptyNote
from stackglass_viewer.view.widgets.theme import Theme

_CHART_PX = 380


class TablePane(CompoundWidget):
    """A table, with a placeholder while it has no rows, and a chart beside it if one was added."""

    row_chosen = Signal(int)
    row_activated = Signal(int)

    def __init__(
        self,
        model: TableModel,
        theme: Theme,
        widths_px: tuple[int, ...],
        names: tuple[str, str],
        parent: QWidget | None = None,
    ) -> None:
        """``names``: the table's name for screen readers, and its text while it has no rows."""
        super().__init__(parent)
        self._model = model
        self._theme = theme
        self._widths_px = widths_px
        self._names = names
        self._table: NumberTable | None = None
        self._note: EmptyNote | None = None
        self._chart: DelayChart | None = None
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(10)
        model.summary_changed.connect(self._show_note)

    def add_chart(self) -> None:
        """Add a chart of blocks by lifetime beside the table."""
        self._chart = DelayChart(self._theme, self)
        self._chart.setAccessibleName("Blocks by lifetime")
        self._chart.setFixedWidth(_CHART_PX)
        self._row.addWidget(self._chart)

    def show_bars(self, bars: DelayBars) -> None:
        if self._chart is not None:
            self._chart.show_bars(bars)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._table is not None:
            self._table.set_theme(theme)
        if self._chart is not None:
            self._chart.set_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._table is None:
            self._make()

    def _make(self) -> None:
        table = self._table = NumberTable(self._model, self._theme, self._widths_px, self)
        table.setAccessibleName(self._names[0])
        table.row_chosen.connect(self.row_chosen)
        table.row_activated.connect(self.row_activated)
        self._note = EmptyNote(table)
        self._note.say("Nothing here", self._names[1])
        self._row.insertWidget(0, table, 1)
        self.set_entry(table)
        self._show_note()

    def _show_note(self) -> None:
        if self._note is not None:
            self._note.setVisible(not self._model.rowCount())
