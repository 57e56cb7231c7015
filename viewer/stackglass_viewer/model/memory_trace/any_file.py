"""Opening of files of any kind: as a profile (``open_file``), or as what the file holds
(``open_any``). The profile of a memory trace is its live memory at the peak."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.memory_trace.opening import is_memory_trace, open_trace
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.memory_trace.trace_profiles import profile_peak
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.model.session.profile_file import is_profile_file, open_profile_file
from stackglass_viewer.model.session.saved_session import (
    HEAD_BYTES,
    SavedSession,
    is_saved_session,
    open_saved_session,
)

TakeProfile = Callable[[MemoryTrace], Profile]
TakeSession = Callable[[SavedSession], Profile]


def open_file(
    path: str | os.PathLike[str],
    *,
    is_cancelled: Callable[[], bool] = lambda: False,
    report: Callable[[float], None] = lambda _share: None,
    take: TakeProfile = profile_peak,
    take_session: TakeSession | None = None,
) -> Profile | FunctionTable:
    """Read a file. Any thread; the long parts run without the GIL.

    ``take`` makes the profile of a memory trace, ``take_session`` that of a saved session; None =
    sessions are refused. ``report`` receives the share done, 0 … 1, in the calling thread. Raises
    ContentError with one line for the user, CancelledError.
    """
    if take_session is None and is_saved_session(_read_head(path)):
        raise ContentError(
            f"cannot open {Path(path).name} as one profile: it is a session with several",
            "stackglass FILE opens it; Save writes single profiles there",
        )
    content = open_any(path, is_cancelled=is_cancelled, report=report)
    if isinstance(content, SavedSession):
        assert take_session is not None
        return take_session(content)
    if not isinstance(content, MemoryTrace):
        return content
    try:
        return take(content)
    except MemoryError:
        raise ContentError(
            f"cannot open {content.name}: there is not enough memory to add it up"
        ) from None
    finally:
        content.close()


def open_any(
    path: str | os.PathLike[str],
    *,
    is_cancelled: Callable[[], bool] = lambda: False,
    report: Callable[[float], None] = lambda _share: None,
) -> Profile | FunctionTable | MemoryTrace | SavedSession:
    """Read a file, and return what it holds. The caller must close a memory trace. Arguments and
    errors are those of ``open_file``."""
    head = _read_head(path)
    if is_saved_session(head):
        return open_saved_session(path, is_cancelled=is_cancelled, report=report)
    if is_profile_file(head):
        return open_profile_file(path, is_cancelled=is_cancelled, report=report)
    if not is_memory_trace(head):
        return open_profile(path, is_cancelled=is_cancelled, report=report)

    def progress(share: float) -> bool:
        report(share)
        return not is_cancelled()

    return open_trace(path, progress)


def is_trace_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a memory trace, by its first bytes."""
    head = _read_head(path)
    return is_memory_trace(head) and not is_saved_session(head) and not is_profile_file(head)


def _read_head(path: str | os.PathLike[str]) -> bytes:
    """Return the first bytes of a file, or b"" if it cannot be read: opening it reports why."""
    try:
        if not Path(path).is_file():  # a pipe can be read only once
            return b""
        with Path(path).open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError:
        return b""
