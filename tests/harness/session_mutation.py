"""Mutations of session files inside their chunks, with correct checksums."""

from __future__ import annotations

import io
import random
import struct
from collections.abc import Callable

from harness.event_blocks import EventBlock
from harness.session_writer import SessionWriter
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.session.chunks import (
    EVENTS,
    FUNCTIONS,
    MESSAGES,
    NOTES,
    PLAIN,
    PROFILE,
    TIMES,
    Chunk,
    list_chunks,
    unpack,
)

Mutate = Callable[[bytes], bytes]


def mutate_session(content: bytes, rng: random.Random, mutate: Mutate) -> bytes | None:
    """Return the file with one changed chunk and its new checksum; None = not a session file."""
    view = memoryview(content)
    try:
        chunks = list_chunks(view, lambda _share: None).chunks
        raw = [bytes(unpack(view[chunk.begin : chunk.end], chunk)) for chunk in chunks]
    except (ContentError, struct.error):
        return None
    if not chunks:
        return None
    chosen = rng.randrange(len(chunks))
    raw[chosen] = mutate(raw[chosen])
    file = io.BytesIO()
    writer = SessionWriter(file)
    for chunk, part in zip(chunks, raw, strict=True):
        _write(writer, chunk, part)
    if rng.random() < 0.7:
        writer.finish()
    return file.getvalue()


def _write(writer: SessionWriter, chunk: Chunk, raw: bytes) -> None:
    if chunk.kind in (MESSAGES, NOTES, PROFILE, TIMES, FUNCTIONS):
        writer.add_raw(chunk.kind, raw)
    elif chunk.kind == EVENTS:
        n_events, first_ns, last_ns = chunk.row or (0, 0, 0)
        block = EventBlock(raw, PLAIN, len(raw), n_events, first_ns, last_ns)
        writer.add_events(block, chunk.generation)
