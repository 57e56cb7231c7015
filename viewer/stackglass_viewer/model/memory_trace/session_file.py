"""Reader of session files (``.sgm``): memory-mapped, events decoded on demand."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from google.protobuf.message import DecodeError

from stackglass.errors import WireError
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory_trace.chunks import (
    EVENTS,
    MESSAGES,
    Chunk,
    ChunkList,
    list_chunks,
    read_content,
    unpack,
)
from stackglass_viewer.model.memory_trace.events import EventColumns, make_columns
from stackglass_viewer.model.memory_trace.mapped_pages import MappedPages
from stackglass_viewer.model.memory_trace.session_messages import (
    SessionHead,
    list_warnings,
    make_info,
    note_message,
)
from stackglass_viewer.model.memory_trace.source import BlockTable, TraceInfo, TraceNames
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.native import _loops

_MOST_VARINT_SHIFT = 35
_MOST_REASON = 100  # letters

Report = Callable[[float], None]


@dataclass(frozen=True, slots=True, eq=False)
class SessionFile:
    """An opened session file. ``decode`` may be called from any thread."""

    content: memoryview
    chunks: tuple[Chunk, ...]  # of events
    live: LiveProfile  # all else of the session
    info: TraceInfo
    names: TraceNames
    blocks: BlockTable
    warnings: tuple[str, ...]
    pages: MappedPages | None  # None = the content is not mapped

    def decode(self, block: int) -> EventColumns:
        """The events of a block. Raises ProfileError."""
        if self.pages is not None:
            chunk = self.chunks[block]
            self.pages.count(chunk.end - chunk.begin)
        return _decode(self.content, self.chunks[block])

    def close(self) -> None:
        """Release the file."""
        self.content.release()


def read_session_file(content: memoryview, report: Report) -> SessionFile:
    """Read what a file has besides its events, and where these are.

    ``report`` receives the share done. Raises ProfileError.
    """
    listed = list_chunks(content, lambda done: report(0.5 * done))
    live, head = LiveProfile(), SessionHead()
    for chunk in listed.chunks:
        if chunk.kind == MESSAGES:
            _apply(unpack(read_content(content, chunk), chunk), live, head)
    events = [chunk for chunk in listed.chunks if chunk.kind == EVENTS]
    if not events:
        raise ProfileError("it is a session file without events of memory")
    events, blocks = _index(content, events, lambda done: report(0.5 + 0.5 * done))
    tables = live.export()
    if not tables.strings:
        tables = replace(tables, strings=("",))
    return SessionFile(
        content=content,
        chunks=tuple(events),
        live=live,
        info=make_info(head, listed.is_whole),
        names=TraceNames(tables, tables.thread_names),
        blocks=blocks,
        warnings=(*_warn(listed, events), *list_warnings(head)),
        pages=MappedPages(content.obj) if isinstance(content.obj, mmap.mmap) else None,
    )


def _warn(listed: ChunkList, events: list[Chunk]) -> tuple[str, ...]:
    if listed.is_whole:
        return ()
    return (
        "the file ends early, so its recorder was ended or the disk was full: what it has up to "
        f"there is shown, {len(events):,} blocks of events",
    )


def _apply(messages: memoryview | bytes, live: LiveProfile, head: SessionHead) -> None:
    """Apply messages, each with its length in front."""
    view, at = memoryview(messages), 0
    try:
        while at < len(view):
            size, at = _read_size(view, at)
            if at + size > len(view):
                raise IndexError
            message = wire_pb2.FromEngine.FromString(bytes(view[at : at + size]))
            at += size
            live.apply(message)
            note_message(message, head)
    except IndexError:
        raise ProfileError("it is damaged: a message is cut off") from None
    except WireError as error:
        raise ProfileError(f"it is damaged: {error.message}") from None
    except (DecodeError, ValueError, OverflowError) as error:
        reason = str(error)[:_MOST_REASON]
        raise ProfileError(f"it is damaged: a message cannot be read ({reason})") from None


def _read_size(view: memoryview, at: int) -> tuple[int, int]:
    size = 0
    for shift in range(0, _MOST_VARINT_SHIFT, 7):
        byte = view[at]
        at += 1
        size |= (byte & 0x7F) << shift
        if byte < 0x80:
            return size, at
    raise ProfileError("it is damaged: a message has a length that cannot be")


def _index(
    content: memoryview, events: list[Chunk], report: Report
) -> tuple[list[Chunk], BlockTable]:
    """The table of blocks. Where the file has no index, blocks are decoded for it, up to the first
    damaged one."""
    rows: list[tuple[int, int, int]] = []
    for chunk in events:
        row = chunk.row
        if row is None:
            try:
                columns = _decode(content, chunk)
            except ProfileError:
                break
            times = columns.time_ns
            row = (len(times), int(times.min()), int(times.max())) if len(times) else (0, 0, 0)
            report(len(rows) / len(events))
        rows.append(row)
    kept = [chunk for chunk, row in zip(events, rows, strict=False) if row[0]]
    table = np.array([row for row in rows if row[0]], dtype=np.int64).reshape(-1, 3)
    n_events, first_ns, last_ns = (np.ascontiguousarray(column) for column in table.T)
    generation = np.array([chunk.generation for chunk in kept], dtype=np.int64)
    _, dense = np.unique(generation, return_inverse=True)
    return kept, BlockTable(n_events, first_ns, last_ns, dense.astype(np.int32))


def _decode(content: memoryview, chunk: Chunk) -> EventColumns:
    stored = read_content(content, chunk)
    try:
        columns = _loops.decode_event_block(stored, chunk.packing, chunk.raw_bytes)
    except ValueError as error:
        raise ProfileError(f"it is damaged: {error}") from None
    return make_columns({name: np.asarray(column) for name, column in columns.items()})
