"""Waiting threads of a capture: requests them from the engine, lists them, and names deadlocks.

Which of the engine's answers is listed::

    a running process ──▶ the last one, as long as locks are watched
    a session that ended, was lost, or is from a file ▶ the last one, with its time
    a span of time ─────▶ the last one before the span's end, with its time
    a paused document ──▶ the one that was shown, with its time; else the first after it is shown
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.contention.lock_waits import WaitsTable
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.presenter.live.capture import Capture
from stackglass_viewer.presenter.live.contention_empty_state import (
    Emptiness,
    describe_no_past_waiting,
    describe_no_waiting,
    describe_paused_waiting,
    has_lock_rates,
    watches_waits,
)
from stackglass_viewer.presenter.live.waits_poll import WaitsPoll
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.presenter.tables.waits_model import WaitsModel
from stackglass_viewer.presenter.worker import Worker

_OVER = ("ended", "lost", "saved")
"""Phases in which what was known last stays: no later answer can come. A process that was detached
from continues, perhaps without its waits."""


@dataclass(frozen=True, slots=True)
class WaitsAnswer:
    """The engine's last answer, and the one to list; None = there is none."""

    last: WaitsTable | None
    shown: WaitsTable | None


class Waiting(QObject):
    """Presenter of the waiting threads. GUI thread."""

    no_waiting_changed = Signal(object)  # Emptiness: shown in place of an empty list
    deadlocks_changed = Signal()

    def __init__(
        self, live: LiveProfile, capture: Capture, worker: Worker, parent: QObject | None = None
    ) -> None:
        """``worker`` lists the threads."""
        super().__init__(parent)
        self._live = live
        self._capture = capture
        self._worker = worker
        self._until: int | None = None  # the shown span's end, as in ``look_at``; None = now
        self._n_answers = 0  # number of the engine's answers that have been listed
        self._answer = WaitsAnswer(None, None)  # the last one that was listed
        self._is_over = False  # whether the last status was of a phase in _OVER
        self._deadlocks: tuple[str, ...] = ()
        self._listed: tuple[str, ...] = ()  # the deadlocks of the answer that is listed
        self._is_paused = False
        self._is_held = False  # whether the list stays as it is: paused, and there is one to show
        self.model = WaitsModel(self)
        self.poll = WaitsPoll(self)
        self.poll.due.connect(self._ask)

    @property
    def deadlocks(self) -> tuple[str, ...]:
        """Descriptions of the deadlocks for a message. Empty while the view of the waiting threads
        is shown, which has them already, unless a later answer than its own brought them."""
        is_new = self._is_held and self._listed != self._deadlocks
        return () if self.poll.is_shown and not is_new else self._deadlocks

    @property
    def known_deadlocks(self) -> tuple[str, ...]:
        """Descriptions of the deadlocks, whatever is shown."""
        return self._deadlocks

    @property
    def no_waiting(self) -> Emptiness:
        """Why the list is empty."""
        has_answer = self.model.has_answer
        if self._is_past:
            return describe_no_past_waiting(has_answer, self._until)
        if self._is_held:
            return describe_paused_waiting()
        return describe_no_waiting(self._capture.status, has_answer)

    @property
    def _is_past(self) -> bool:
        """Whether the list is of an earlier moment."""
        return self._until is not None or self._capture.status.phase in _OVER

    @property
    def _is_current(self) -> bool:
        """Whether the last answer holds: locks are watched still, or were at the end of the
        session, or the session is a saved one."""
        status = self._capture.status
        was_watched = status.phase in _OVER and has_lock_rates(status)
        return watches_waits(status) or was_watched or status.phase == "saved"

    def _ask(self) -> None:
        if self._capture.status.is_attached:
            self._capture.take_waits()

    def look_at(self, until: int | None) -> None:
        """Show the moment ``until``, the end of the shown span in units of 10 ms since the
        session's start; None = the whole session is shown."""
        if until != self._until:
            self._until = until
            self._hold(False)
            self._list()

    def pause(self, is_paused: bool) -> None:
        """Keep the list that is shown as it is, or go on with the last answer."""
        self._is_paused = is_paused
        self._hold(is_paused and self.poll.is_shown and self.model.has_answer)
        self.model.pause(is_paused)
        self.announce()
        if not is_paused:
            self._list()
            if self.poll.is_shown:
                self._ask()

    def _hold(self, is_held: bool) -> None:
        self._is_held = is_held
        self.poll.hold(is_held)

    def follow(self, status: LiveStatus) -> None:
        """Take a new status, with which an answer may have come."""
        was_over, self._is_over = self._is_over, status.phase in _OVER
        if status.n_waits != self._n_answers:
            self._n_answers = status.n_waits
            self._list()
        elif self._is_over and not was_over:
            # Not listed again: /proc no longer says how long threads have slept.
            self.show(self._answer)
        elif self._must_clear(status):
            self.show(WaitsAnswer(None, None))
        elif not self._is_current:
            self._set_deadlocks(())

    def _must_clear(self, status: LiveStatus) -> bool:
        """Whether the list is of now, but no longer current."""
        is_of_now = not self._is_past and not self._is_held
        return is_of_now and self.model.has_answer and not watches_waits(status)

    def announce(self) -> None:
        """Emit ``no_waiting_changed``."""
        self.no_waiting_changed.emit(self.no_waiting)

    def _list(self) -> None:
        live, until, list_asleep = self._live, self._until, self._capture.list_asleep

        def list_both() -> WaitsAnswer:
            last = live.list_waits(list_asleep)
            return WaitsAnswer(last, last if until is None else live.list_waits(list_asleep, until))

        def on_done(answer: WaitsAnswer) -> None:
            if until == self._until:  # else the list of another moment has been submitted
                self.show(answer)

        self._worker.submit("waits", list_both, on_done)

    def show(self, answer: WaitsAnswer) -> None:
        """List an answer, unless the list is held; none of now if locks are no longer watched."""
        self._answer = answer
        if not self._is_held:
            is_listed = self._is_past or watches_waits(self._capture.status)
            shown = answer.shown if is_listed else None
            self.model.set_table(shown, self._is_past)
            self._listed = shown.cycles if shown is not None else ()
            self._hold(self._is_paused and self.poll.is_shown and shown is not None)
            self.announce()
        last = answer.last if self._is_current else None
        self._set_deadlocks(last.cycles if last is not None else ())

    def _set_deadlocks(self, deadlocks: tuple[str, ...]) -> None:
        if deadlocks != self._deadlocks:
            self._deadlocks = deadlocks
            self.deadlocks_changed.emit()
