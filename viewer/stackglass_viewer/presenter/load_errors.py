"""Errors of the files that were opened last, as one message."""

from __future__ import annotations

from collections.abc import Sequence

from stackglass_viewer.model.units import make_sentence
from stackglass_viewer.presenter.loading import LoadFailure
from stackglass_viewer.presenter.settings.view_state import Notice


class LoadErrors:
    """The failures, in the order in which the user named the files. GUI thread."""

    def __init__(self) -> None:
        self._places: tuple[str, ...] = ()
        self._failures: list[LoadFailure] = []

    def begin(self, places: Sequence[str]) -> None:
        """Forget earlier errors, and note the files that are being opened now, in their order."""
        self._places = tuple(places)
        self._failures.clear()

    def forget(self) -> None:
        """Forget the errors so far: something else is being read."""
        self._failures.clear()

    def add(self, failure: LoadFailure) -> Notice:
        """Return the notice to show now, with a line for each failure. A server's profile is no
        file, so with one of these the first line counts profiles."""
        self._failures.append(failure)
        lines = [make_sentence(each.text) for each in sorted(self._failures, key=self._find_place)]
        if len(lines) > 1:
            is_of_files = not any("://" in each.place for each in self._failures)
            what = "files" if is_of_files else "profiles"
            lines.insert(0, f"{len(lines)} {what} could not be opened.")
        return Notice("error", "\n".join(lines))

    def _find_place(self, failure: LoadFailure) -> int:
        """Return the index of the failed file; a server's profile comes after all files."""
        places = self._places
        return places.index(failure.place) if failure.place in places else len(places)
