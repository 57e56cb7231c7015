"""Origins of threads that C code starts: the Python thread behind each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LABEL = "started by"
_MOST_STEPS = 64


class ThreadStarts:
    """Starts of threads by C code, as the engine reports them. For one thread."""

    __slots__ = ("_starts",)

    def __init__(self) -> None:
        self._starts: dict[int, tuple[int, bool]] = {}  # by thread: starter, is it a Python thread

    def add(self, tids: Iterable[int], starters: Iterable[int], are_python: Iterable[int]) -> None:
        """Add starts. The last start of a number counts, because the system reuses numbers."""
        for tid, starter, is_python in zip(tids, starters, are_python):
            self._starts[tid] = (starter, bool(is_python))

    def find(self, tid: int) -> int:
        """Return the Python thread behind a thread of C code; 0 = not known. A thread of C code may
        start others.

        >>> starts = ThreadStarts()
        >>> starts.add([20, 30, 50], [1, 20, 40], [1, 0, 0])
        >>> starts.find(20), starts.find(30), starts.find(50), starts.find(1)
        (1, 1, 0, 0)
        """
        for _ in range(_MOST_STEPS):
            starter, is_python = self._starts.get(tid, (0, True))
            if is_python:
                return starter
            tid = starter
        return 0

    def name_all(self, names: Mapping[int, str]) -> dict[int, str]:
        """Return the names of the Python threads, by the thread of C code."""
        found = {tid: self.find(tid) for tid in self._starts}
        return {tid: names.get(by) or f"thread {by}" for tid, by in found.items() if by}
