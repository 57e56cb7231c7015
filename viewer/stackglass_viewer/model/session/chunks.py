"""Chunks of a session file: found by its index, or one after another if the file ends early.

``docs/session-file.md`` describes the format.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import NamedTuple

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.session.file_parts import Parts
from stackglass_viewer.model.units import format_count
from stackglass_viewer.native import _loops

MAGIC = b"stackglass 1\n\0\0\0"
MESSAGES, EVENTS, INDEX, NOTES = 1, 2, 3, 4
PROFILE, TIMES, FUNCTIONS = 5, 6, 7
PLAIN, LZ4, DEFLATE = 0, 1, 2
MOST_RAW_BYTES = 16 << 20
_HEAD = struct.Struct("<IBBHIIIIQ")
_ROW = struct.Struct("<QIIIIqq")
_TRAILER = struct.Struct("<QQ8s")
_CHUNK_MAGIC = 0x4B434753  # "SGCK"
_TRAILER_MAGIC = b"sgindex\n"
_MOST_STORED_BYTES = MOST_RAW_BYTES + (MOST_RAW_BYTES >> 6)
_MOST_TIME_NS = 1 << 61
_VERSION_AT, _KIND_AT = 11, 20  # offsets of the version and of the first chunk's kind in a file


class Chunk(NamedTuple):
    """The place of a chunk in the file, and its head."""

    kind: int
    packing: int
    begin: int  # offset of the stored content
    end: int
    raw_bytes: int
    checksum: int
    generation: int
    # Number of events, first and last time, from the index; None = the file has no index.
    row: tuple[int, int, int] | None


class ChunkList(NamedTuple):
    """All chunks of a file, in its order."""

    chunks: list[Chunk]
    is_whole: bool


def find_first_kind(head: bytes) -> int | None:
    """Return the kind of the first chunk of a file that begins with ``head``; None = it is no
    session file."""
    has_kind = head.startswith(MAGIC[:_VERSION_AT]) and len(head) > _KIND_AT
    return head[_KIND_AT] if has_kind else None


def read_content(content: Parts, chunk: Chunk) -> memoryview:
    """Return a chunk's content as it is stored. Raises ContentError if its checksum is wrong."""
    stored = content[chunk.begin : chunk.end]
    if zlib.crc32(stored) != chunk.checksum:
        place = format_count(chunk.begin)
        raise ContentError(f"it is damaged: the checksum of the chunk at {place} is wrong")
    return stored


def unpack(stored: memoryview, chunk: Chunk) -> memoryview | bytes:
    """Unpack a chunk's content. Raises ContentError."""
    try:
        if chunk.packing == LZ4:
            return _loops.unpack_lz4(stored, chunk.raw_bytes)
        if chunk.packing == DEFLATE:
            return _inflate(stored, chunk.raw_bytes)
    except (ValueError, zlib.error) as error:
        raise ContentError(f"it is damaged: {error}") from None
    if chunk.packing != PLAIN or len(stored) != chunk.raw_bytes:
        place = format_count(chunk.begin)
        raise ContentError(f"it is damaged: the chunk at {place} has an unknown packing")
    return stored


def _inflate(stored: memoryview, raw_bytes: int) -> bytes:
    """Unpack DEFLATE, up to ``raw_bytes``. Raises ValueError, zlib.error."""
    inflater = zlib.decompressobj()
    raw = inflater.decompress(stored, raw_bytes + 1)
    if len(raw) != raw_bytes or not inflater.eof:
        raise ValueError("a chunk unpacks to another size than its head says")
    return raw


def list_chunks(content: Parts, progress: Callable[[float], None]) -> ChunkList:
    """List all chunks of a session file. ``progress`` receives the share done. Raises ContentError,
    OSError."""
    if bytes(content[: len(MAGIC)]) != MAGIC:
        if bytes(content[:11]) == MAGIC[:11]:
            raise ContentError("it is a session file of a later version of Stackglass")
        raise ContentError("it is not a memory trace", "stackglass top FILE reads other profiles")
    found = _read_index(content)
    if found is not None:
        return ChunkList(found, is_whole=True)
    return ChunkList(_walk(content, progress), is_whole=False)


def _read_head(content: Parts, offset: int) -> Chunk | None:
    """Return the chunk at an offset; None = there is no complete chunk."""
    begin = offset + _HEAD.size
    if offset < len(MAGIC) or begin > len(content):
        return None
    head = _HEAD.unpack(content[offset:begin])
    magic, kind, packing, _, stored, raw, checksum, generation, _ = head
    if magic != _CHUNK_MAGIC or stored > _MOST_STORED_BYTES or raw > MOST_RAW_BYTES:
        return None
    if begin + stored > len(content):
        return None
    return Chunk(kind, packing, begin, begin + stored, raw, checksum, generation, None)


def _read_index(content: Parts) -> list[Chunk] | None:
    """Return the chunks from the index; None = there is no index, or it is damaged."""
    if len(content) < len(MAGIC) + _TRAILER.size:
        return None
    offset, n_chunks, magic = _TRAILER.unpack(content[len(content) - _TRAILER.size :])
    if magic != _TRAILER_MAGIC:
        return None
    index = _read_head(content, offset)
    if index is None or index.kind != INDEX:
        return None
    try:
        rows = unpack(read_content(content, index), index)
    except ContentError:
        return None
    if len(rows) % _ROW.size or len(rows) // _ROW.size + 1 != n_chunks:
        return None
    chunks = []
    for place, kind, generation, n_events, _, first_ns, last_ns in _ROW.iter_unpack(rows):
        chunk = _read_head(content, place)
        if chunk is None or (chunk.kind, chunk.generation) != (kind, generation):
            return None
        if not 0 <= first_ns <= last_ns < _MOST_TIME_NS and kind == EVENTS:
            return None
        chunks.append(chunk._replace(row=(n_events, first_ns, last_ns)))
    return chunks


def _walk(content: Parts, progress: Callable[[float], None]) -> list[Chunk]:
    """Return the chunks up to the last complete one."""
    chunks: list[Chunk] = []
    offset = len(MAGIC)
    while (chunk := _read_head(content, offset)) is not None:
        if chunk.kind == INDEX or zlib.crc32(content[chunk.begin : chunk.end]) != chunk.checksum:
            break
        chunks.append(chunk)
        offset = -(-chunk.end // 8) * 8
        progress(offset / len(content))
    return chunks
