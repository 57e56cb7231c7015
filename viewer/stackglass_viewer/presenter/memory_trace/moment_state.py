"""State of the heap at the cursor: read again when the cursor moves; the newest moment wins."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.memory_trace.address_space import HeapState, read_state
from stackglass_viewer.presenter.memory_trace.turns import Turns
from stackglass_viewer.presenter.worker import Worker


class MomentState(QObject):
    """Reads the state while a view shows it. GUI thread."""

    changed = Signal(object)  # HeapState
    failed = Signal(str)

    def __init__(
        self, trace: MemoryTrace, turns: Turns, worker: Worker, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._trace = trace
        self._turns = turns
        self._worker = worker
        self._time_ns = trace.index.begin_ns
        self._is_watched = False
        self._state: HeapState | None = None
        self._read_ns: int | None = None  # the time that was requested last

    @property
    def state(self) -> HeapState | None:
        """The state that was read last; None = none was read."""
        return self._state

    def watch(self, is_watched: bool) -> None:
        """Note whether a view shows the state: it is read only then."""
        self._is_watched = is_watched
        self._read()

    def set_time(self, time_ns: int) -> None:
        """Set the time of the cursor."""
        self._time_ns = time_ns
        self._read()

    def forget(self) -> None:
        """Release the state, which is large."""
        self._state = None

    def _read(self) -> None:
        time_ns = self._time_ns
        if not self._is_watched or time_ns == self._read_ns:
            return
        self._read_ns = time_ns
        trace, turns = self._trace, self._turns

        def compute() -> HeapState:
            with turns.ask():
                return read_state(trace, trace.find_moment(time_ns))

        self._worker.submit("state", compute, self._take, self._on_failed)

    def _take(self, state: HeapState) -> None:
        self._state = state
        self.changed.emit(state)

    def _on_failed(self, error: Exception) -> None:
        self._read_ns = None
        self.failed.emit(" ".join(str(error).split()))
