"""Reader and replay of session files, written after docs/session-file.md alone."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from harness.event_blocks import DTYPES
from stackglass.wire import messages, reader
from stackglass.wire.framing import FrameReader
from stackglass_viewer.native import _loops

_HEAD = struct.Struct("<IBBHIIIIQ")
_ROW = struct.Struct("<QIIIIqq")
SPAN, SPAN_ALLOC, SPAN_FREE = 128, 129, 130
OBJECT, OBJECT_ALLOC, OBJECT_FREE = 131, 132, 133
STACK, STACK_ALLOC, STACK_FREE = 134, 135, 136
COLLECTED, REALLOC, TYPE, RECYCLED = 160, 161, 162, 163
COLLECTION_BEGIN, COLLECTION_END, REGION_BEGIN, REGION_END, LOST = 164, 165, 166, 167, 168
NEW = frozenset((OBJECT, OBJECT_ALLOC, REALLOC))
FREES = frozenset((OBJECT_FREE, COLLECTED))
MEM, OBJ, RAW, NATIVE, MMAP = range(5)


class Chunk(NamedTuple):
    offset: int
    kind: int
    packing: int
    generation: int
    stored: bytes
    raw_bytes: int

    def unpack(self) -> bytes:
        return _loops.unpack_lz4(self.stored, self.raw_bytes) if self.packing else self.stored


class SessionFile:
    """Content of a file; ``is_whole``: whether it has its trailer."""

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        assert content[:16] == b"stackglass 1\n\0\0\0"
        self.chunks = list(_walk(content))
        self.is_whole = content[-8:] == b"sgindex\n"
        self.index: list[tuple[int, ...]] = []
        if self.is_whole:
            offset, n_chunks = struct.unpack("<QQ", content[-24:-8])
            assert n_chunks == len(self.chunks)
            assert self.chunks[-1].offset == offset
            assert self.chunks[-1].kind == 3
            self.index = list(_ROW.iter_unpack(self.chunks[-1].unpack()))
            assert [row[0] for row in self.index] == [c.offset for c in self.chunks[:-1]]
        self.messages: list[messages.Message] = []
        self.strings: list[str] = []
        self.node_parent: list[int] = []
        self.node_location: list[int] = []
        self.location_function: list[int] = []
        self.location_line: list[int] = []
        self.function_name: list[int] = []
        for chunk in self.chunks:
            if chunk.kind == 1:
                self._add_messages(chunk.unpack())

    def _add_messages(self, content: bytes) -> None:
        frames = FrameReader()
        for message in map(reader.decode, frames.feed(content)):
            assert message is not None
            self.messages.append(message)
            if isinstance(message, messages.Batch):
                self.strings += message.strings
                self.node_parent += message.node_parent
                self.node_location += message.node_location
                self.location_function += message.location_function
                self.location_line += message.location_line
                self.function_name += message.function_name
        frames.finish()

    @property
    def info(self) -> messages.MemoryInfo:
        """The last ``MemoryInfo``."""
        return [m for m in self.messages if isinstance(m, messages.MemoryInfo)][-1]

    @property
    def first_info(self) -> messages.MemoryInfo:
        return next(m for m in self.messages if isinstance(m, messages.MemoryInfo))

    def list_blocks(self) -> Iterator[dict[str, npt.NDArray[np.generic]]]:
        for chunk in self.chunks:
            if chunk.kind == 2:
                columns = _loops.decode_event_block(chunk.stored, chunk.packing, chunk.raw_bytes)
                yield {name: np.asarray(column) for name, column in columns.items()}

    def list_events(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return all events as columns, ordered by time, because blocks may overlap."""
        blocks = list(self.list_blocks())
        columns = {
            name: np.concatenate([block[name] for block in blocks] or [np.empty(0, dtype)])
            for name, dtype in DTYPES.items()
        }
        order = np.argsort(columns["time_ns"], kind="stable")
        return {name: column[order] for name, column in columns.items()}

    def name_stack(self, node: int) -> list[str]:
        """Return the functions of a stack, leaf first."""
        names = []
        while node:
            function = self.location_function[self.node_location[node]]
            names.append(self.strings[self.function_name[function]])
            node = self.node_parent[node]
        return names

    def line_of(self, node: int) -> int:
        return self.location_line[self.node_location[node]]


def _walk(content: bytes) -> Iterator[Chunk]:
    at = 16
    while at + _HEAD.size <= len(content):
        magic, kind, packing, zero, stored, raw, crc, generation, more = _HEAD.unpack_from(
            content, at
        )
        body = content[at + _HEAD.size : at + _HEAD.size + stored]
        if magic != 0x4B434753 or len(body) < stored or zlib.crc32(body) != crc:
            return
        assert (zero, more) == (0, 0)
        yield Chunk(at, kind, packing, generation, body, raw)
        at += _HEAD.size + stored + -stored % 8


class Replay:
    """Live blocks by address after some events, and events that did not match."""

    def __init__(self) -> None:
        self.live: dict[int, tuple[int, int, int, int]] = {}  # size, stack, type, domain
        self.spans: dict[int, int] = {}
        self.stacks: dict[int, int] = {}
        self.n_unknown_frees: Counter[int] = Counter()  # by domain
        self.n_doubled: Counter[int] = Counter()
        self.counts: Counter[int] = Counter()
        self.n_lost = 0

    def apply(self, events: dict[str, npt.NDArray[np.generic]]) -> Replay:
        kinds, counts = np.unique(events["kind"], return_counts=True)
        self.counts.update(dict(zip(kinds.tolist(), counts.tolist(), strict=True)))
        live = self.live
        names = ("kind", "address", "size", "stack", "type", "domain", "other")
        for kind, address, size, stack, type_, domain, other in zip(
            *(events[name].tolist() for name in names), strict=True
        ):
            if kind in NEW:
                if kind == REALLOC and live.pop(other, None) is None:
                    self.n_unknown_frees[domain] += 1
                if address in live:
                    self.n_doubled[domain] += 1
                live[address] = (size, stack, type_, domain)
            elif kind in FREES:
                if live.pop(address, None) is None:
                    self.n_unknown_frees[domain] += 1
            elif kind == TYPE and address in live:
                size, stack, _, domain = live[address]
                live[address] = (size, stack, type_, domain)
            elif kind in (SPAN, SPAN_ALLOC):
                self.spans[address] = size
            elif kind == SPAN_FREE:
                self.spans.pop(address, None)
            elif kind in (STACK, STACK_ALLOC):
                self.stacks[address] = size
            elif kind == STACK_FREE:
                self.stacks.pop(address, None)
            elif kind == LOST:
                self.n_lost += size
        return self
