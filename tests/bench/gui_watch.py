"""Measurement of the CPU time of every handler on the GUI thread.

Qt delivers all events through Python, also nested ones. The cost of that is measured by comparison
with an unwatched process, which runs this file as a program.
"""

from __future__ import annotations

import gc
import heapq
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QTableView

BUDGET_MS = 16.0
_N_CALIBRATING = 1000


class Handler(NamedTuple):
    """One delivered event, with all its consequences on the GUI thread."""

    cpu_ms: float  # without the measuring of events within it
    n_within: int  # events that it sent
    gc_ms: float  # of that, Python's garbage collector
    receiver: str  # its class
    event: str  # its type


class WatchedApplication(QApplication):
    """Measures the CPU time of each event's delivery, including nested events."""

    def __init__(self, n_worst: int) -> None:
        super().__init__(["bench"])
        self._n_worst = n_worst
        self._n_within = 0
        self.within_s = 0.0  # what measuring costs, for each event within a handler
        self._is_within = False  # a handler
        self._gc_s = 0.0
        self._gc_begun_s = 0.0
        self._thread = threading.get_ident()
        gc.callbacks.append(self._on_gc)
        self.forget()

    def forget(self) -> None:
        """Begin a new phase."""
        self.n_handlers = 0
        self.n_over = 0
        self._worst: list[tuple[float, int, Handler]] = []

    @property
    def worst(self) -> tuple[Handler, ...]:
        return tuple(handler for *_, handler in sorted(self._worst, reverse=True))

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        if self._is_within:
            self._n_within += 1
            return QApplication.notify(self, receiver, event)
        # Before the delivery: it may delete both.
        kind, name = event.type(), type(receiver).__name__
        if type(receiver) is QObject:
            name = receiver.metaObject().className()
        with self._measure(name, kind.name):
            return QApplication.notify(self, receiver, event)

    @contextmanager
    def _measure(self, receiver: str, event: str) -> Iterator[None]:
        gc_before_s, self._n_within = self._gc_s, 0
        self._is_within = True
        before_s = time.thread_time()
        try:
            yield
        finally:
            took_s = time.thread_time() - before_s - self._n_within * self.within_s
            self._is_within = False
            gc_ms = (self._gc_s - gc_before_s) * 1e3
            self._note(Handler(took_s * 1e3, self._n_within, gc_ms, receiver, event))

    def _note(self, handler: Handler) -> None:
        self.n_handlers += 1
        self.n_over += handler.cpu_ms > BUDGET_MS
        entry = (handler.cpu_ms, self.n_handlers, handler)
        if len(self._worst) < self._n_worst:
            heapq.heappush(self._worst, entry)
        else:
            heapq.heappushpop(self._worst, entry)

    def by_hand(self, what: str) -> AbstractContextManager[None]:
        """Count the calls in this block as one handler, as if an event had caused them."""
        return self._measure(what, "(called)")

    def _on_gc(self, phase: str, _info: dict[str, int]) -> None:
        if threading.get_ident() == self._thread:
            if phase == "start":
                self._gc_begun_s = time.thread_time()
            else:
                self._gc_s += time.thread_time() - self._gc_begun_s


def time_events() -> float:
    """Return CPU seconds for many events among widgets that Python does not know."""
    table, fonts = QTableView(), (QFont("", 9), QFont("", 11))
    before_s = time.thread_time()
    for number in range(_N_CALIBRATING):
        table.setFont(fonts[number % 2])
    return time.thread_time() - before_s


def calibrate(qt: WatchedApplication) -> None:
    """Measure the cost of watching, compared with an unwatched process."""
    command = [sys.executable, __file__]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    with qt.by_hand("calibrating"):
        took_s = time_events()
    (handler,) = qt.worst
    qt.within_s = max(0.0, took_s - float(done.stdout)) / handler.n_within


if __name__ == "__main__":
    plain = QApplication(["bench"])
    print(time_events())
    plain.quit()
