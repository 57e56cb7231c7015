"""All threads, tasks and greenlets of a capture now: requested every second, and listed.

No request is made while the list is hidden, nor before the last request was answered. While the
document is paused, the list stays as it is; one that was hidden is requested once when it is shown.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from stackglass.threads.report import Report
from stackglass_viewer.model.live.thread_dump import build_thread_report
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.presenter.live.capture import Capture
from stackglass_viewer.presenter.live.contention_empty_state import Emptiness
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.presenter.tables.now_model import NowModel
from stackglass_viewer.presenter.worker import Worker

_SHOWN_MS = 1000


class ThreadsNow(QObject):
    """Requests dumps and puts them into ``model``. GUI thread."""

    empty_changed = Signal(object)  # Emptiness: shown in place of the rows

    def __init__(
        self, live: LiveProfile, capture: Capture, worker: Worker, parent: QObject | None = None
    ) -> None:
        """``worker`` makes the lists."""
        super().__init__(parent)
        self._live = live
        self._capture = capture
        self._worker = worker
        self._n_answers = 0  # number of answers that were listed
        self._is_requested = False
        self._is_wanted, self._is_front = False, True
        self._is_paused = False
        self._is_held = False  # whether the list stays as it is: paused, and there is one to show
        self.model = NowModel(self)
        self.model.summary_changed.connect(lambda _: self.empty_changed.emit(self.empty))
        self._timer = QTimer(self)
        self._timer.setInterval(_SHOWN_MS)
        self._timer.timeout.connect(self.ask)

    @property
    def is_shown(self) -> bool:
        """Whether the list can be seen."""
        return self._timer.isActive()

    @property
    def empty(self) -> Emptiness:
        """The text in place of the rows."""
        status = self._capture.status
        if self.model.is_searched and self.model.has_answer:
            return Emptiness("Nothing found", "No thread, task or greenlet contains this text.")
        if status.phase in ("connecting", "waiting"):
            return Emptiness("Attaching…", f"Connecting to process {status.pid}.")
        if not status.is_attached:
            text = "All threads, tasks and greenlets are shown while the process is attached."
            return Emptiness("Not attached", text)
        return Emptiness("Reading…", "The engine waits for the GIL to read all threads and tasks.")

    def show(self, is_wanted: bool) -> None:
        """Request dumps at once and then every second; or stop."""
        self._is_wanted = is_wanted
        self._settle()

    def set_front(self, is_front: bool) -> None:
        """Note whether the tab is in front: no dump is requested for another tab."""
        self._is_front = is_front
        self._settle()

    def _settle(self) -> None:
        is_shown = self._is_wanted and self._is_front
        if is_shown == self.is_shown:
            return
        if is_shown:
            self._timer.start()
            self.ask()
        else:
            self._timer.stop()
        self.empty_changed.emit(self.empty)

    def pause(self, is_paused: bool) -> None:
        """Keep the list that is shown as it is, or go on."""
        self._is_paused = is_paused
        self._is_held = is_paused and self.is_shown and self.model.has_answer
        self.model.pause(is_paused)
        if not is_paused:
            self.follow(self._capture.status)
            if self.is_shown:
                self.ask()

    def stop(self) -> None:
        """Stop requesting dumps."""
        self._timer.stop()

    def ask(self) -> None:
        """Request a dump. The timer calls this method."""
        is_wanted = not self._is_requested and not self._is_held
        if self._capture.status.phase == "running" and is_wanted:
            self._is_requested = True
            self._capture.take_threads()

    def follow(self, status: LiveStatus) -> None:
        """Follow a new status: there may be an answer, or the process is no longer attached."""
        if status.n_dumps != self._n_answers:
            self._n_answers = status.n_dumps
            self._is_requested = False
            self._list()
        if not status.is_attached and self.model.has_answer and not self._is_held:
            self.model.set_report(None)
        self.empty_changed.emit(self.empty)

    def _list(self) -> None:
        dump, live, capture = self._capture.dump, self._live, self._capture
        if dump is None or not self.is_shown:
            return
        at_ns = max(dump.time_mono_ns - capture.status.start_mono_ns, 0)

        def build() -> Report:
            tables = live.lines.list_definitions()
            return build_thread_report(dump, tables, capture.status.pid, capture.list_asleep)

        self._worker.submit("threads now", build, lambda report: self._show(report, at_ns))

    def _show(self, report: Report, at_ns: int) -> None:
        if self._capture.status.is_attached and not self._is_held:
            self.model.set_report(report, at_ns)
            self._is_held = self._is_paused
