"""Saved sessions: a session file without a memory trace, replayed into a live profile."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stackglass.errors import WireError
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.model.session.chunks import (
    MESSAGES,
    NOTES,
    Chunk,
    find_first_kind,
    list_chunks,
    read_content,
    unpack,
)
from stackglass_viewer.model.session.file_parts import Parts, open_parts
from stackglass_viewer.model.session.messages import replay_messages
from stackglass_viewer.model.session.notes import MOST_RAW_BYTES, Head, Marks, read_notes

HEAD_BYTES = 24
"""Length of the beginning of a file that ``is_saved_session`` takes."""

_OF_STATUS = (
    "ready",
    "rates",
    "status",
    "heap_status",
    "contention_status",
    "census",
    "lock_waits",
)
"""Kinds of messages that describe the state of a capture. The last message of each is kept."""


@dataclass(frozen=True, slots=True, eq=False)
class SavedSession:
    """A session as it was when it was saved."""

    path: str
    head: Head
    live: LiveProfile
    last: tuple[wire_pb2.FromEngine, ...]  # the last message of each kind in ``_OF_STATUS``
    warnings: tuple[str, ...]
    marks: Marks | None = None  # the marks on its timeline
    alive: frozenset[int] | None = None  # the process's threads at the end; None = not known


def is_saved_session(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a saved session: its first chunk is a note."""
    return find_first_kind(head) == NOTES


def open_saved_session(
    path: str | os.PathLike[str],
    *,
    is_cancelled: Callable[[], bool] = lambda: False,
    report: Callable[[float], None] = lambda _share: None,
) -> SavedSession:
    """Read a file. Any thread. ``report`` receives the share done.

    Raises ContentError with one line for the user, CancelledError.
    """

    def progress(share: float) -> None:
        report(share)
        if is_cancelled():
            raise CancelledError

    with open_parts(path) as content:
        return read_saved_session(content, str(path), progress)


def read_saved_session(
    content: Parts, path: str, progress: Callable[[float], None] = lambda _share: None
) -> SavedSession:
    """Read a session from a file's content. ``progress`` receives the share done, and may raise
    CancelledError. Raises ContentError."""
    listed = list_chunks(content, lambda _share: None)
    chunks = [chunk for chunk in listed.chunks if chunk.kind in (MESSAGES, NOTES)]
    if sum(chunk.raw_bytes for chunk in chunks) > MOST_RAW_BYTES:
        raise ContentError(f"its messages have more than {MOST_RAW_BYTES >> 20} MiB")
    replay: _Replay | None = None
    for number, chunk in enumerate(chunks):
        raw = unpack(read_content(content, chunk), chunk)
        replay = _apply_chunk(chunk, raw, replay)
        progress((number + 1) / len(chunks))
    if replay is None or "ready" not in replay.last:
        raise ContentError("it is a saved session without any message")
    return SavedSession(
        path,
        replay.head,
        replay.live,
        tuple(replay.last.values()),
        () if listed.is_whole else ("the file ends early: only the part before the cut is shown",),
        replay.marks,
        replay.alive,
    )


class _Replay:
    """A session that is being replayed."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self.live = LiveProfile(head.connected_mono_ns)
        self.last: dict[str, wire_pb2.FromEngine] = {}
        self.names: Mapping[int, str] = {}  # names for the next message
        self.marks: Marks | None = None
        self.alive: frozenset[int] | None = None

    def apply(self, message: wire_pb2.FromEngine) -> None:
        self.live.apply(message, self.names)
        self.names = {}
        kind = message.WhichOneof("message") or ""
        if kind in _OF_STATUS:
            self.last.pop(kind, None)  # so that the dict is in the order of the messages
            self.last[kind] = message


def _apply_chunk(chunk: Chunk, raw: memoryview | bytes, replay: _Replay | None) -> _Replay:
    """Apply a chunk, and return the replay. The first chunk, with ``replay`` None, begins it."""
    if chunk.kind == MESSAGES:
        if replay is None:
            raise ContentError("it is damaged: its first chunk is not a note")
        replay_messages(raw, replay.apply)
        return replay
    notes = read_notes(bytes(raw))
    if replay is None:
        if notes.head is None:
            raise ContentError("it is damaged: its first note does not name the process")
        replay = _Replay(notes.head)
    elif notes.is_clear:
        replay.live.clear()
    if notes.names:  # other notes may stand between them and their message
        replay.names = notes.names
    if notes.has_marks:
        replay.marks = notes.marks
    if notes.alive is not None:
        replay.alive = notes.alive
    try:
        replay.live.lines.add(notes.lines)
    except WireError as error:
        raise ContentError(f"it is damaged: {error.message}") from None
    return replay
