"""Call graph of a tab: which part of it is shown, drawn only while a view shows it.

A drawing keeps its places as long as functions and calls stay the same. If a refresh brings other
functions, boxes move at most every ``_STILL_S`` seconds, and not while the pointer is over the
graph; new functions wait until then.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, QTimer, Signal

from stackglass_viewer.model.errors import CancelledError
from stackglass_viewer.model.graph.graph_trim import GraphLimits
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.graph_scene import (
    Drawn,
    GraphSubject,
    draw_graph,
)
from stackglass_viewer.presenter.document.placed_graph import PlacedGraph
from stackglass_viewer.presenter.worker import Worker

_STILL_S = 2.0  # seconds between two layouts of the graph of a running process


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the user wants to see. After a change, boxes may move at once."""

    request: BuildRequest | None = None
    limits: GraphLimits = field(default_factory=GraphLimits)


class GraphChoice(QObject):
    """Draws in a thread of its own, since a layout takes longer than a frame. GUI thread."""

    begun = Signal()  # nothing is shown, and the first drawing has begun
    changed = Signal(object)  # CallGraphScene; None = there is nothing to draw
    failed = Signal(str)  # why it cannot be drawn

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker: Worker | None = None  # made when the graph is first looked at
        self._subject: GraphSubject | None = None
        self._given: list[GraphSubject] = []  # large: the worker reads and releases it
        self._wish = _Wish()
        self._placed: PlacedGraph | None = None
        self._placed_for = self._drawn_for = _Wish()  # wish of the last drawing, and of the current
        self._placed_s = -_STILL_S
        self._cancel = threading.Event()  # cancels the drawing that is under way
        self._is_shown = self._is_drawing = False
        self._is_watched = False
        self._is_held = False
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(round(_STILL_S * 1000))
        self._later.timeout.connect(self._build)

    @property
    def limits(self) -> GraphLimits:
        return self._wish.limits

    @property
    def is_drawing(self) -> bool:
        """Whether the first drawing is under way and nothing is shown yet."""
        return self._is_drawing

    def watch(self, is_watched: bool) -> None:
        """Note whether a view shows the graph: it is drawn only then."""
        if is_watched == self._is_watched:
            return
        self._is_watched = is_watched
        if is_watched:
            self._build()

    def set_subject(self, subject: GraphSubject, request: BuildRequest) -> None:
        """Draw the graph of another profile, or of a refreshed one."""
        self._subject = subject
        self._wish = _Wish(request, self._wish.limits)
        self._build()

    def choose_limits(self, limits: GraphLimits) -> None:
        """Set how many functions and calls are shown at most."""
        if limits != self._wish.limits:
            self._wish = _Wish(self._wish.request, limits)
            self._build()

    def hold(self, is_held: bool) -> None:
        """Let no box move while ``is_held``: the pointer is over the graph."""
        self._is_held = is_held
        if not is_held:
            self._build()

    def leave(self) -> None:
        """Stop the thread; no signal is emitted any more."""
        self.blockSignals(True)
        self._later.stop()
        self._cancel.set()
        if self._worker is not None:
            self._worker.leave()

    def wait(self) -> None:
        """Wait until the thread has ended, and release large objects. Any thread may call this
        method, after ``leave``."""
        if self._worker is not None:
            self._worker.wait()
        self._subject = None
        self._given.clear()  # a drawing that never began has not taken its subject

    def _build(self) -> None:
        subject, wish = self._subject, self._wish
        if not self._is_watched or subject is None:
            return
        if self._worker is None:
            self._worker = Worker("graph", self)
        is_refresh = wish == self._placed_for
        is_young = time.monotonic() - self._placed_s < _STILL_S
        is_held = is_refresh and (self._is_held or is_young)
        placed = self._placed
        if wish != self._drawn_for:
            self._cancel.set()  # the current drawing is of an earlier wish
            self._cancel, self._drawn_for = threading.Event(), wish
        is_cancelled = self._cancel.is_set
        before, given = self._given, [subject]
        self._given = given
        self._worker.submit(
            "graph",
            lambda: draw_graph(given.pop(), wish.limits, placed, is_held, is_cancelled),
            lambda drawn: self._on_drawn(drawn, wish),
            self._on_failed,
        )
        self._worker.empty(before)  # after the submit, which has replaced the job that reads it
        if not self._is_shown and not self._is_drawing and subject.top.cum.any():
            self._is_drawing = True
            self.begun.emit()

    def _on_drawn(self, drawn: Drawn, wish: _Wish) -> None:
        if drawn.placed is not self._placed:
            self._placed = drawn.placed
            self._placed_s = time.monotonic()
        self._placed_for = wish
        if drawn.scene.n_waiting and not self._is_held and not self._later.isActive():
            self._later.start()
        self._is_shown, self._is_drawing = bool(drawn.scene.boxes), False
        self.changed.emit(drawn.scene if drawn.scene.boxes else None)

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, CancelledError):
            return
        self._placed = None
        self._is_shown = self._is_drawing = False
        self.failed.emit(" ".join(str(error).split()))
