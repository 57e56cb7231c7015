"""Poller: fetches one profile of a server repeatedly, in a thread of its own.

::

    waiting ──▶ fetching ──▶ waiting …        for a profile that records, there is no wait
       │            └─▶ retrying ──▶ fetching  after an error; the wait doubles each time
       └──▶ paused
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal, Slot

from stackglass_viewer.model.errors import CancelledError, ViewerError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.remote.address import Address
from stackglass_viewer.model.remote.reading import fetch_profile
from stackglass_viewer.model.remote.snapshots import SnapshotKind, Snapshots
from stackglass_viewer.presenter.remote.failures import describe_failure

_LONGEST_WAIT_S = 30.0  # the longest wait after an error
_MOST_DOUBLINGS = 5  # of the wait: from 1 s to more than the longest

PollPhase = Literal["fetching", "waiting", "retrying", "paused"]


@dataclass(frozen=True, slots=True)
class PollStatus:
    """State of the poller."""

    phase: PollPhase
    n_fetched: int = 1  # snapshots, including the one that the tab was opened with
    n_bytes: int = 0  # of the last snapshot, as the server sent it
    fetched_unix_s: float = 0.0
    error: str = ""  # why the last attempt failed, in one sentence; "" = it succeeded
    has_restarted: bool = False  # whether the program was restarted since the tab was opened


class Poller(QObject):
    """Fetches snapshots. The GUI thread calls the methods, which never wait, and gets signals."""

    status_changed = Signal(object)  # PollStatus
    arrived = Signal(object)  # bytes: a newer snapshot, as the server sent it

    _reported = Signal(object, object)  # PollStatus; bytes or None

    def __init__(
        self,
        address: Address,
        snapshots: Snapshots,
        interval_s: int,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._address = address
        self._snapshots = snapshots
        self._condition = threading.Condition()
        self._interval_s = interval_s  # guarded by _condition
        self._is_paused = False  # guarded by _condition
        self._is_leaving = False  # guarded by _condition
        self._n_changes = 0  # guarded by _condition; an increment ends a wait and cancels a fetch
        self._status = PollStatus("waiting")  # used by the thread, once it has started
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(
            target=self._run, name=f"poll {address.host_text}", daemon=True
        )

    def start(self, n_bytes: int) -> None:
        """Start the thread. ``n_bytes``: the size of the snapshot that the tab has already."""
        self._status = replace(self._status, n_bytes=n_bytes, fetched_unix_s=time.time())
        self.status_changed.emit(self._status)
        self._thread.start()

    def set_interval(self, interval_s: int) -> None:
        """Set the seconds between two snapshots, or the seconds that each one records. Cancels a
        fetch that is under way."""
        with self._condition:
            self._interval_s = interval_s
            self._change()

    def pause(self, is_paused: bool) -> None:
        """Pause, or continue. Cancels a fetch that is under way."""
        with self._condition:
            self._is_paused = is_paused
            self._change()

    def leave(self) -> None:
        """Stop the thread; no signal is emitted any more."""
        self.blockSignals(True)
        with self._condition:
            self._is_leaving = True
            self._change()

    def wait(self, timeout_s: float = 5.0) -> None:
        """Wait until the thread has ended. Any thread may call this method, after ``leave``."""
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def _change(self) -> None:
        self._n_changes += 1
        self._condition.notify()

    # -- the thread

    def _run(self) -> None:
        n_failures = 0
        is_recorded = self._snapshots.kind is SnapshotKind.RECORDED
        pause_s = 0.0 if is_recorded else float(self._interval_s)
        while self._wait(pause_s):
            with self._condition:
                n_changes, interval_s = self._n_changes, self._interval_s
            began_s = time.monotonic()
            try:
                self._fetch(n_changes, interval_s if is_recorded else 0)
                n_failures = 0
                spent_s = time.monotonic() - began_s
                pause_s = 0.0 if is_recorded else max(interval_s - spent_s, 0.0)
            except CancelledError:
                pause_s = 0.0 if is_recorded else float(interval_s)
            except Exception as error:  # noqa: BLE001 - the top of a thread: reported, then retried
                pause_s = min(interval_s * 2.0**n_failures, _LONGEST_WAIT_S)
                n_failures = min(n_failures + 1, _MOST_DOUBLINGS)
                self._report("retrying", error=describe_failure(error))

    def _wait(self, seconds: float) -> bool:
        """Wait until it is time to fetch. Returns False if the thread is to end."""
        until_s = time.monotonic() + seconds
        with self._condition:
            while not self._is_leaving:
                if self._is_paused:
                    self._report("paused")
                    self._condition.wait()
                    until_s = time.monotonic()
                    continue
                left_s = until_s - time.monotonic()
                if left_s <= 0:
                    return True
                n_changes = self._n_changes
                self._condition.wait(left_s)
                if n_changes != self._n_changes:
                    until_s = min(until_s, time.monotonic() + self._interval_s)
            return False

    def _fetch(self, n_changes: int, seconds: int) -> None:
        phase: PollPhase = "retrying" if self._status.error else "fetching"
        self._report(phase)
        address = self._address.choose(self._address.profile, seconds) if seconds else self._address
        fetched = fetch_profile(address, lambda: self._n_changes != n_changes, lambda _: None)
        if not isinstance(fetched.content, Profile):
            raise ViewerError(f"{self._address.host_text} sent a file without stacks")
        has_restarted = self._snapshots.add(fetched.content) or self._status.has_restarted
        self._status = replace(
            self._status,
            n_fetched=self._status.n_fetched + 1,
            n_bytes=len(fetched.packed),
            fetched_unix_s=time.time(),
            error="",
            has_restarted=has_restarted,
        )
        self._report("waiting", fetched.packed)

    def _report(self, phase: PollPhase, packed: bytes | None = None, error: str = "") -> None:
        self._status = replace(self._status, phase=phase, error=error or self._status.error)
        self._reported.emit(self._status, packed)

    @Slot(object, object)
    def _on_reported(self, status: PollStatus, packed: bytes | None) -> None:
        if packed is not None:
            self.arrived.emit(packed)
        self.status_changed.emit(status)
