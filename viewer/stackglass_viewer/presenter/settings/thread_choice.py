"""Thread choice of a tab's user, as it is kept: the threads that are shown, or their pattern."""

from __future__ import annotations

from typing import NamedTuple


class NamePattern(NamedTuple):
    """Threads whose name a regular expression finds."""

    pattern: str
    is_excluded: bool = False  # all others instead


class ThreadChoice(NamedTuple):
    """Which threads of a process are shown. Without any of the three: all of them."""

    tids: frozenset[int] = frozenset()  # chosen one by one
    folded: frozenset[str] = frozenset()  # names of rows that stand for several that ended
    named: NamePattern | None = None  # in the place of the other two

    @property
    def is_any(self) -> bool:
        """Whether it leaves threads out."""
        return bool(self.tids or self.folded or self.named)


ALL_THREADS = ThreadChoice()
