"""Names and places of everything that a user sees in the windows, from Qt's accessibility.

The task runs in a thread of its own, because the window must go on; Qt is called in the GUI thread.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QThread, Signal
from PySide6.QtGui import QAccessible, QAccessibleInterface, QGuiApplication
from PySide6.QtWidgets import QApplication

_Found = TypeVar("_Found")
PATIENCE_S = 20.0
_LOOK_AGAIN_S = 0.1
_MOST_CHILDREN = 400  # children read of one parent: a table has a million cells


class NotSeenError(AssertionError):
    """A searched part is missing, or is not where a user could use it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A named part, and its rectangle in pixels of the display."""

    role: str
    name: str
    value: str
    is_enabled: bool
    x: int
    y: int
    width: int
    height: int

    @property
    def centre(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2


class Eyes(QObject):
    """Reader of the windows; made in the GUI thread, used by one other thread."""

    _asked = Signal(object)
    _told = Signal(object)

    def __init__(self, scale: float) -> None:
        super().__init__()
        self._scale = scale
        self._asked.connect(lambda ask: ask(), Qt.ConnectionType.BlockingQueuedConnection)
        self._told.connect(lambda act: act(), Qt.ConnectionType.QueuedConnection)

    def look(self) -> list[Seen]:
        """List all visible parts in reading order, the topmost window first."""
        return self._ask(lambda: [*self._list_all()])

    def find(self, pattern: str, role: str = "") -> Seen:
        """Wait for the first usable part whose whole name matches a pattern, and return it.

        Raises NotSeenError.
        """
        wanted = re.compile(pattern)

        def search() -> Seen | None:
            for seen in self.look():
                is_it = wanted.fullmatch(seen.name) and seen.role == (role or seen.role)
                if is_it and seen.is_enabled:
                    return seen
            return None

        return self.wait_for(search, f"{role or 'anything'} named {pattern!r}")

    def read_text(self) -> str:
        """Return names and values of all visible parts, a line each."""
        return "\n".join(f"{seen.name}\t{seen.value}" for seen in self.look())

    def wait_for_text(self, pattern: str) -> str:
        """Wait until a line of ``read_text`` matches, and return it. Raises NotSeenError."""
        wanted = re.compile(pattern, re.MULTILINE)
        found = self.wait_for(lambda: wanted.search(self.read_text()), f"the text {pattern!r}")
        return found.group()

    def wait_for_none(self, pattern: str) -> None:
        """Wait until no visible text matches. Raises NotSeenError."""
        wanted = re.compile(pattern)
        self.wait_for(lambda: not wanted.search(self.read_text()), f"no text {pattern!r}")

    def wait_for(self, search: Callable[[], _Found | None], what: str) -> _Found:
        """Wait until ``search`` finds something, and return it. Raises NotSeenError."""
        end = time.monotonic() + PATIENCE_S
        while not (found := search()):
            if time.monotonic() > end:
                raise NotSeenError(f"{what}: not seen within {PATIENCE_S:.0f} s")
            time.sleep(_LOOK_AGAIN_S)
        return found

    def do_later(self, action: Callable[[], object]) -> None:
        """Call ``action`` in the GUI thread, without waiting, because it may end that thread."""
        self._told.emit(action)

    def size_of_screen(self) -> tuple[int, int]:
        """Return the screen's size in pixels of the display."""
        size = self._ask(lambda: QGuiApplication.primaryScreen().size())
        return round(size.width() * self._scale), round(size.height() * self._scale)

    def _ask(self, question: Callable[[], Any]) -> Any:
        answers: list[Any] = []
        if QThread.currentThread() is self.thread():
            return question()
        self._asked.emit(lambda: answers.append(question()))
        return answers[0]

    def _list_all(self) -> Iterator[Seen]:
        active = [QApplication.activePopupWidget(), QApplication.activeModalWidget()]
        tops = [widget for widget in active if widget is not None]
        tops += [w for w in QApplication.topLevelWidgets() if w.isVisible() and w not in tops]
        for widget in tops:
            top = QAccessible.queryAccessibleInterface(widget)
            if top is not None:
                yield from self._list_of(top)

    def _list_of(self, it: QAccessibleInterface) -> Iterator[Seen]:
        if not it.isValid() or it.state().invisible:
            return
        place, scale = it.rect(), self._scale
        yield Seen(
            it.role().name,
            it.text(QAccessible.Text.Name),
            it.text(QAccessible.Text.Value),
            not it.state().disabled,
            *(round(scale * n) for n in (place.x(), place.y(), place.width(), place.height())),
        )
        for index in range(min(it.childCount(), _MOST_CHILDREN)):
            child = it.child(index)
            if child is not None:
                yield from self._list_of(child)
