"""Worker thread: computations that take too long for the GUI thread; of a kind, the newest wins."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot


@dataclass(frozen=True, slots=True)
class _Job:
    key: str
    compute: Callable[[], Any]
    on_done: Callable[[Any], object]
    on_failed: Callable[[Exception], None] | None


@dataclass(frozen=True, slots=True)
class _Outcome:
    job: _Job
    value: Any
    error: Exception | None


class Worker(QObject):
    """Runs jobs one after another in a thread of its own.

    A job has a key. A new job replaces one of the same key that has not begun, so that a burst
    of requests costs two runs at most. ``on_done`` is called on the thread that made the worker.
    """

    _finished = Signal(object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._condition = threading.Condition()
        self._waiting: dict[str, _Job] = {}  # guarded by _condition; in order of first request
        self._running_key: str | None = None  # guarded by _condition
        self._is_stopping = False  # guarded by _condition
        self._boxes: list[list[Any]] = []  # guarded by _condition; lists that are to be emptied
        self._finished.connect(self._on_finished, Qt.ConnectionType.QueuedConnection)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(
        self,
        key: str,
        compute: Callable[[], Any],
        on_done: Callable[[Any], object],
        on_failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Have ``compute`` called on the worker's thread, then ``on_done`` with what it returned.

        An error goes to ``on_failed``; without one it goes to the thread's exception hook.
        """
        with self._condition:
            if self._is_stopping:
                return
            self._waiting[key] = _Job(key, compute, on_done, on_failed)
            self._condition.notify()

    def empty(self, box: list[Any]) -> None:
        """Empty the list in the worker's thread: freeing large arrays takes time as well."""
        with self._condition:
            self._boxes.append(box)
        self.submit("empty", self._empty_boxes, lambda _: None)

    def _empty_boxes(self) -> None:
        with self._condition:
            boxes = self._boxes[:]
            self._boxes.clear()
        for box in boxes:
            box.clear()

    def is_busy(self, key: str) -> bool:
        """Whether a job with ``key`` waits or runs. Its result may be pending for longer."""
        with self._condition:
            return key in self._waiting or self._running_key == key

    def leave(self) -> None:
        """End the thread after the running job; drop that job's result and the waiting jobs."""
        with self._condition:
            self._is_stopping = True
            self._waiting.clear()
            self._condition.notify()

    def wait(self, timeout_s: float = 5.0) -> None:
        """Wait until the thread has ended. Any thread but the worker's may call this method."""
        self._thread.join(timeout_s)
        self._empty_boxes()

    def stop(self) -> None:
        """Leave and wait."""
        self.leave()
        self.wait()

    def _run(self) -> None:
        while True:
            with self._condition:
                while not self._waiting and not self._is_stopping:
                    self._condition.wait()
                if self._is_stopping:
                    return
                key = next(iter(self._waiting))
                job = self._waiting.pop(key)
                self._running_key = key
            outcome = _compute(job)
            with self._condition:
                self._running_key = None
                if self._is_stopping:
                    return
                # Emitted with the lock held: after leave() has returned, no result is emitted.
                self._finished.emit(outcome)
            del job, outcome

    @Slot(object)
    def _on_finished(self, outcome: _Outcome) -> None:
        if self._is_stopping:
            return
        if outcome.error is None:
            outcome.job.on_done(outcome.value)
        elif outcome.job.on_failed is not None:
            outcome.job.on_failed(outcome.error)


def _compute(job: _Job) -> _Outcome:
    try:
        return _Outcome(job, job.compute(), None)
    except Exception as error:  # noqa: BLE001 - the top of a thread: reported, never lost
        if job.on_failed is None:
            threading.excepthook(
                threading.ExceptHookArgs(
                    (type(error), error, error.__traceback__, threading.current_thread())
                )
            )
        else:
            error.add_note("".join(traceback.format_tb(error.__traceback__)))
        return _Outcome(job, None, error)
