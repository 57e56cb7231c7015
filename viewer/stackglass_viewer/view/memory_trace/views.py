"""Views of a memory trace: its bar, and the curve, pane and side panel around a tab's other view.

::

    ┌ bar: subject · play · choice of the pane below the curve ──────────┐
    │ curve over time                                  │ side: legend,   │
    │ pane: heap map, arenas, threads, or a table      │ block, findings │
    └ the tab's other view, such as the flame graph ─────────────────────┘
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.settings.trace_views import find_legend, find_pane
from stackglass_viewer.presenter.settings.view_layout import ViewLayout
from stackglass_viewer.presenter.tables.table_model import TableModel
from stackglass_viewer.view.memory_trace.bar import TraceBar
from stackglass_viewer.view.memory_trace.curve_view import CurveView
from stackglass_viewer.view.memory_trace.lanes_view import TraceLanesView
from stackglass_viewer.view.memory_trace.map_view import MapView
from stackglass_viewer.view.memory_trace.rate_view import RateView
from stackglass_viewer.view.memory_trace.side_panel import SidePanel
from stackglass_viewer.view.memory_trace.space_view import SpaceView
from stackglass_viewer.view.memory_trace.table_pane import TablePane
from stackglass_viewer.view.memory_trace.time_view import TimeView
from stackglass_viewer.view.widgets.theme import Theme

_NOTHING = "No such data at this moment."


@dataclass(frozen=True, slots=True)
class TraceTables:
    """The models of a trace's tables."""

    classes: TableModel
    garbage: TableModel
    survivors: TableModel
    blocks: TableModel
    rates: TableModel


class TraceViews(QObject):
    """Makes the views, which the page's view area places. ``widgets``: all views by name."""

    shown_changed = Signal(object)  # frozenset of the names of the visible views

    def __init__(
        self, trace: MemoryTrace, tables: TraceTables, theme: Theme, page: QWidget, area: QWidget
    ) -> None:
        super().__init__(area)
        self.bar = TraceBar(theme, page)
        self.curve = CurveView(theme, area)
        self.curve.set_zero(trace.index.begin_ns)
        self.side = SidePanel(theme, area)
        self.map = MapView(trace, theme, area)
        self.lanes = TraceLanesView(trace, theme, area)
        self.rates = RateView(theme, area)
        self.space = SpaceView(theme, area)
        self.classes = TablePane(
            tables.classes, theme, (92,) * 7, ("Size classes at the cursor", _NOTHING), area
        )
        self.garbage = TablePane(
            tables.garbage,
            theme,
            (112, 80, 92, 92, 260),
            ("Short-lived allocations", "No allocation was freed within 1 ms."),
            area,
        )
        self.garbage.add_chart()
        self.rate_rows = TablePane(
            tables.rates,
            theme,
            (92, 80, 92, 92, 92, 260),
            ("Allocation rates", "No allocation was recorded."),
            area,
        )
        self.survivors = TablePane(
            tables.survivors,
            theme,
            (92, 80, 92, 160, 260),
            ("What survives", "No block allocated in the trace lives at its end."),
            area,
        )
        self.blocks = TablePane(
            tables.blocks,
            theme,
            (92, 92, 200, 260),
            ("Blocks of a cell", "Click a cell of the heap map to list its blocks."),
            area,
        )
        self.widgets: dict[str, CurveView | SidePanel | TimeView | SpaceView | TablePane] = {
            "curve": self.curve,
            "map": self.map,
            "space": self.space,
            "classes": self.classes,
            "rates": self.rates,
            "rate_rows": self.rate_rows,
            "lanes": self.lanes,
            "garbage": self.garbage,
            "survivors": self.survivors,
            "blocks": self.blocks,
            "side": self.side,
        }
        for widget in self.widgets.values():
            widget.hide()
        self.shown: frozenset[str] = frozenset()

    @property
    def time_views(self) -> tuple[TimeView, ...]:
        """The views that show the trace over time."""
        return self.curve, self.map, self.rates, self.lanes

    def show_layout(self, layout: ViewLayout) -> None:
        """Store which views are visible, and show their pane in the bar and their legend."""
        self.bar.show_pane(find_pane(layout.views, layout.focused))
        self.side.offer_legend(find_legend(layout))
        shown = frozenset(layout.views)
        if shown != self.shown:
            self.shown = shown
            self.shown_changed.emit(shown)

    def show_window(self, window: MapWindow) -> None:
        """Set the part of the trace to show."""
        for view in self.time_views:
            view.show_window(window)

    def show_cursor(self, time_ns: int) -> None:
        for view in self.time_views:
            view.show_cursor(time_ns)

    def show_brush(self, ends_ns: tuple[int, int] | None) -> None:
        """Show the chosen span; None = there is none."""
        for view in self.time_views:
            view.show_brush(ends_ns)

    def show_palette(self, palette: Palette) -> None:
        self.lanes.show_palette(palette)

    def set_theme(self, theme: Theme) -> None:
        self.bar.set_theme(theme)
        for widget in self.widgets.values():
            widget.set_theme(theme)
