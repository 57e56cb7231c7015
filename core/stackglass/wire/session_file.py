"""Session file writer: stores an engine's messages in a container of chunks (docs/session-file.md).

Chunks are appended as they come: a file that is cut off anywhere can be read up to its last whole
chunk.
"""

from __future__ import annotations

import struct
import zlib
from typing import Protocol

from stackglass.native import _core
from stackglass.wire.messages import MemoryEvents

HEADER = b"stackglass 1\n\0\0\0"
TRAILER_MARK = b"sgindex\n"
MAGIC = int.from_bytes(b"SGCK", "little")
MESSAGES, EVENTS, INDEX, NOTES = 1, 2, 3, 4
PROFILE, TIMES, FUNCTIONS = 5, 6, 7
PLAIN, LZ4, DEFLATE = 0, 1, 2
HEAD = struct.Struct("<IBBHIIIIQ")
INDEX_ROW = struct.Struct("<QIIIIqq")
TRAILER = struct.Struct("<QQ8s")
_ALIGNMENT = 8
_MESSAGES_BYTES = 1 << 20
"""Messages are gathered up to this, unless events or notes follow."""
_PIECE_BYTES = 16 << 20
"""A part of a profile is divided into chunks of this size."""
_FASTEST = 1  # of zlib's levels


class ByteSink(Protocol):
    """A file that a session file is written to."""

    def write(self, content: memoryview, /) -> int:
        """Take some of the bytes; returns how many."""


class SessionFileWriter:
    """Writes one file, from its header to its trailer. For one thread.

    All methods raise OSError; the chunks that were written before stay readable.
    """

    __slots__ = ("_file", "_frames", "_frames_bytes", "_is_deflated", "_offset", "_rows")

    def __init__(self, file: ByteSink, *, is_deflated: bool = False) -> None:
        """Write the header to ``file``, which is empty and needs no seek. ``is_deflated``: compress
        messages."""
        self._file = file
        self._is_deflated = is_deflated
        self._frames: list[bytes] = []
        self._frames_bytes = 0
        self._rows: list[bytes] = []
        self._offset = 0
        self._write(HEADER)

    @property
    def n_bytes(self) -> int:
        """Bytes written so far."""
        return self._offset

    def add_message(self, message: bytes) -> None:
        """Add a FromEngine message other than MemoryEvents, as received: without its length."""
        frame = _core.encode_frame(message)
        self._frames.append(frame)
        self._frames_bytes += len(frame)
        if self._frames_bytes >= _MESSAGES_BYTES:
            self.flush()

    def add_events(self, events: MemoryEvents) -> None:
        """Add a block of events, after the messages that it refers to."""
        self.flush()
        self._add_chunk(EVENTS, events.packing, events.payload, events.raw_bytes, events)

    def flush(self) -> None:
        """Write the gathered messages."""
        content = b"".join(self._frames)
        self._frames.clear()
        self._frames_bytes = 0
        if not content:
            return
        if self._is_deflated:
            packed = zlib.compress(content, _FASTEST)
            self._add_chunk(MESSAGES, DEFLATE, packed, len(content), MemoryEvents())
        else:
            self._add_chunk(MESSAGES, PLAIN, content, len(content), MemoryEvents())

    def add_notes(self, notes: bytes) -> None:
        """Add the client's own notes, a JSON object, after the messages so far."""
        self.flush()
        self._add_chunk(NOTES, PLAIN, notes, len(notes), MemoryEvents())

    def add_part(self, kind: int, content: bytes) -> None:
        """Add a part of a profile, in as many chunks as it needs; an empty part has one."""
        self.flush()
        for at in range(0, len(content) or 1, _PIECE_BYTES):
            piece = content[at : at + _PIECE_BYTES]
            packed = zlib.compress(piece, _FASTEST)
            self._add_chunk(kind, DEFLATE, packed, len(piece), MemoryEvents())

    def add_packed(self, kind: int, packing: int, content: bytes, raw_bytes: int) -> None:
        """Add a chunk of another session file as it is stored there; not a block of events."""
        self.flush()
        self._add_chunk(kind, packing, content, raw_bytes, MemoryEvents())

    def finish(self) -> None:
        """Write what is left, the index and the trailer."""
        self._write(self.make_end())

    def make_end(self) -> bytes:
        """Write what is left, and return the index and the trailer that would end a copy of the
        file so far. The file itself may still grow."""
        self.flush()
        index = b"".join(self._rows)
        head = self._pack_head(INDEX, PLAIN, index, len(index), 0)
        padding = bytes(-len(index) % _ALIGNMENT)
        trailer = TRAILER.pack(self._offset, len(self._rows) + 1, TRAILER_MARK)
        return head + index + padding + trailer

    def _add_chunk(
        self, kind: int, packing: int, content: bytes, raw_bytes: int, events: MemoryEvents
    ) -> None:
        generation = events.generation
        head = self._pack_head(kind, packing, content, raw_bytes, generation)
        row = INDEX_ROW.pack(
            self._offset,
            kind,
            generation,
            events.n_events,
            0,
            events.first_time_ns,
            events.last_time_ns,
        )
        self._write(head + content + bytes(-len(content) % _ALIGNMENT))
        self._rows.append(row)

    @staticmethod
    def _pack_head(
        kind: int, packing: int, content: bytes, raw_bytes: int, generation: int
    ) -> bytes:
        return HEAD.pack(
            MAGIC, kind, packing, 0, len(content), raw_bytes, zlib.crc32(content), generation, 0
        )

    def _write(self, content: bytes) -> None:
        left = memoryview(content)
        while left:  # a file without a buffer may take a part
            left = left[self._file.write(left) :]
        self._offset += len(content)
