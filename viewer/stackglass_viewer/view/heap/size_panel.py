"""Size panel: the title of a table's chosen row above the row's bar chart, which can scroll."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from stackglass_viewer.presenter.tables.heap_model import SizeBars
from stackglass_viewer.view.heap.size_chart import SizeChart
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.theme import Theme


class SizePanel(QWidget):
    """The title and the chart. ``label_px``: the width of the chart's labels."""

    def __init__(self, theme: Theme, label_px: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ElidedLabel(Qt.TextElideMode.ElideMiddle, self)
        scrolled = QScrollArea(self)
        self._chart = SizeChart(theme, label_px, scrolled)
        scrolled.setWidget(self._chart)
        scrolled.setAccessibleName("Sizes of blocks")
        scrolled.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the chart takes the focus, and scrolls
        self._chart.bar_reached.connect(
            lambda place: scrolled.ensureVisible(0, place.center().y(), 0, place.height())
        )
        scrolled.setWidgetResizable(True)
        scrolled.setFrameShape(QFrame.Shape.NoFrame)
        scrolled.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for part in (scrolled, scrolled.viewport(), self._chart):
            part.setAutoFillBackground(False)  # the panel's background shows through
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 16, 10)
        column.addWidget(self._title)
        column.addSpacing(6)
        column.addWidget(scrolled, 1)

    def set_theme(self, theme: Theme) -> None:
        self._chart.set_theme(theme)

    def show_bars(self, bars: SizeBars) -> None:
        self._title.set_text(bars.title)
        self._chart.show_bars(bars)
