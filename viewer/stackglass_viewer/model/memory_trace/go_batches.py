"""Batches of Go's execution traces, version 2: finds the batches of each kind in a file.

::

    "go 1.26 trace\\0\\0\\0"
    batch     1 (events), or 49 and the experiment; generation, thread, time, length, content
    content   strings, stacks, CPU samples or clocks, by its first byte; else events
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.session.file_parts import Parts
from stackglass_viewer.model.units import format_count

_HEADER = re.compile(rb"go 1\.(\d\d) trace\x00\x00\x00")
_HEADER_BYTES = 16
OLDEST, NEWEST = 23, 26  # versions of the format, not of Go: 1.24 writes 23, 1.27 writes 26
_EVENTS, _EXPERIMENT, _END = 1, 49, 52
_STACKS, _STRINGS, _SAMPLES, _FREQUENCY, _SYNC, _CLOCK = 2, 4, 6, 8, 50, 51
_ALLOC_FREE = 1
_MOST_BATCH_BYTES = 64 << 10
_MOST_VARINT_BYTES = 10
_NS = 1_000_000_000


class Batch(NamedTuple):
    """Events of one thread."""

    begin: int  # offset of the content in the file
    end: int
    tid: int
    ticks: int  # time of the batch; its events' times are relative to that


class Geometry(NamedTuple):
    """The units in which IDs of spans, objects and stacks count from the lowest address."""

    minimum_address: int
    page_bytes: int
    alignment: int
    stack_bytes: int


@dataclass
class Generation:
    """The batches of one generation, about a second."""

    events: list[Batch] = field(default_factory=list)
    types: list[tuple[int, int]] = field(default_factory=list)  # begin and end of contents
    strings: list[tuple[int, int]] = field(default_factory=list)  # begin and end of contents


@dataclass
class GoBatches:
    """A file's batches by generation."""

    version: int
    generations: dict[int, Generation] = field(default_factory=dict)
    geometry: Geometry | None = None
    ticks_per_s: int = 0
    clock: tuple[int, int] | None = None  # a time in ticks, and the wall clock at that time, ns
    is_whole: bool = True


def read_varint(content: Parts, at: int) -> tuple[int, int]:
    """Return a varint and the offset behind it. Raises IndexError at the end of the content,
    ContentError if the number is too long."""
    value = 0
    for shift in range(0, 7 * _MOST_VARINT_BYTES, 7):
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (1 << 64) - 1, at
    raise ContentError("it is damaged: a number has more than 64 bits")


def list_batches(content: Parts, progress: Callable[[int], None]) -> GoBatches:
    """List the batches of a file. ``progress`` receives the offset. Raises ContentError."""
    found = _HEADER.match(bytes(content[:_HEADER_BYTES]))
    if found is None:
        raise ContentError("it is not a Go execution trace")
    batches = GoBatches(int(found[1]))
    if not OLDEST <= batches.version <= NEWEST:
        raise ContentError(
            f"it is a Go execution trace of version 1.{batches.version}; only versions "
            f"1.{OLDEST} to 1.{NEWEST} can be read"
        )
    at = _HEADER_BYTES
    while at < len(content):
        try:
            at = _read_batch(content, at, batches)
        except IndexError:
            batches.is_whole = False
            break
        progress(at)
    return batches


def _read_batch(content: Parts, at: int, batches: GoBatches) -> int:
    """Add the batch at ``at``, and return the offset behind it. Raises IndexError if the file ends
    within the batch."""
    kind, experiment = content[at], 0
    if kind == _END:
        return at + 1
    at += 1
    if kind == _EXPERIMENT:
        experiment = content[at]
        at += 1
    elif kind != _EVENTS:
        offset = format_count(at - 1)
        raise ContentError(f"it is damaged: byte {offset} is not a batch of a Go execution trace")
    generation, at = read_varint(content, at)
    tid, at = read_varint(content, at)
    ticks, at = read_varint(content, at)
    size, at = read_varint(content, at)
    if size > _MOST_BATCH_BYTES:
        raise ContentError("it is damaged: a batch has more than 64 KiB")
    if at + size > len(content):
        raise IndexError
    _sort_batch(content, Batch(at, at + size, tid, ticks), experiment, generation, batches)
    return at + size


def _sort_batch(
    content: Parts, batch: Batch, experiment: int, number: int, batches: GoBatches
) -> None:
    """Add a batch to the lists or facts that its first byte belongs to."""
    if batch.begin == batch.end:
        return
    first = content[batch.begin]
    generation = batches.generations.setdefault(number, Generation())
    if experiment == _ALLOC_FREE:
        if first == 0:
            generation.types.append((batch.begin + 1, batch.end))
        elif first == 1:
            batches.geometry = _read_geometry(content[batch.begin + 1 : batch.end])
    elif experiment == 0 and first in (_FREQUENCY, _SYNC):
        _read_clocks(content[batch.begin : batch.end], batch.ticks, batches)
    elif experiment == 0 and first == _STRINGS:
        generation.strings.append((batch.begin + 1, batch.end))
    elif experiment == 0 and first not in (_STACKS, _SAMPLES, _END):
        generation.events.append(batch)


def _read_geometry(content: Parts) -> Geometry:
    numbers, at = [], 0
    try:
        for _ in Geometry._fields:
            number, at = read_varint(content, at)
            numbers.append(number)
    except IndexError:
        raise ContentError("it is damaged: its description of memory is cut off") from None
    geometry = Geometry(*numbers)
    units = (geometry.page_bytes, geometry.alignment, geometry.stack_bytes)
    if not all(0 < unit <= 1 << 30 for unit in units):
        raise ContentError("it is damaged: its units of memory are impossible")
    return geometry


def _read_clocks(content: Parts, ticks: int, batches: GoBatches) -> None:
    at = 0
    try:
        while at < len(content):
            code = content[at]
            at += 1
            if code == _FREQUENCY:
                batches.ticks_per_s, at = read_varint(content, at)
            elif code == _CLOCK:
                numbers = []
                for _ in range(4):
                    number, at = read_varint(content, at)
                    numbers.append(number)
                if batches.clock is None:
                    batches.clock = (ticks + numbers[0], numbers[2] * _NS + numbers[3])
            elif code != _SYNC:
                return
    except IndexError:
        raise ContentError("it is damaged: its clocks are cut off") from None
