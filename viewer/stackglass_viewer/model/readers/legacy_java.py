"""Reader of the profiles of Java programs from before protobuf: heap, contention, CPU.

::

    --- heapz 1 ---
    format = java
    resolution = bytes
              4752     9 @ 0x0000002b 0x0000002c
     0x0000002b com.example.load (Source.java:12)

The value comes before the count. Addresses are ids of places; the lines at the end name the places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from stackglass_viewer.model.columns.index import freeze
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_profile import AddressSamples
from stackglass_viewer.model.readers.frame_pruning import prune
from stackglass_viewer.model.readers.heap_text import unsample
from stackglass_viewer.model.readers.legacy_frames import DropFrames, choose_drop_frames
from stackglass_viewer.model.readers.sample_columns import Label, Symbol
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    ignore_progress,
    list_lines,
    parse_addresses,
    quote_line,
)

_BEGINNING = re.compile(
    rb"\s*--- (heapz|contentionz) 1 ---\s*\n(?:[^\n@]*=[^\n]*\n|\s*\n)*?\s*(format|resolution) *="
)
_ATTRIBUTE = re.compile(rb"([\w ]+)=([\w ]+)")
_SAMPLE = re.compile(rb" *(\d+) +(\d+) +@ +([ x0-9a-f]*)")
_PLACE = re.compile(rb"\s*0x([0-9a-fA-F]{1,16})\s+(.*?)\s*")
_FILE_LINE = re.compile(r"(.*)\s+\((.+):(-?\d{1,18})\)")
_LIBRARY = re.compile(r"(.*)\s+\((.*)\)")
_STUB = "generated stub/JIT"
_HEAP_RATE_BYTES = 524_288
_NS_PER_MS = 1_000_000
_HEAP, _CONTENTION = b"heapz", b"contentionz"
_NAMES = {_HEAP: ("inuse_objects", "inuse_space"), _CONTENTION: ("contentions", "delay")}


def is_java_text(head: bytes) -> bool:
    """Whether a file begins like a heap or contention profile of a Java program."""
    return _BEGINNING.match(head) is not None


def read_java_text(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a heap or contention profile. Raises ProfileError, with the line that cannot be read."""
    found = _BEGINNING.match(bytes(content[:4096]))
    if found is None:
        raise ProfileError("it is not a profile of a Java program")
    kind = found[1]
    lines = ((number, line) for number, line in enumerate(list_lines(content, progress), 1))
    attributes, first = _read_header(lines)
    if attributes.get(b"format", b"java") != b"java":
        raise ProfileError(f"its format is {attributes[b'format'].decode()!r}, not java")
    unit = attributes.get(b"resolution", b"").decode()
    names = _NAMES[kind]
    samples = AddressSamples([SampleType(names[0], "count"), SampleType(names[1], unit)])
    period = int(attributes.get(b"sampling period", b"0"), 0)
    rest = _read_samples(first, lines, samples, kind, period)
    period_type = SampleType("contentions", "count") if b"sampling period" in attributes else None
    duration_ns = int(attributes.get(b"ms since reset", b"0"), 0) * _NS_PER_MS
    return build_java(samples, rest, period_type or SampleType("", ""), period, duration_ns)


def _read_header(
    lines: Iterator[tuple[int, bytes]],
) -> tuple[dict[bytes, bytes], tuple[int, bytes]]:
    """Return the attributes, and the first line after them, with its number."""
    attributes: dict[bytes, bytes] = {}
    next(lines)  # the line that names the kind of profile
    for number, line in lines:
        found = _ATTRIBUTE.search(line)
        if found:
            name, value = found[1].strip(), found[2].strip()
            if name in (b"sampling period", b"ms since reset") and not value.isdigit():
                raise ProfileError(f"line {number} gives no number: {quote_line(line)}")
            attributes[name] = value
        elif line.strip():
            return attributes, (number, line)
    return attributes, (0, b"")


def _read_samples(
    first: tuple[int, bytes],
    lines: Iterator[tuple[int, bytes]],
    samples: AddressSamples,
    kind: bytes,
    period: int,
) -> Iterator[bytes]:
    """Read samples into ``samples``, and yield the lines after them."""
    number, line = first
    while (found := _SAMPLE.match(line)) or not line.strip():
        if found:
            size, count = int(found[1]), int(found[2])
            labels: list[Label] = []
            if kind == _HEAP:
                if count == 0:
                    raise ProfileError(f"line {number} has no count: {quote_line(line)}")
                labels = [Label("bytes", None, size // count)]
                count, size = unsample(count, size, _HEAP_RATE_BYTES)
            elif period:
                count, size = count * period, size * period
            samples.add([count, size], parse_addresses(found[3]), labels)
        number, line = next(lines, (0, b"end"))
    yield line
    for _, line in lines:
        yield line


def build_java(
    samples: AddressSamples,
    lines: Iterable[bytes],
    period_type: SampleType,
    period: int,
    duration_ns: int = 0,
) -> Profile:
    """Build a profile of samples whose addresses are ids of the places that ``lines`` name."""
    rest = list(lines)  # consuming the lines adds the samples
    profile = samples.build([], _read_places(rest), period_type, period, duration_ns)
    addresses = np.zeros_like(profile.locations.address)
    freeze(addresses)
    dropped: DropFrames = choose_drop_frames(profile.sample_types)
    return prune(
        replace(
            profile,
            locations=replace(profile.locations, address=addresses),
            drop_frames=dropped.drop,
            keep_frames=dropped.keep,
        )
    )


def _read_places(lines: Iterable[bytes]) -> Mapping[int, tuple[Symbol]]:
    places: dict[int, tuple[Symbol]] = {}
    file_of: dict[str, str] = {}  # by function: the first file named, as in pprof
    for line in lines:
        if found := _PLACE.fullmatch(line):
            name, file, number = _parse_place(found[2].decode(errors="replace"))
            file = file_of.setdefault(name, file)
            places[int(found[1], 16)] = (Symbol(name, file, number),)
    return places


def _parse_place(text: str) -> Symbol:
    """Parse a function with its file and line, or with its library; other texts are states of the
    Java virtual machine."""
    if found := _FILE_LINE.fullmatch(text):
        return Symbol(found[1], found[2], max(int(found[3]), 0))
    if found := _LIBRARY.fullmatch(text):
        return Symbol(found[1], PurePosixPath(found[2]).name, 0)
    return Symbol("STUB" if _STUB in text else text, "", 0)
