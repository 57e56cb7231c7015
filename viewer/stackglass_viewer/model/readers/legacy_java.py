"""Reader of the profiles of Java programs from before protobuf: heap, contention, CPU.

::

    --- heapz 1 ---
    format = java
    resolution = bytes
              4752     9 @ 0x0000002b 0x0000002c
     0x0000002b com.example.load (Source.java:12)

The value comes before the count. Addresses are ids of places; the lines at the end name the places.
A loop in C reads samples in plain form.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, freeze
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_names import AddressNames
from stackglass_viewer.model.readers.address_profile import AddressSamples
from stackglass_viewer.model.readers.address_rows import AddressRows, RowForm, RowReader
from stackglass_viewer.model.readers.frame_pruning import prune
from stackglass_viewer.model.readers.heap_text import unsample, unsample_rows
from stackglass_viewer.model.readers.legacy_frames import DropFrames, choose_drop_frames
from stackglass_viewer.model.readers.sample_columns import Label, Symbol, check_values
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    ignore_progress,
    parse_addresses,
    parse_number,
    quote_line,
)

_BEGINNING = re.compile(
    rb"\s*--- (heapz|contentionz) 1 ---[^\S\n]*\n"
    rb"(?:[^\n@=]*=[^\n]*\n|[^\S\n]*\n)*?[^\S\n]*(format|resolution) *="
)
_ATTRIBUTE = re.compile(rb"(?<![\w ])([\w ]++)=([\w ]+)")
_SAMPLE = re.compile(rb" *(\d+) +(\d+) +@ +([ x0-9a-f]*)")
_PLACE = re.compile(rb"\s*0x([0-9a-fA-F]{1,16})\s++(.*)")
_LINE = re.compile(r"-?\d{1,18}")
_STUB = "generated stub/JIT"
_HEAP_RATE_BYTES = 524_288
_NS_PER_MS = 1_000_000
_PERIOD, _DURATION_MS = b"sampling period", b"ms since reset"
_NUMBER = re.compile(rb"0|[1-9]\d{0,17}")
_HEAP, _CONTENTION = b"heapz", b"contentionz"
_NAMES = {_HEAP: ("inuse_objects", "inuse_space"), _CONTENTION: ("contentions", "delay")}


def is_java_text(head: bytes) -> bool:
    """Whether a file begins like a heap or contention profile of a Java program."""
    return _BEGINNING.match(head) is not None


def read_java_text(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a heap or contention profile. Raises ContentError, with the line that cannot be read."""
    found = _BEGINNING.match(bytes(content[:4096]))
    if found is None:
        raise ContentError("it is not a profile of a Java program")
    kind = found[1]
    rows = RowReader(content, progress)
    attributes = _read_header(rows)
    if attributes.get(b"format", b"java") != b"java":
        raise ContentError(f"its format is {quote_line(attributes[b'format'])}, not java")
    unit = attributes.get(b"resolution", b"").decode()
    names = _NAMES[kind]
    samples = AddressSamples([SampleType(names[0], "count"), SampleType(names[1], unit)])
    period = int(attributes.get(_PERIOD, b"0"))
    _read_samples(rows, samples, kind, period)
    period_type = SampleType("contentions", "count") if _PERIOD in attributes else None
    duration_ns = int(attributes.get(_DURATION_MS, b"0")) * _NS_PER_MS
    rest = rows.list_rest()
    return build_java(samples, rest, period_type or SampleType("", ""), period, duration_ns)


def _read_header(rows: RowReader) -> dict[bytes, bytes]:
    """Return the attributes above the samples."""
    attributes: dict[bytes, bytes] = {}
    while (taken := rows.take_line()) and not taken[1].strip():
        pass  # up to the line that names the kind of profile
    while taken := rows.take_line():
        number, line = taken
        found = _ATTRIBUTE.search(line)
        if found:
            name, value = found[1].strip(), found[2].strip()
            if name in (_PERIOD, _DURATION_MS) and not _NUMBER.fullmatch(value):
                raise ContentError(f"line {number} gives no number: {quote_line(line)}")
            attributes[name] = value
        elif line.strip():
            rows.go_back()
            break
    return attributes


def _read_samples(rows: RowReader, samples: AddressSamples, kind: bytes, period: int) -> None:
    """Read samples into ``samples``, up to the first line that is not a sample."""
    while True:
        _add_rows(rows.read(RowForm.JAVA), samples, kind, period)
        taken = rows.take_line()
        if taken is None:
            return
        number, line = taken
        found = _SAMPLE.match(line)
        if found:
            size, count = (parse_number(each) for each in found.groups()[:2])
            labels: list[Label] = []
            if kind == _HEAP:
                if count == 0:
                    raise ContentError(f"line {number} has no count: {quote_line(line)}")
                labels = [Label("bytes", None, size // count)]
                count, size = unsample(count, size, _HEAP_RATE_BYTES)
            elif period:
                count, size = count * period, size * period
            samples.add([count, size], parse_addresses(found[3]), labels)
        elif line.strip():
            rows.go_back()
            return


def _add_rows(rows: AddressRows, samples: AddressSamples, kind: bytes, period: int) -> None:
    if not len(rows):
        return
    values = np.ascontiguousarray(rows.values[:, ::-1])  # counts, sizes
    numbers: tuple[str, Int64s] | None = None
    if kind == _HEAP:
        numbers = ("bytes", values[:, 1] // values[:, 0])
        values = unsample_rows(values, _HEAP_RATE_BYTES)
    elif period:
        too_many = values[values > np.iinfo(np.int64).max // period]
        check_values([int(each) * period for each in too_many[:1]])  # the error names the first
        values *= period
    samples.add_rows(values, rows.addresses, rows.ends, (), numbers)


def build_java(
    samples: AddressSamples,
    lines: Iterable[bytes],
    period_type: SampleType,
    period: int,
    duration_ns: int = 0,
) -> Profile:
    """Build a profile of samples whose addresses are ids of the places that ``lines`` name."""
    profile = samples.build([], _read_places(lines), period_type, period, duration_ns)
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


def _read_places(lines: Iterable[bytes]) -> AddressNames:
    places = AddressNames(takes_last=True)
    file_of = array("i")  # by name: the first file named, as in pprof; -1 = none yet
    for line in lines:
        if found := _PLACE.fullmatch(line):
            name, file, number = _parse_place(found[2].rstrip().decode(errors="replace"))
            of_name = places.number(name)
            while len(file_of) <= of_name:
                file_of.append(-1)
            if file_of[of_name] < 0:
                file_of[of_name] = places.number(file)
            symbol = Symbol(name, places.texts[file_of[of_name]], number)
            places.add(int(found[1], 16), (symbol,))
    return places


def _parse_place(text: str) -> Symbol:
    """Parse a function with its file and line, or with its library; other texts are states of the
    Java virtual machine."""
    if text.endswith(")"):
        rest, _, line = text[:-1].rpartition(":")
        if _LINE.fullmatch(line) and (found := _split_bracket(rest, 1)):
            return Symbol(*found, max(int(line), 0))
        if found := _split_bracket(text[:-1], 0):
            return Symbol(found[0], PurePosixPath(found[1]).name, 0)
    return Symbol("STUB" if _STUB in text else text, "", 0)


def _split_bracket(text: str, n_least: int) -> tuple[str, str] | None:
    """Split ``name (place`` at the last bracket that is behind a space and before at least
    ``n_least`` letters; None = there is none."""
    at = len(text) - n_least
    while (at := text.rfind("(", 0, at)) > 0:
        if text[at - 1].isspace():
            return text[: at - 1], text[at + 1 :]
    return None
