"""Schedule of Python's garbage collector: small incremental steps, on the GUI thread only.

By default the collector runs in whichever thread allocates an object. In the GUI thread a full run
over everything that was imported takes longer than a frame; in a worker it may destroy Qt objects
that belong to the GUI thread.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_STEP_MS = 1000
_STEPS_TO_FULL = 20
_YOUNG, _ALL = 1, 2  # generations


class Collector(QObject):
    """Runs a step each second. What exists at ``start`` is frozen: never traversed or freed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._n_steps = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_STEP_MS)
        self._timer.timeout.connect(self.collect)

    def start(self) -> None:
        gc.disable()
        gc.freeze()
        self._timer.start()

    def pause(self) -> None:
        """Run no steps until ``freeze_and_resume``."""
        self._timer.stop()

    def freeze_and_resume(self) -> None:
        """Freeze what exists now, such as a library that was just imported, and resume steps."""
        gc.freeze()
        self._timer.start()

    def stop(self) -> None:
        """End the steps, and enable Python's own collections again."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def collect(self) -> None:
        """Run one step: the young generations, and every twentieth time the old one too."""
        self._n_steps += 1
        gc.collect(_ALL if self._n_steps % _STEPS_TO_FULL == 0 else _YOUNG)
