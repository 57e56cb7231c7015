"""Lines of machine code of a session: the locations to look up, and the lines that were found."""

from __future__ import annotations

import threading
from typing import Protocol

from stackglass.symbols.native_code import NativeCode
from stackglass_viewer.model.live.native_lines import NativeLines
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.live.tree import LiveTree


class LineRecorder(Protocol):
    """Records the lines that were found. Never blocks."""

    def add_lines(self, lines: NativeLines) -> None:
        """Record lines of machine code that earlier messages have defined."""


class SessionLines:
    """Lines of a live profile. Any thread."""

    def __init__(self, lock: threading.Lock, tree: LiveTree, recorder: LineRecorder | None) -> None:
        """``lock`` guards the other arguments."""
        self._lock = lock
        self._tree = tree
        self._recorder = recorder
        self.problems: tuple[str, ...] = ()  # why lines are missing, one sentence each

    def list_definitions(self) -> DefinitionColumns:
        """Return all definitions so far, with the lines that were found."""
        with self._lock:
            return self._tree.list_definitions()

    @property
    def n_locations(self) -> int:
        """The number of locations so far, also of Python code. It only grows."""
        with self._lock:
            return self._tree.location_function.n_rows

    def take_unlocated(self, most: int) -> dict[int, NativeCode]:
        """Return at most ``most`` further locations of machine code, each with its address as
        ``start``. Each location is returned once; empty = there are no new ones."""
        with self._lock:
            return self._tree.take_unlocated(most)

    def list_natives(self) -> dict[int, NativeCode]:
        """Return the functions of libraries by the string that is their name."""
        with self._lock:
            return self._tree.list_natives()

    def locate_anew(self) -> None:
        """Let ``take_unlocated`` begin again, because new lines may be available now."""
        with self._lock:
            self._tree.locate_anew()

    def add(self, lines: NativeLines) -> None:
        """Add lines by location. Raises WireError if a location is not defined."""
        with self._lock:
            self._tree.add_lines(lines)
            if self._recorder is not None and lines:
                self._recorder.add_lines(lines)
