"""Legend of the allocation rates: choices of measure and grouping, and an entry for each group."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from stackglass_viewer.model.units import format_value
from stackglass_viewer.presenter.memory_trace.map_groups import Colouring
from stackglass_viewer.presenter.memory_trace.rate_chart import RateChart, RateMeasure, RateWish
from stackglass_viewer.view.memory_trace.legend import LegendEntries
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.theme import Theme

_GROUPINGS = ((Colouring.TYPE, "By type"), (Colouring.SITE, "By line of code"))
_MEASURES = ((RateMeasure.BYTES, "Bytes/s"), (RateMeasure.OBJECTS, "Objects/s"))


class RateLegendView(QWidget):
    """Shows the chart's groups, and emits the chosen grouping, measure and group."""

    grouping_chosen = Signal(object)  # Colouring
    measure_chosen = Signal(object)  # RateMeasure
    group_chosen = Signal(str)  # "" = none

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._groupings = _make_box([text for _, text in _GROUPINGS], self)
        self._groupings.setAccessibleName("Groups of the allocation rates")
        self._groupings.setToolTip("Choose what the colours of the allocation rates stand for")
        self._measures = _make_box([text for _, text in _MEASURES], self)
        self._measures.setAccessibleName("Measure of the allocation rates")
        self._measures.setToolTip("Choose what is counted per second")
        self._entries = LegendEntries(theme, "allocation rates", self)
        self._bars = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._bars.setObjectName("hint")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        row = QHBoxLayout()
        row.addWidget(self._groupings, 3)
        row.addWidget(self._measures, 2)
        column.addLayout(row)
        column.addWidget(self._entries, 1)
        column.addWidget(self._bars)
        self._groupings.activated.connect(
            lambda index: self.grouping_chosen.emit(_GROUPINGS[index][0])
        )
        self._measures.activated.connect(
            lambda index: self.measure_chosen.emit(_MEASURES[index][0])
        )
        self._entries.group_chosen.connect(self.group_chosen)

    def set_theme(self, theme: Theme) -> None:
        self._entries.set_theme(theme)

    def offer_lines(self, is_offered: bool) -> None:
        """Enable the grouping by line of code if ``is_offered``: if allocations have stacks."""
        model = self._groupings.model()
        index = [each for each, _ in _GROUPINGS].index(Colouring.SITE)
        item = model.item(index) if isinstance(model, QStandardItemModel) else None
        if item is not None:
            item.setEnabled(is_offered)
            item.setToolTip("" if is_offered else "The recording has no stacks")

    def show_wish(self, wish: RateWish) -> None:
        """Set both choices without emitting a signal."""
        self._groupings.setCurrentIndex([each for each, _ in _GROUPINGS].index(wish.grouping))
        self._measures.setCurrentIndex([each for each, _ in _MEASURES].index(wish.measure))

    def show_chart(self, chart: RateChart) -> None:
        self._entries.show_legend(chart.legend)
        bar_ns = int(chart.edges_ns[1] - chart.edges_ns[0])
        self._bars.set_text(
            f"1 bar = {format_value(bar_ns, 'nanoseconds')}",
            "Drag over the bars to see the stacks of what was allocated in them. Shares are of "
            "the visible time.",
        )


def _make_box(texts: list[str], parent: QWidget) -> ChoiceBox:
    box = ChoiceBox(parent)
    box.addItems(texts)
    return box
