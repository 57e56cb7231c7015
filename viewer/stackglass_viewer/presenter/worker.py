"""Worker thread: runs computations that take too long for the GUI thread, the newest of a kind."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal, Slot

from stackglass_viewer.model.units import make_printable

_EMPTY = "empty boxes"  # a key that no caller uses
FINISH_S = 60.0  # how long the end of the program may take to write files


@dataclass(frozen=True, slots=True)
class _Job:
    key: str
    compute: Callable[[], Any]
    on_done: Callable[[Any], object]
    on_failed: Callable[[Exception], None] | None


@dataclass(frozen=True, slots=True)
class _Outcome:
    """Goes to the GUI thread, without the job's ``compute``: the worker frees what that holds."""

    on_done: Callable[[Any], object]
    on_failed: Callable[[Exception], None] | None
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
        self._is_stopping = False  # written with _condition held; _on_finished reads it without
        self._is_finishing = False  # as _is_stopping
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
        """Call ``compute`` on the worker's thread, then ``on_done`` with the result.

        An error goes to ``on_failed``. Without ``on_failed``, the program's exception hook reports
        the error in the window, and the view stays as it is; after ``leave``, the error is printed
        on standard error.
        """
        with self._condition:
            if self._is_stopping or self._is_finishing:
                return
            self._waiting[key] = _Job(key, compute, on_done, on_failed)
            self._condition.notify()

    def empty(self, box: list[Any]) -> None:
        """Empty ``box`` in the worker's thread, because freeing large arrays takes time."""
        with self._condition:
            self._boxes.append(box)
        self.submit(_EMPTY, self._empty_boxes, lambda _: None)

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
            self._boxes.append(list(self._waiting.values()))  # ``wait`` frees them
            self._waiting.clear()
            self._condition.notify()

    @property
    def has_ended(self) -> bool:
        """Whether the thread has ended."""
        return not self._thread.is_alive()

    def wait(self, timeout_s: float = 5.0) -> None:
        """Wait until the thread has ended. Any thread but the worker's may call this method."""
        self._thread.join(timeout_s)
        self._empty_boxes()

    def stop(self) -> None:
        """Leave and wait."""
        self.leave()
        self.wait()

    def finish(self, deadline_s: float | None = None) -> None:
        """Run the waiting jobs, drop their results, and wait until the thread has ended.

        Errors and the keys of unfinished jobs are printed on standard error, because no window is
        left to show them. Only the thread that made the worker may call this method.

        ``deadline_s``: when to stop waiting, by ``time.monotonic``; None = in ``FINISH_S``.
        """
        end_s = time.monotonic() + FINISH_S if deadline_s is None else deadline_s
        with self._condition:
            self._is_finishing = True
            self._condition.notify()
        self._thread.join(max(end_s - time.monotonic(), 0.0))
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall.value)  # to _on_finished
        with self._condition:
            running = () if self._running_key is None else (self._running_key,)
            dropped = [key for key in (*running, *self._waiting) if key != _EMPTY]
        self.leave()
        self.wait(0.0)
        for key in dropped:
            _print(f"not finished before the program ended: {key}")

    def _run(self) -> None:
        while True:
            with self._condition:
                while not self._waiting and not self._is_stopping and not self._is_finishing:
                    self._condition.wait()
                if self._is_stopping or not self._waiting:
                    return
                key = next(iter(self._waiting))
                job = self._waiting.pop(key)
                self._running_key = key
            outcome = _compute(job)
            with self._condition:
                self._running_key = None
                is_stopping = self._is_stopping
                if not is_stopping:
                    # Emitted with the lock held: after leave() has returned, no result is emitted.
                    self._finished.emit(outcome)
            if is_stopping:
                _report_late(outcome)
            # Frames of the traceback of an error refer to this one: a cycle, if it kept the error.
            del job, outcome
            if is_stopping:
                return

    @Slot(object)
    def _on_finished(self, outcome: _Outcome) -> None:
        error, on_failed = outcome.error, outcome.on_failed
        if error is not None and on_failed is None:
            # Not raised: Python would keep the error as the last one, with all that its frames use.
            sys.excepthook(type(error), error, error.__traceback__)
        elif self._is_finishing:
            if error is not None:
                _print(" ".join(str(error).split()) or type(error).__name__)
        elif self._is_stopping:
            return
        elif error is None:
            outcome.on_done(outcome.value)
        elif on_failed is not None:
            on_failed(error)


def _report_late(outcome: _Outcome) -> None:
    """Report the error of a job without ``on_failed`` as Python reports that of a thread."""
    error = outcome.error
    if error is not None and outcome.on_failed is None:
        thread = threading.current_thread()
        about = (type(error), error, error.__traceback__, thread)
        threading.excepthook(threading.ExceptHookArgs(about))


def _print(text: str) -> None:
    sys.stderr.write(f"stackglass: {make_printable(text)}\n")


def _compute(job: _Job) -> _Outcome:
    try:
        return _Outcome(job.on_done, job.on_failed, job.compute(), None)
    except Exception as error:  # noqa: BLE001 - the top of a thread: reported, never lost
        if job.on_failed is not None:
            error.add_note("".join(traceback.format_tb(error.__traceback__)))
        traceback.clear_frames(error.__traceback__)  # of large values, here and not in a receiver
        return _Outcome(job.on_done, job.on_failed, None, error)
