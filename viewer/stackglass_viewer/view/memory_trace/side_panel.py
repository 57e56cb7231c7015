"""Side panel of a memory trace: findings about the trace, a legend, or a block."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from stackglass_viewer.presenter.memory_trace.statistics import TraceStatistics
from stackglass_viewer.view.memory_trace.block_view import BlockView
from stackglass_viewer.view.memory_trace.legend import MapLegendView
from stackglass_viewer.view.memory_trace.rate_legend import RateLegendView
from stackglass_viewer.view.memory_trace.text_area import TextArea
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.segmented_control import SegmentedControl
from stackglass_viewer.view.widgets.theme import Theme

_LEAST_PX = 270
_CHOICES = (("findings", "Findings"), ("legend", "Legend"), ("block", "Block"))
_TIPS = {
    "findings": "What stands out in the trace",
    "legend": "What the colours of the heap map or the rates stand for",
    "block": "The block that was clicked in the heap map",
}


class SidePanel(CompoundWidget):
    """Shows one of its three parts, which buttons choose."""

    shown = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumWidth(_LEAST_PX)
        self._choices = SegmentedControl(_CHOICES, self)
        self._choices.set_tool_tips(_TIPS)
        self.set_entry(self._choices.button("findings"))
        self._pages = QStackedWidget(self)
        self._findings = TextArea(self._pages)
        self._findings.setAccessibleName("Findings")
        self._findings.set_text("Searching the trace…")
        self.legend = MapLegendView(theme, self._pages)
        self.rates = RateLegendView(theme, self._pages)
        self._current_legend: QWidget = self.legend  # the legend of _pane
        self._pane = "map"  # name of the pane that the legend explains
        self.block = BlockView(theme, self._pages)
        self._parts: dict[str, QWidget] = {
            "findings": self._findings,
            "legend": self.legend,
            "block": self.block,
        }
        for part in (*self._parts.values(), self.rates):
            self._pages.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 10, 6)
        column.setSpacing(6)
        column.addWidget(self._choices, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._pages, 1)
        self._choices.chosen.connect(self.show_part)
        self.block.closed.connect(self._close_block)
        self.show_part("legend")

    def show_part(self, name: str) -> None:
        """Show ``findings``, ``legend`` or ``block``."""
        self._choices.choose(name)
        part = self._current_legend if name == "legend" else self._parts[name]
        self._pages.setCurrentWidget(part)
        self.shown.emit(name)

    def _close_block(self) -> None:
        is_offered = self._choices.button("legend").isEnabled()
        self.show_part("legend" if is_offered else "findings")

    def offer_legend(self, pane: str) -> None:
        """Offer the legend of the heap map or of the rates, depending on ``pane``; "" = neither.

        The legend of another pane is shown at once, unless a block is shown. The same pane changes
        nothing.
        """
        is_offered = pane in ("map", "rates", "rate_rows")
        if pane == self._pane:
            return
        self._pane = pane
        self._current_legend = self.legend if pane == "map" else self.rates
        self._choices.set_enabled("legend", is_offered)
        if self._pages.currentWidget() is not self.block:
            self.show_part("legend" if is_offered else "findings")

    def set_theme(self, theme: Theme) -> None:
        self.legend.set_theme(theme)
        self.rates.set_theme(theme)
        self.block.set_theme(theme)

    def show_statistics(self, value: TraceStatistics) -> None:
        sentences = (*value.findings, value.collections)
        self._findings.set_text(
            "".join(
                f'<p style="margin-top:0; margin-bottom:7px">{escape(each)}</p>'
                for each in sentences
            )
        )
