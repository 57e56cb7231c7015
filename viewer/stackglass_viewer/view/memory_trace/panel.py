"""Memory trace panel, above the graph: bar, curve, and what was chosen to stand below it.

::

    ┌ bar: what is shown · play · what is below ─────────────────────────┐
    │ curve over time                                  │ legend, block,  │
    │ heap map, arenas, threads, or a table            │ or findings     │
    └ grip: drag it to change the height ────────────────────────────────┘
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.tables.table_model import TableModel
from stackglass_viewer.view.memory_trace.bar import TraceBar
from stackglass_viewer.view.memory_trace.curve_view import CurveView
from stackglass_viewer.view.memory_trace.lanes_view import LanesView
from stackglass_viewer.view.memory_trace.map_view import MapView
from stackglass_viewer.view.memory_trace.rate_view import RateView
from stackglass_viewer.view.memory_trace.side_panel import SidePanel
from stackglass_viewer.view.memory_trace.space_view import SpaceView
from stackglass_viewer.view.memory_trace.table_pane import TablePane
from stackglass_viewer.view.memory_trace.time_view import TimeView
from stackglass_viewer.view.widgets.theme import Theme

_PANE_PX, _LEAST_PANE_PX, _MOST_PANE_PX = 196, 80, 900
_GRIP_PX = 5


@dataclass(frozen=True, slots=True)
class TraceTables:
    """The models of a trace's tables."""

    classes: TableModel
    garbage: TableModel
    survivors: TableModel
    blocks: TableModel
    rates: TableModel


class TracePanel(QFrame):
    """Lays out the widgets of a trace and connects them to each other."""

    pane_shown = Signal(str)

    def __init__(
        self, trace: MemoryTrace, tables: TraceTables, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("timeline")
        self.bar = TraceBar(theme, self)
        self.curve = CurveView(theme, self)
        self.curve.set_zero(trace.index.begin_ns)
        self.side = SidePanel(theme, self)
        self._stack = stack = QStackedWidget(self)
        self.map = MapView(trace, theme, stack)
        self.lanes = LanesView(trace, theme, stack)
        self.rates = RateView(theme, stack)
        self.space = SpaceView(theme, stack)
        nothing = "No such data at this moment."
        self.classes = TablePane(
            tables.classes, theme, (92,) * 7, ("Size classes at the cursor", nothing), stack
        )
        self.garbage = TablePane(
            tables.garbage,
            theme,
            (112, 80, 92, 92, 260),
            ("Short-lived allocations", "No allocation was freed within 1 ms."),
            stack,
        )
        self.garbage.add_chart()
        self.rate_rows = TablePane(
            tables.rates,
            theme,
            (92, 80, 92, 92, 92, 260),
            ("Allocation rates", "No allocation was recorded."),
            stack,
        )
        self.survivors = TablePane(
            tables.survivors,
            theme,
            (92, 80, 92, 160, 260),
            ("What survives", "Nothing that was allocated lives at the end."),
            stack,
        )
        self.blocks = TablePane(
            tables.blocks,
            theme,
            (92, 92, 200, 260),
            ("Blocks of a cell", "Click a cell of the heap map to list its blocks."),
            stack,
        )
        self._panes: dict[str, QWidget] = {
            "map": self.map,
            "space": self.space,
            "classes": self.classes,
            "rates": self.rates,
            "rate_rows": self.rate_rows,
            "lanes": self.lanes,
            "garbage": self.garbage,
            "survivors": self.survivors,
            "blocks": self.blocks,
        }
        for pane in self._panes.values():
            stack.addWidget(pane)
        self._pane_px = _PANE_PX
        self._pane = "map"
        left = QVBoxLayout()
        left.setSpacing(0)
        left.addWidget(self.curve)
        left.addWidget(stack)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addLayout(left, 1)
        middle.addWidget(self.side)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.bar)
        whole.addLayout(middle)
        whole.addWidget(_Grip(self))
        self.bar.pane_chosen.connect(self.show_pane)
        self.show_pane("map")

    @property
    def time_views(self) -> tuple[TimeView, ...]:
        """All that are painted over time."""
        return self.curve, self.map, self.rates, self.lanes

    @property
    def pane(self) -> str:
        """What stands below the curve; "" = nothing."""
        return self._pane

    def show_pane(self, name: str) -> None:
        """One of ``PANES``."""
        self._pane = name
        self.bar.show_pane(name)
        self._stack.setVisible(bool(name))
        self.side.setVisible(bool(name))  # beside the curve alone there is no room for its texts
        if name:
            self._stack.setCurrentWidget(self._panes[name])
        self.side.offer_legend(name)
        self._set_pane_height(self._pane_px)
        self.pane_shown.emit(name)

    def change_height(self, by_px: int) -> None:
        """Give the pane more room, or less."""
        self._set_pane_height(self._pane_px + by_px)

    def _set_pane_height(self, height_px: int) -> None:
        most_px = _MOST_PANE_PX
        page = self.parentWidget()
        if page is not None and page.height() > 0 and page.isVisible():
            most_px = max(page.height() // 2, _LEAST_PANE_PX)
        self._pane_px = min(max(height_px, _LEAST_PANE_PX), most_px)
        self._stack.setFixedHeight(self._pane_px)
        self.side.setFixedHeight(self.curve.height() + self._pane_px)

    def show_window(self, window: MapWindow) -> None:
        """The part of the trace that is wanted."""
        for view in self.time_views:
            view.show_window(window)

    def show_cursor(self, time_ns: int) -> None:
        for view in self.time_views:
            view.show_cursor(time_ns)

    def show_brush(self, ends_ns: tuple[int, int] | None) -> None:
        """None = there is none."""
        for view in self.time_views:
            view.show_brush(ends_ns)

    def show_palette(self, palette: Palette) -> None:
        self.lanes.show_palette(palette)

    def set_theme(self, theme: Theme) -> None:
        for part in (
            self.bar,
            self.curve,
            self.map,
            self.rates,
            self.rate_rows,
            self.lanes,
            self.space,
            self.classes,
            self.garbage,
            self.survivors,
            self.blocks,
            self.side,
        ):
            part.set_theme(theme)


class _Grip(QFrame):
    """Changes the height of the panel."""

    def __init__(self, panel: TracePanel) -> None:
        super().__init__(panel)
        self._panel = panel
        self._pressed_y: float | None = None
        self.setFixedHeight(_GRIP_PX)
        self.setCursor(Qt.CursorShape.SplitVCursor)
        self.setToolTip("Drag to change the height")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed_y = event.globalPosition().y()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed_y is not None:
            y = event.globalPosition().y()
            self._panel.change_height(round(y - self._pressed_y))
            self._pressed_y = y

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed_y = None
