"""Reader of machine code's lines, in a thread of its own: a large debug file takes time to read.

Stacks are shown at once; lines and inlined calls follow when the thread has found them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from stackglass.symbols.native_code import NativeCode, NativeLine
from stackglass_viewer.model.live_profile import LiveProfile

_CHUNK = 16
"""Addresses per request; other threads request names between two requests."""
_END_S = 5.0

Locate = Callable[[Sequence[NativeCode]], Sequence[Sequence[NativeLine]] | None]
"""Returns the lines at each ``start``, here an address; None = no lines are known. May wait."""


class NativeLineReader:
    """Finds lines for the addresses of a live profile.

    The thread that applies messages calls ``wake``; any thread calls ``close``.
    """

    def __init__(
        self,
        live: LiveProfile,
        locate: Locate,
        list_problems: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """``list_problems`` returns why lines are missing, in sentences. It may wait."""
        self._live = live
        self._locate = locate
        self._list_problems = list_problems
        self._has_work = threading.Event()
        self._is_over = False
        self._n_seen = 0  # number of locations when the thread was woken last
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Note that a message was applied. The thread starts with the first machine code."""
        if self._thread is None and self._live.facts.has_native and not self._is_over:
            self._thread = threading.Thread(target=self._run, name="native lines", daemon=True)
            self._thread.start()
        n_locations = self._live.lines.n_locations
        if n_locations > self._n_seen:  # most messages bring no locations
            self._n_seen = n_locations
            self._has_work.set()

    def read_anew(self) -> None:
        """Look for all lines again: there may be new debug information. Any thread."""
        self._live.lines.locate_anew()
        self._has_work.set()

    def close(self) -> None:
        """End the thread, and wait for its last request."""
        self._is_over = True
        self._has_work.set()
        if self._thread is not None:
            self._thread.join(_END_S)

    def _run(self) -> None:
        while not self._is_over:
            wanted = self._live.lines.take_unlocated(_CHUNK)
            if not wanted:
                self._has_work.wait()
                self._has_work.clear()
                continue
            found = self._locate(list(wanted.values()))
            if found is not None:
                pairs = zip(wanted, found, strict=True)
                self._live.lines.add({location: lines for location, lines in pairs if lines})
            self._live.lines.problems = tuple(self._list_problems())
