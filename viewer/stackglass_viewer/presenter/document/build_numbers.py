"""Build numbers: which of a document's builds is shown, and what waits for the last one."""

from __future__ import annotations

from collections.abc import Callable


class BuildNumbers:
    """GUI thread. A build that a newer one has replaced has no end of its own."""

    def __init__(self) -> None:
        self._n_begun = 0
        self._n_ended = 0  # number of the last one that is shown, or that failed
        self._awaiting: list[tuple[int, Callable[[], None]]] = []  # calls, and their builds

    @property
    def is_settled(self) -> bool:
        """Whether nothing is under way."""
        return self._n_ended >= self._n_begun

    def begin(self) -> int:
        """The number of a build that is requested now."""
        self._n_begun += 1
        return self._n_begun

    def when_shown(self, act: Callable[[], None]) -> None:
        """Call ``act`` once all that was chosen so far is shown: with the last build, however many
        are under way; now, if there is none. Where that build fails, ``act`` is dropped."""
        if self.is_settled:
            act()
        else:
            self._awaiting.append((self._n_begun, act))

    def end(self, number: int, *, is_shown: bool) -> None:
        """A build is shown, or has failed."""
        self._n_ended = max(self._n_ended, number)
        due = [act for awaited, act in self._awaiting if awaited <= number]
        self._awaiting = [each for each in self._awaiting if each[0] > number]
        for act in due if is_shown else ():
            act()
