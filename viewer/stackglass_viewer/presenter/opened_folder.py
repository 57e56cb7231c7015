"""Folders that the user opens: their profiles become a tab each, or one sum, up to a limit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.presenter.settings.view_state import Notice

MOST_FILES = 30
MOST_SUMMED = 1000  # they are in memory together until they are added up


@dataclass(frozen=True, slots=True)
class OpenedFolder:
    """The profiles of a folder, by name. ``notice`` says that the folder has more; None = these
    are all."""

    paths: tuple[str, ...]
    notice: Notice | None = None


def read_folder(path: str, is_cancelled: Callable[[], bool]) -> OpenedFolder:
    """Find the profiles directly in a folder. Any thread. Raises ContentError, CancelledError,
    OSError."""
    # Here for start-up time: the recognition of all formats.
    from stackglass_viewer.model.memory_trace.profile_folder import list_profiles

    paths = list_profiles(path, MOST_FILES + 1, is_cancelled)
    if len(paths) <= MOST_FILES:
        return OpenedFolder(paths)
    text = (
        f"{Path(path).name} has more than {MOST_FILES} profiles: the first {MOST_FILES}, by name, "
        "are opened. Open the others by their names."
    )
    return OpenedFolder(paths[:MOST_FILES], Notice("info", text))


def list_summed(paths: Sequence[str], is_cancelled: Callable[[], bool]) -> Iterator[str]:
    """Yield the files to add up: a folder among ``paths`` stands for its profiles. Any thread.
    Raises ContentError, CancelledError, OSError."""
    # Here for start-up time: the recognition of all formats.
    from stackglass_viewer.model.memory_trace.profile_folder import list_profiles

    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        found = list_profiles(path, MOST_SUMMED + 1, is_cancelled)
        if len(found) > MOST_SUMMED:
            raise ContentError(
                f"the folder {Path(path).name} has more than {MOST_SUMMED} profiles",
                "name some of them",
            )
        yield from found
