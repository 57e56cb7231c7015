"""Reader of session files (``.sgm``) with memory events, which are decoded on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.memory_trace.events import (
    Domain,
    EventColumns,
    EventKind,
    make_columns,
)
from stackglass_viewer.model.memory_trace.session_messages import (
    SessionHead,
    list_warnings,
    make_info,
    note_message,
)
from stackglass_viewer.model.memory_trace.source import EventBlocks, TraceInfo, TraceNames
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.model.session.chunks import (
    EVENTS,
    MESSAGES,
    Chunk,
    ChunkList,
    list_chunks,
    read_content,
    unpack,
)
from stackglass_viewer.model.session.file_parts import Parts
from stackglass_viewer.model.session.messages import replay_messages
from stackglass_viewer.model.units import format_count
from stackglass_viewer.native import _loops

Report = Callable[[float], None]

BUFFER = "<buffer>"
"""The type of blocks that are not objects: the items of a list, the buffer of a file, memory that C
code allocates for itself."""
_BIRTHS = (EventKind.OBJECT, EventKind.OBJECT_ALLOC, EventKind.REALLOC)


@dataclass(frozen=True, slots=True, eq=False)
class SessionFile:
    """An opened session file. ``decode`` may be called from any thread."""

    content: Parts
    chunks: tuple[Chunk, ...]  # the chunks of events
    live: LiveProfile  # the session's other data, from its messages
    info: TraceInfo
    names: TraceNames
    blocks: EventBlocks
    warnings: tuple[str, ...]
    buffer_type: int  # string of BUFFER, which is the last one

    def decode(self, block: int) -> EventColumns:
        """Return the events of a block. Raises ContentError."""
        try:
            columns = _decode(self.content, self.chunks[block])
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise ContentError(f"the file cannot be read any more: {reason}") from error
        is_buffer = (columns.domain != Domain.OBJ) & (columns.type == 0)
        is_buffer &= np.isin(columns.kind, _BIRTHS)
        return replace(columns, type=np.where(is_buffer, np.uint32(self.buffer_type), columns.type))

    def close(self) -> None:
        """Release the file."""
        self.content.release()


def read_session_file(content: Parts, report: Report) -> SessionFile:
    """Read a file except its events, and find the places of these.

    ``report`` receives the share done. Raises ContentError.
    """
    listed = list_chunks(content, lambda done: report(0.5 * done))
    # Connected at time 0, so that no counts are subtracted as older than the connection.
    live, head = LiveProfile(connected_mono_ns=0), SessionHead()

    def apply(message: wire_pb2.FromEngine) -> None:
        live.apply(message)
        note_message(message, head)

    for chunk in listed.chunks:
        if chunk.kind == MESSAGES:
            replay_messages(unpack(read_content(content, chunk), chunk), apply)
    events = [chunk for chunk in listed.chunks if chunk.kind == EVENTS]
    if not events:
        early = "" if listed.is_whole else ": the file ends early"
        raise ContentError(f"it is a session file without memory events{early}")
    events, blocks = _index(content, events, lambda done: report(0.5 + 0.5 * done))
    tables = live.export()
    tables = replace(tables, strings=(*(tables.strings or ("",)), BUFFER))
    return SessionFile(
        content=content,
        chunks=tuple(events),
        live=live,
        info=make_info(head, listed.is_whole),
        names=TraceNames(tables, tables.thread_names),
        blocks=blocks,
        warnings=(*_warn(listed, events), *list_warnings(head)),
        buffer_type=len(tables.strings) - 1,
    )


def _warn(listed: ChunkList, events: list[Chunk]) -> tuple[str, ...]:
    if listed.is_whole:
        return ()
    return (
        "the file ends early: its recorder was killed, or the disk was full. Only the first "
        f"{format_count(len(events))} blocks of events are shown",
    )


def _index(content: Parts, events: list[Chunk], report: Report) -> tuple[list[Chunk], EventBlocks]:
    """Return the chunks that have events, and their table. If the file has no index, all blocks are
    decoded for the table, up to the first damaged one."""
    rows: list[tuple[int, int, int]] = []
    for chunk in events:
        row = chunk.row
        if row is None:
            try:
                columns = _decode(content, chunk)
            except ContentError:
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
    return kept, EventBlocks(n_events, first_ns, last_ns, dense.astype(np.int32))


def _decode(content: Parts, chunk: Chunk) -> EventColumns:
    stored = read_content(content, chunk)
    try:
        columns = _loops.decode_event_block(stored, chunk.packing, chunk.raw_bytes)
    except ValueError as error:
        raise ContentError(f"it is damaged: {error}") from None
    return make_columns({name: np.asarray(column) for name, column in columns.items()})
