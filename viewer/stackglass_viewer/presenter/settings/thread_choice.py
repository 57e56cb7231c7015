"""Thread choice of a tab, in the form that is stored: the shown threads, or their pattern."""

from __future__ import annotations

from typing import NamedTuple


class NamePattern(NamedTuple):
    """Threads with a name that a regular expression matches."""

    pattern: str
    is_excluded: bool = False  # whether all other threads are meant


class ThreadChoice(NamedTuple):
    """Which threads of a process are shown. If all three fields are empty, all threads."""

    tids: frozenset[int] = frozenset()  # chosen one by one
    folded: frozenset[str] = frozenset()  # names of rows that stand for several ended threads
    named: NamePattern | None = None  # replaces the other two

    @property
    def has_filters(self) -> bool:
        """Whether threads are left out."""
        return bool(self.tids or self.folded or self.named)


ALL_THREADS = ThreadChoice()
