"""Objects by type of a capture: the last count, or the last count before a chosen moment.

::

    a running process ─▶ its last count
    a span of time ────▶ the last count before the span's end, with its time
"""

from __future__ import annotations

from PySide6.QtCore import QObject

from stackglass_viewer.model.heap.type_census import TypeTable
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.presenter.tables.type_model import TypeModel
from stackglass_viewer.presenter.worker import Worker


class TypeCounts(QObject):
    """Puts counts into ``model``. GUI thread."""

    def __init__(self, live: LiveProfile, worker: Worker, parent: QObject | None = None) -> None:
        """``worker`` makes the tables."""
        super().__init__(parent)
        self._live = live
        self._worker = worker
        self._until: int | None = None  # units; the chosen moment; None = now
        self._n_counts = 0  # number of counts that the process has sent
        self.model = TypeModel(self)

    def look_at(self, until: int | None) -> None:
        """Set the end of the shown span, in units of 10 ms since the session's start; None = all of
        the time is shown."""
        if until != self._until:
            self._until = until
            if self._n_counts:
                self._list()

    def follow(self, status: LiveStatus) -> None:
        """Follow a new status, with which a count may have come."""
        if status.n_censuses != self._n_counts:
            self._n_counts = status.n_censuses
            self._list()

    def _list(self) -> None:
        live, until = self._live, self._until

        def on_done(table: TypeTable | None) -> None:
            if until == self._until:  # else the table of another moment has been submitted
                self.model.set_table(table, until is not None)

        self._worker.submit("types", lambda: live.list_types(until), on_done)
