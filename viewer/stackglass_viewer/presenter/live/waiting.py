"""Waiting threads of a capture: asked for in time, listed, and the deadlocks among them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.contention.lock_waits import WaitsTable
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.presenter.live.capture import Capture
from stackglass_viewer.presenter.live.contention_empty_state import (
    Emptiness,
    describe_no_waiting,
    watches_waits,
)
from stackglass_viewer.presenter.live.waits_poll import WaitsPoll
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.presenter.tables.waits_model import WaitsModel
from stackglass_viewer.presenter.worker import Worker


class Waiting(QObject):
    """GUI thread."""

    no_waiting_changed = Signal(object)  # Emptiness: in the place of the waiting threads
    deadlocks_changed = Signal()

    def __init__(
        self, live: LiveProfile, capture: Capture, worker: Worker, parent: QObject | None = None
    ) -> None:
        """``worker``: lists the threads."""
        super().__init__(parent)
        self._live = live
        self._capture = capture
        self._worker = worker
        self._n_answers = 0  # that were looked at
        self._deadlocks: tuple[str, ...] = ()
        self.model = WaitsModel(self)
        self.poll = WaitsPoll(self)
        self.poll.due.connect(capture.take_waits)

    @property
    def deadlocks(self) -> tuple[str, ...]:
        """That a message is to name, each in words: the view of the waiting threads spells them
        out itself."""
        return () if self.poll.is_shown else self._deadlocks

    @property
    def no_waiting(self) -> Emptiness:
        """Why no thread is shown that waits now."""
        return describe_no_waiting(self._capture.status, self.model.has_answer)

    def follow(self, status: LiveStatus) -> None:
        """The status is new: there may be an answer."""
        if status.n_waits != self._n_answers:
            self._n_answers = status.n_waits
            list_waits = partial(self._live.list_waits, self._capture.list_asleep)
            self._worker.submit("waits", list_waits, self.show)
        elif self.model.has_answer and not watches_waits(status):
            self.show(None)

    def announce(self) -> None:
        """Emit ``no_waiting_changed``."""
        self.no_waiting_changed.emit(self.no_waiting)

    def show(self, table: WaitsTable | None) -> None:
        """An answer of before locks were off, or the session ended, is not current."""
        table = table if watches_waits(self._capture.status) else None
        self.model.set_table(table)
        self.announce()
        deadlocks = table.circles if table is not None else ()
        if deadlocks != self._deadlocks:
            self._deadlocks = deadlocks
            self.deadlocks_changed.emit()
