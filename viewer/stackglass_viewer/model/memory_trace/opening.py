"""Opening of memory traces: session files and Go's execution traces, recognized by their first
bytes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.memory_trace.go_trace import read_go_trace
from stackglass_viewer.model.memory_trace.session_file import read_session_file
from stackglass_viewer.model.memory_trace.source import EventSource
from stackglass_viewer.model.memory_trace.trace import MemoryTrace, Progress, go_on
from stackglass_viewer.model.session.file_parts import FileParts, Parts

_SESSION_MAGIC, _GO_MAGIC = b"stackglass ", b"go 1."
_SHARE_OF_READING = 0.1  # of the time to open a trace; the rest is the replay


def is_memory_trace(head: bytes) -> bool:
    """Whether a file that begins with ``head`` may be a memory trace."""
    return head.startswith((_SESSION_MAGIC, _GO_MAGIC))


def open_trace(
    path: str | os.PathLike[str], progress: Progress = go_on, folder: Path | None = None
) -> MemoryTrace:
    """Open a file and replay it once. ``progress`` receives the share done and returns whether to
    go on. ``folder``: where the side file is; None = the user's cache.

    Raises ContentError with one line for the user, CancelledError.
    """
    name = Path(path).name
    try:
        with Path(path).open("rb") as file:
            return open_trace_file(file, name, progress, folder)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ContentError(f"cannot open {name}: {reason}") from error


def open_trace_file(
    file: BinaryIO, name: str, progress: Progress = go_on, folder: Path | None = None
) -> MemoryTrace:
    """Open a trace like ``open_trace``, from an open file. ``name`` is for messages. Also raises
    OSError."""
    if not os.fstat(file.fileno()).st_size:
        raise ContentError(f"cannot open {name}: it is empty")
    return open_trace_content(FileParts(file), name, progress, folder)


def open_trace_content(
    content: Parts, name: str, progress: Progress = go_on, folder: Path | None = None
) -> MemoryTrace:
    """Open a trace like ``open_trace``, from a file's content."""

    def report(share: float) -> None:
        if not progress(_SHARE_OF_READING * share):
            raise CancelledError

    source: EventSource | None = None
    try:
        source = _read(content, report, folder)
        return MemoryTrace(
            source,
            name,
            lambda done: progress(_SHARE_OF_READING + (1 - _SHARE_OF_READING) * done),
            folder,
        )
    except BaseException as error:
        if source is not None:
            source.close()
        if isinstance(error, MemoryError):
            reason = "there is not enough memory to read it"
            raise ContentError(f"cannot open {name}: {reason}") from None
        if isinstance(error, ContentError):
            raise ContentError(f"cannot open {name}: {error.message}", error.remedy) from error
        raise


def _read(content: Parts, report: Callable[[float], None], folder: Path | None) -> EventSource:
    if bytes(content[: len(_GO_MAGIC)]) == _GO_MAGIC:
        return read_go_trace(content, report, folder)
    return read_session_file(content, report)
