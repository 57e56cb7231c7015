"""Build numbers: which of a document's builds is shown, and which calls wait for a later one."""

from __future__ import annotations

from collections.abc import Callable


class BuildNumbers:
    """Numbers a document's builds in the order of their requests. GUI thread.

    A build that a newer one has replaced does not report an end: the end of a later build counts
    for all builds before it.
    """

    def __init__(self) -> None:
        self._n_begun = 0
        self._n_ended = 0  # number of the last build that is shown or has failed
        self._awaiting: list[tuple[int, Callable[[], None]]] = []  # build numbers and their calls

    @property
    def is_settled(self) -> bool:
        """Whether no build is under way."""
        return self._n_ended >= self._n_begun

    def begin(self) -> int:
        """Return the number of a build that is requested now."""
        self._n_begun += 1
        return self._n_begun

    def when_shown(self, act: Callable[[], None]) -> None:
        """Call ``act`` when the last build that was requested so far is shown.

        Without a build under way ``act`` is called now. If the build fails, ``act`` is dropped.
        """
        if self.is_settled:
            act()
        else:
            self._awaiting.append((self._n_begun, act))

    def end(self, number: int, *, is_shown: bool) -> None:
        """Note that a build is shown (``is_shown``) or has failed."""
        self._n_ended = max(self._n_ended, number)
        due = [act for awaited, act in self._awaiting if awaited <= number]
        self._awaiting = [each for each in self._awaiting if each[0] > number]
        for act in due if is_shown else ():
            act()
