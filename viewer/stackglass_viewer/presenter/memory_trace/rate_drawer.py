"""Rate drawer: draws charts of allocation rates off the GUI thread, while a view shows them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.model.memory_trace.rate_table import RateTable, list_line_rates, list_rates
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.memory_trace.map_groups import Colouring
from stackglass_viewer.presenter.memory_trace.rate_chart import (
    RateChart,
    RateMeasure,
    RateWish,
    draw_rates,
)
from stackglass_viewer.presenter.memory_trace.rate_groups import suggest_grouping
from stackglass_viewer.presenter.worker import Worker


class RateDrawer(QObject):
    """Has a worker draw the chart and fill its table. GUI thread."""

    changed = Signal(object)  # RateChart
    table_changed = Signal(object)  # RateTable
    wish_changed = Signal(object)  # RateWish
    failed = Signal(str)

    def __init__(
        self, trace: MemoryTrace, palette: Palette, worker: Worker, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._trace = trace
        self._palette = palette
        self._worker = worker
        grouping = suggest_grouping(trace.index.rates, self.has_lines)
        self._wish = RateWish(grouping, RateMeasure.BYTES)
        self._table: RateTable | None = None  # of the current grouping; None = not listed yet
        self._window = trace.whole
        self._width_px = 0
        self._is_watched = False

    @property
    def has_lines(self) -> bool:
        """Whether allocations have stacks."""
        return len(self._trace.index.line_rates.location) > 0

    @property
    def wish(self) -> RateWish:
        """What the chart is to show."""
        return self._wish

    def watch(self, is_watched: bool) -> None:
        """Note whether a view shows the chart or its table: they are made only then."""
        self._is_watched = is_watched
        self._draw()

    def show_window(self, window: MapWindow) -> None:
        """Draw the time of this window."""
        self._window = window
        self._draw()

    def set_width(self, width_px: int) -> None:
        if width_px != self._width_px:
            self._width_px = width_px
            self._draw()

    def choose_palette(self, palette: Palette) -> None:
        if palette != self._palette:
            self._palette = palette
            self._draw()

    def choose_grouping(self, grouping: Colouring) -> None:
        """Group by type, or by line of code."""
        if grouping is not self._wish.grouping:
            self._table = None
            self._choose(self._wish._replace(grouping=grouping, chosen=""))

    def choose_measure(self, measure: RateMeasure) -> None:
        self._choose(self._wish._replace(measure=measure))

    def choose_group(self, text: str) -> None:
        """Highlight a group. The highlighted group again, or "", ends the highlight."""
        self._choose(self._wish._replace(chosen="" if text == self._wish.chosen else text))

    def _choose(self, wish: RateWish) -> None:
        if wish != self._wish:
            self._wish = wish
            self.wish_changed.emit(wish)
            self._draw()

    def _draw(self) -> None:
        if not self._is_watched or self._width_px <= 0:
            return
        trace, known, wish = self._trace, self._table, self._wish
        window, width_px, palette = self._window, self._width_px, self._palette

        def compute() -> tuple[RateTable, RateChart]:
            table = known or _list_table(trace, wish.grouping)
            return table, draw_rates(table, wish, window, width_px, palette)

        self._worker.submit("rates", compute, self._take, self._on_failed)

    def _take(self, drawn: tuple[RateTable, RateChart]) -> None:
        table, chart = drawn
        if chart.wish.grouping is not self._wish.grouping:
            return  # the chart of the current grouping follows
        if table is not self._table:
            self._table = table
            self.table_changed.emit(table)
        self.changed.emit(chart)

    def _on_failed(self, error: Exception) -> None:
        self.failed.emit(" ".join(str(error).split()))


def _list_table(trace: MemoryTrace, grouping: Colouring) -> RateTable:
    names, index = trace.names, trace.index
    if grouping is Colouring.SITE:
        return list_line_rates(names, index.line_rates, index.end.time_ns)
    return list_rates(names, index.rates, index.end.time_ns)
