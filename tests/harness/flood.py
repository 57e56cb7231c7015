"""Flood of signals for a process: random stops, and more signals than it can handle."""

from __future__ import annotations

import os
import random
import signal
import threading

QUEUED, FETCHED = signal.SIGRTMIN + 1, signal.SIGRTMIN + 2  # of targets/flooded.py
_LONGEST_STOP_S = 0.02
_PAUSE_S = 0.0005


class Flood:
    """Sends signals to ``targets/flooded.py`` from a thread of its own, until it is closed."""

    def __init__(self, pid: int) -> None:
        self.n_stops = 0
        self.n_queued = 0  # sent of each of the two signals that the kernel never merges
        self._pid = pid
        self._random = random.Random(0)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def __enter__(self) -> Flood:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop sending, and let the process continue."""
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_over.wait(self._random.uniform(0, 2 * _PAUSE_S)):
            for number in (signal.SIGUSR1, signal.SIGFPE, signal.SIGTRAP, QUEUED, FETCHED):
                os.kill(self._pid, number)
            self.n_queued += 1
            if self._random.random() < 0.05:
                self._stop()

    def _stop(self) -> None:
        """Stop the process for a moment, as a shell or a debugger does."""
        os.kill(self._pid, signal.SIGSTOP)
        self._is_over.wait(self._random.uniform(0, _LONGEST_STOP_S))
        os.kill(self._pid, signal.SIGCONT)
        self.n_stops += 1
