"""Placing of a tab: whether boxes keep their places, and when they are placed again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal


class Placing(QObject):
    """Numbers the layouts: boxes keep their places while the number is the same. GUI thread."""

    begun_anew = Signal()  # the user asked for new places

    def __init__(self, keeps: Callable[[], bool], parent: QObject | None = None) -> None:
        """``keeps`` returns whether the data change by themselves, so that boxes are to stay."""
        super().__init__(parent)
        self._keeps = keeps
        self._number = 0

    @property
    def number(self) -> int | None:
        """The current number; None = boxes are always ordered by cost."""
        return self._number if self._keeps() else None

    def forget(self) -> None:
        """Let the boxes of the next graph be placed again."""
        self._number += 1

    def begin_anew(self) -> None:
        """Order the boxes by cost again, if they kept their places."""
        if self._keeps():
            self._number += 1
            self.begun_anew.emit()
