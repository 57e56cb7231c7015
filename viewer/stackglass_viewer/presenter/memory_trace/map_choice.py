"""Map choice: the part of a trace that the heap map shows, and the meaning of its colours."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.presenter.memory_trace.map_drawer import MapDrawer, MapPaint, MapRequest
from stackglass_viewer.presenter.memory_trace.map_groups import Colouring
from stackglass_viewer.presenter.memory_trace.map_navigation import MapNavigation

_LEAST_CELLS = 8  # rows and columns: a smaller map is not drawn


class MapChoice(QObject):
    """Keeps window, size, colouring and chosen group, and has ``MapDrawer`` draw. GUI thread."""

    window_changed = Signal(object)  # MapWindow that is to be shown; its picture follows

    def __init__(
        self,
        whole: MapWindow,
        drawer: MapDrawer,
        palette: Palette,
        colouring: Colouring = Colouring.TYPE,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._navigation = MapNavigation(whole)
        self._drawer = drawer
        self._palette = palette
        self._shape = (0, 0)
        self._colouring = colouring
        self._chosen = ""
        self._is_shown = False

    @property
    def window(self) -> MapWindow:
        """The part of the trace that is to be shown."""
        return self._navigation.window

    @property
    def colouring(self) -> Colouring:
        """What the colours mean."""
        return self._colouring

    @property
    def is_zoomed(self) -> bool:
        """Whether less than the whole trace is shown."""
        return self._navigation.is_zoomed

    # -- what is shown

    def show(self, is_shown: bool) -> None:
        """Note whether a view shows the map: it is drawn only then."""
        self._is_shown = is_shown
        if is_shown:
            self._draw()
        else:
            self._drawer.stop()

    def set_shape(self, rows: int, columns: int) -> None:
        """Set the number of rows and columns that there is room for."""
        if (rows, columns) != self._shape:
            self._shape = (rows, columns)
            self._draw()

    def choose_colouring(self, colouring: Colouring) -> None:
        if colouring is not self._colouring:
            self._colouring, self._chosen = colouring, ""
            self._drawer.paint(MapPaint(self._palette))
            self._draw()

    def choose_group(self, text: str) -> None:
        """Highlight a group. The highlighted group again, or "", ends the highlight."""
        self._chosen = "" if text == self._chosen else text
        self._drawer.paint(MapPaint(self._palette, self._chosen))

    def choose_palette(self, palette: Palette) -> None:
        if palette != self._palette:
            self._palette = palette
            self._drawer.paint(MapPaint(palette, self._chosen))

    # -- moves

    def look_at(self, window: MapWindow) -> None:
        """Show this part of the trace."""
        self._move(lambda navigation: navigation.show(window))

    def show_all(self) -> None:
        self._move(MapNavigation.show_all)

    def zoom(self, at: tuple[float, float], factors: tuple[float, float]) -> None:
        """See ``MapNavigation.zoom``."""
        self._move(lambda navigation: navigation.zoom(at, factors))

    def pan(self, right: float, down: float) -> None:
        """Move by shares of the visible width and height."""
        self._move(lambda navigation: navigation.pan(right, down))

    def follow(self, time_ns: int) -> None:
        """Move so that a time is visible."""
        self._move(lambda navigation: navigation.follow(time_ns))

    def _move(self, change: Callable[[MapNavigation], object]) -> None:
        before = self._navigation.window
        change(self._navigation)
        if self._navigation.window != before:
            self.window_changed.emit(self._navigation.window)
            self._draw()

    def _draw(self) -> None:
        if self._is_shown and min(self._shape) >= _LEAST_CELLS:
            self._drawer.draw(MapRequest(self.window, self._shape, self._colouring))
