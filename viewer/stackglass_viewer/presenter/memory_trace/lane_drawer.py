"""Lane drawer: draws thread lanes off the GUI thread, while a view shows them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.presenter.memory_trace.lane_picture import (
    LaneTable,
    TraceLanePicture,
    draw_lanes,
)
from stackglass_viewer.presenter.worker import Worker

_LEAST_NAME_PX = 40


class LaneDrawer(QObject):
    """Draws the lanes of the visible time in the view's width. GUI thread."""

    changed = Signal(object)  # TraceLanePicture

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._table: LaneTable | None = None
        self._window = (0, 1)
        self._width_px = 0
        self._is_watched = False

    def watch(self, is_watched: bool) -> None:
        """Note whether a view shows lanes: they are drawn only then."""
        self._is_watched = is_watched
        self._draw()

    def set_table(self, table: LaneTable) -> None:
        self._table = table
        self._draw()

    def show_window(self, window: MapWindow) -> None:
        """Draw the time of this window."""
        self._window = (window.begin_ns, window.end_ns)
        self._draw()

    def set_width(self, width_px: int) -> None:
        if width_px != self._width_px:
            self._width_px = width_px
            self._draw()

    def _draw(self) -> None:
        table, window, width_px = self._table, self._window, self._width_px
        if table is None or not self._is_watched or width_px <= 0:
            return

        def compute() -> TraceLanePicture:
            return draw_lanes(table, window, width_px, _LEAST_NAME_PX)

        self._worker.submit("lanes", compute, self.changed.emit)
