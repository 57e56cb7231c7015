"""Writer of session files for tests: definitions as messages, events by the engine's encoder."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from harness.event_blocks import EventBlock, encode_block
from harness.traced_memory import ListedSource
from native import _core_testing
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.memory_trace.events import DTYPES
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.model.session.chunks import EVENTS, INDEX, LZ4, MAGIC, MESSAGES, PLAIN

_HEAD = struct.Struct("<IBBHIIIIQ")
_ROW = struct.Struct("<QIIIIqq")


class SessionWriter:
    """Writes chunks one after the other."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._rows: list[bytes] = []
        self._at = len(MAGIC)
        file.write(MAGIC)

    def add_messages(self, messages: Iterable[wire_pb2.FromEngine], packing: int = LZ4) -> None:
        raw = b"".join(_frame(message.SerializeToString()) for message in messages)
        stored = raw
        if packing == LZ4:
            stored = _core_testing.pack_lz4(raw, len(raw) + 64)
        self._add(MESSAGES, stored, packing, len(raw))

    def add_raw(self, kind: int, raw: bytes) -> None:
        """Write a chunk with this content."""
        self._add(kind, raw, PLAIN, len(raw))

    def add_events(self, block: EventBlock, generation: int = 0) -> None:
        row = (block.n_events, block.first_ns, block.last_ns)
        self._add(EVENTS, block.payload, block.packing, block.raw_bytes, generation, row)

    def finish(self) -> None:
        """Write the index and the trailer."""
        rows, offset = b"".join(self._rows), self._at
        n_chunks = len(self._rows) + 1
        self._add(INDEX, rows, PLAIN, len(rows))
        self._file.write(struct.pack("<QQ8s", offset, n_chunks, b"sgindex\n"))

    def _add(
        self,
        kind: int,
        stored: bytes,
        packing: int,
        raw_bytes: int,
        generation: int = 0,
        row: tuple[int, int, int] = (0, 0, 0),
    ) -> None:
        n_events, first_ns, last_ns = row
        self._rows.append(_ROW.pack(self._at, kind, generation, n_events, 0, first_ns, last_ns))
        head = _HEAD.pack(
            *(0x4B434753, kind, packing, 0, len(stored), raw_bytes, zlib.crc32(stored)),
            *(generation, 0),
        )
        padded = stored + bytes(-len(stored) % 8)
        self._file.write(head + padded)
        self._at += len(head) + len(padded)


def _frame(content: bytes) -> bytes:
    size, head = len(content), b""
    while size >= 0x80:
        head += bytes((size & 0x7F | 0x80,))
        size >>= 7
    return head + bytes((size,)) + content


def make_ready(python_version: str = "3.13.0") -> wire_pb2.FromEngine:
    return wire_pb2.FromEngine(
        ready=wire_pb2.Ready(
            python_version=python_version,
            executable="/usr/bin/python3",
            argv=["app.py"],
            time_unix_ns=1_700_000_000_000_000_000,
            time_mono_ns=5_000,
        )
    )


def make_batch(tables: DefinitionColumns, threads: dict[int, str]) -> wire_pb2.FromEngine:
    """Make a message with definitions, as the engine sends it."""
    strings = [*tables.strings, *threads.values()]
    return wire_pb2.FromEngine(
        batch=wire_pb2.Batch(
            strings=strings,
            function_name=tables.function_name.tolist(),
            function_system_name=tables.function_system_name.tolist(),
            function_filename=tables.function_filename.tolist(),
            function_start_line=tables.function_start_line.tolist(),
            location_function=tables.location_function.tolist(),
            location_line=tables.location_line.tolist(),
            node_parent=tables.node_parent.tolist(),
            node_location=tables.node_location.tolist(),
            thread_tid=list(threads),
            thread_name=[len(tables.strings) + at for at in range(len(threads))],
        )
    )


def write_session(source: ListedSource, path: Path, is_whole: bool = True) -> Path:
    """Write a session file with a source's events and names. Returns its path."""
    with path.open("wb") as file:
        writer = SessionWriter(file)
        names = source.names
        writer.add_messages([make_ready(), make_batch(names.definitions, dict(names.threads))])
        for events, generation in zip(
            source.listed, source.blocks.generation.tolist(), strict=True
        ):
            columns = {name: getattr(events, name) for name in DTYPES}
            writer.add_events(encode_block(columns), generation)
        if is_whole:
            writer.finish()
    return path
