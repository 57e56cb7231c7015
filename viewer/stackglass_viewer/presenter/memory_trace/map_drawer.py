"""Map drawer: draws and paints heap maps in a thread of its own; the newest request wins.

::

    request ─▶ coarse or exact, whichever is quick ─▶ picture
                     └─ coarse: 250 ms after the last request ─▶ exact ─▶ picture
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from stackglass_viewer.model.errors import CancelledError
from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.memory_trace.heap_map import HeapMap, MapWindow
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.memory_trace.curve import Curve, draw_curve
from stackglass_viewer.presenter.memory_trace.map_groups import Colouring
from stackglass_viewer.presenter.memory_trace.map_picture import MapPainter, MapPicture
from stackglass_viewer.presenter.memory_trace.turns import Turns
from stackglass_viewer.presenter.worker import Worker

_STILL_MS = 250  # without a request, before an exact picture is begun
_MIN_STEP = 0.02  # share of the whole between two reports; smaller steps are not worth a signal


@dataclass(frozen=True, slots=True)
class MapRequest:
    """All that the numbers of a map depend on."""

    window: MapWindow
    shape: tuple[int, int]  # rows, columns
    colouring: Colouring


@dataclass(frozen=True, slots=True)
class MapPaint:
    """What only the pixels depend on: a change needs no new map."""

    palette: Palette
    chosen: str = ""  # the highlighted group; "" = none


class MapDrawer(QObject):
    """Draws the newest request. An exact drawing gives way to questions (``Turns``). GUI thread."""

    picture_changed = Signal(object)  # MapPicture
    curve_changed = Signal(object)  # Curve
    progress_changed = Signal(object)  # share of an exact picture, 0 … 1; None = none is drawn
    failed = Signal(str)

    _reported = Signal(float)

    def __init__(
        self, trace: MemoryTrace, turns: Turns, paint: MapPaint, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._trace = trace
        self._turns = turns
        self._paint = paint
        self._worker = Worker("memory map", self)
        self._painter = MapPainter(trace)  # used on the worker's thread only
        self._request: MapRequest | None = None  # the newest
        self._drawn: tuple[MapRequest, HeapMap] | None = None  # the last map
        self._exact: MapRequest | None = None  # being drawn exactly; the worker's thread reads it
        self._is_leaving = threading.Event()
        self._reported_share = 0.0
        self._still = QTimer(self)
        self._still.setSingleShot(True)
        self._still.setInterval(_STILL_MS)
        self._still.timeout.connect(self._draw_exactly)
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)

    def draw(self, request: MapRequest) -> None:
        """Draw a quick picture; if it is coarse, the exact one follows when no request comes."""
        self.stop()
        self._request = request
        trace, turns = self._trace, self._turns

        def compute() -> tuple[HeapMap, Curve]:
            with turns.ask():
                key = request.colouring.map_key
                heap_map = trace.draw_map(request.window, request.shape, key)
                return heap_map, draw_curve(trace, heap_map)

        def take(drawn: tuple[HeapMap, Curve]) -> None:
            if request is self._request:
                self._take(request, *drawn)
                if not drawn[0].is_exact:
                    self._still.start()

        self._worker.submit("map", compute, take, self._on_failed)

    def stop(self) -> None:
        """Draw no exact picture: the picture that is shown stays."""
        self._still.stop()
        self._end_exact()

    def paint(self, paint: MapPaint) -> None:
        """Paint the newest map in other colours."""
        self._paint = paint
        self._paint_again()

    # -- the exact picture

    def _draw_exactly(self) -> None:
        """Begin the exact picture; later, if another thread wants the trace."""
        request, trace = self._request, self._trace
        if request is None:
            return
        if self._turns.is_wanted:
            self._still.start()
            return
        self._exact = request
        self._reported_share = 0.0
        self.progress_changed.emit(0.0)

        def compute() -> tuple[HeapMap, Curve]:
            heap_map = trace.draw_map(
                request.window,
                request.shape,
                request.colouring.map_key,
                is_exact=True,
                progress=lambda share: self._report(request, share),
            )
            return heap_map, draw_curve(trace, heap_map)

        def take(drawn: tuple[HeapMap, Curve]) -> None:
            if self._exact is request:
                self._end_exact()
                self._take(request, *drawn)

        self._worker.submit("exact", compute, take, self._on_failed)

    def _report(self, request: MapRequest, share: float) -> bool:
        """Report progress from the worker's thread. Returns whether to go on."""
        if share - self._reported_share >= _MIN_STEP:
            self._reported_share = share
            self._reported.emit(share)
        is_wanted = self._exact is request and not self._is_leaving.is_set()
        return is_wanted and not self._turns.is_wanted

    @Slot(float)
    def _on_reported(self, share: float) -> None:
        if self._exact is not None:
            self.progress_changed.emit(share)

    def _end_exact(self) -> None:
        if self._exact is not None:
            self._exact = None
            self.progress_changed.emit(None)

    # -- pictures

    def _take(self, request: MapRequest, heap_map: HeapMap, curve: Curve) -> None:
        self._drawn = (request, heap_map)
        self.curve_changed.emit(curve)
        self._paint_again()

    def _paint_again(self) -> None:
        drawn, paint, painter, turns = self._drawn, self._paint, self._painter, self._turns
        if drawn is None:
            return

        def compute() -> MapPicture:
            with turns.ask():
                colouring = drawn[0].colouring
                return painter.paint(drawn[1], colouring, paint.palette, paint.chosen)

        self._worker.submit("paint", compute, self._on_painted, self._on_failed)

    def _on_painted(self, picture: MapPicture) -> None:
        request = self._request
        if request is not None and picture.legend.colouring is request.colouring:
            self.picture_changed.emit(picture)

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, CancelledError):
            if self._exact is not None:  # the drawing gave way to a question: begin again later
                self._still.start()
            return
        self._end_exact()
        text = " ".join(str(error).split())
        if isinstance(error, MemoryError):
            text = "There is not enough memory to draw the map."
        self.failed.emit(text)

    # -- the end

    def leave(self) -> None:
        """Stop the thread; no signal is emitted any more."""
        self.blockSignals(True)
        self._is_leaving.set()
        self._still.stop()
        self._worker.leave()

    def wait(self) -> None:
        """Wait until the thread has ended. Any thread may call this method, after ``leave``."""
        self._worker.wait()
        self._drawn = None
