"""Folder of profiles: the files directly in it that can be opened, by their first bytes."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from pathlib import Path

from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.memory_trace.opening import is_memory_trace
from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.recognition import is_gzip, is_zstd, recognise
from stackglass_viewer.model.session.profile_file import is_profile_file
from stackglass_viewer.model.session.saved_session import is_saved_session

_HEAD_BYTES = 1 << 16  # enough to recognise JSON
_GZIP_WBITS = 31  # zlib's code for gzip's header and trailer (16) and the largest window (15)


def list_profiles(
    folder: str | os.PathLike[str], limit: int, is_cancelled: Callable[[], bool] = lambda: False
) -> tuple[str, ...]:
    """Return the paths of the first ``limit`` profiles in ``folder``, by name. Any thread.

    Hidden files and folders inside it are left out. Raises ContentError if there is none,
    CancelledError, OSError.
    """
    found: list[str] = []
    for path in sorted(Path(folder).iterdir()):
        if is_cancelled():
            raise CancelledError
        if not path.name.startswith(".") and is_profile(_read_head(path)):
            found.append(str(path))
        if len(found) == limit:
            break
    if not found:
        raise ContentError("no file in this folder is a profile that Stackglass reads")
    return tuple(found)


def is_profile(head: bytes) -> bool:
    """Whether a file that begins with ``head`` can be opened. The content of zstd is not looked
    at: opening it reports what it is."""
    if is_saved_session(head) or is_profile_file(head) or is_memory_trace(head) or is_zstd(head):
        return True
    if is_gzip(head):
        try:
            head = zlib.decompressobj(wbits=_GZIP_WBITS).decompress(head, _HEAD_BYTES)
        except zlib.error:
            return False
    kind = recognise(head)
    return kind.is_readable or kind is FileKind.UTF16  # text of PowerShell's redirection


def _read_head(path: Path) -> bytes:
    """Return the first bytes of a file, or b"" if it is none or cannot be read."""
    try:
        if not path.is_file():  # a pipe would wait for its writer
            return b""
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError:
        return b""
