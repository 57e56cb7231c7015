"""Simulated user: finds controls by name, uses mouse and keyboard, only on the visible screen."""

from __future__ import annotations

import time

from walk import display
from walk.eyes import Eyes, NotSeenError, Seen

_LEAST_PX = 8  # least size of a part that can be clicked
_SETTLE_S = 0.15  # after which a menu or dialog has opened


class User:
    """Actions of a user; for the thread of the task."""

    def __init__(self, eyes: Eyes) -> None:
        self.eyes = eyes

    def point_at(self, pattern: str, role: str = "") -> Seen:
        """Move the pointer to a part. Raises NotSeenError if it is missing, hidden or too small."""
        seen = self.eyes.find(pattern, role)
        width, height = self.eyes.size_of_screen()
        x, y = seen.centre
        if not (0 <= x < width and 0 <= y < height):
            raise NotSeenError(f"{seen.name!r} is off the screen of {width} x {height}: {seen}")
        if min(seen.width, seen.height) < _LEAST_PX:
            raise NotSeenError(f"{seen.name!r} is too small to be pointed at: {seen}")
        display.move_to(x, y)
        return seen

    def click(self, pattern: str, role: str = "", button: int = 1, times: int = 1) -> Seen:
        seen = self.point_at(pattern, role)
        display.press_button(button, times)
        time.sleep(_SETTLE_S)
        return seen

    def choose(self, *path: str) -> None:
        """Choose an entry of the menus by clicks: ``choose("File", "Open…")``."""
        for name in path:
            self.click(name, "MenuItem")

    def press(self, *keys: str) -> None:
        display.type_keys(*keys)
        time.sleep(_SETTLE_S)

    def write(self, text: str) -> None:
        display.type_text(text)
        time.sleep(_SETTLE_S)

    def read(self, pattern: str) -> str:
        """Wait until a visible text matches, and return it. Raises NotSeenError."""
        return self.eyes.wait_for_text(pattern)
