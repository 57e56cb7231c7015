"""Lines of machine code of a session: which locations are to be looked up, and what was found."""

from __future__ import annotations

import threading
from typing import Protocol

from stackglass.symbols.native_code import NativeCode
from stackglass_viewer.model.live.native_lines import Lines
from stackglass_viewer.model.live.tables import Definitions
from stackglass_viewer.model.live.tree import LiveTree


class LineRecorder(Protocol):
    """Keeps what was found. It never waits."""

    def add_lines(self, lines: Lines) -> None:
        """Lines of the machine code of earlier messages were found."""


class SessionLines:
    """Lines of a live profile. Any thread."""

    def __init__(self, lock: threading.Lock, tree: LiveTree, recorder: LineRecorder | None) -> None:
        """``lock`` guards the others."""
        self._lock = lock
        self._tree = tree
        self._recorder = recorder
        self.problems: tuple[str, ...] = ()  # why lines are missing, a sentence each

    def list_definitions(self) -> Definitions:
        """All that was defined so far, with the lines that were found."""
        with self._lock:
            return self._tree.list_definitions()

    @property
    def n_locations(self) -> int:
        """Locations so far, those of Python's code, too. It only grows."""
        with self._lock:
            return self._tree.location_function.n_rows

    def take_unlocated(self, most: int) -> dict[int, NativeCode]:
        """Next locations of machine code, with their addresses as starts; each is handed out once.
        None left = no new ones."""
        with self._lock:
            return self._tree.take_unlocated(most)

    def list_natives(self) -> dict[int, NativeCode]:
        """Functions of libraries, by the string that is their name."""
        with self._lock:
            return self._tree.list_natives()

    def locate_anew(self) -> None:
        """There may be lines now that were not there."""
        with self._lock:
            self._tree.locate_anew()

    def add(self, lines: Lines) -> None:
        """Lines by location. Raises WireError if one is not defined."""
        with self._lock:
            self._tree.add_lines(lines)
            if self._recorder is not None and lines:
                self._recorder.add_lines(lines)
