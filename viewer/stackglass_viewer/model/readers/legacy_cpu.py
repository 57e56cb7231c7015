"""Reader of the binary CPU profiles of gperftools and of Go before 1.7.

A file consists of words of 32 or 64 bits in either byte order: ``0 3 0 period_us 0``, then records
``count depth pc…``, leaf first, then ``0 1 0`` and the text of ``/proc/self/maps``. A stack may
come many times. The third word is 1 for a Java program; ``legacy_java`` reads the text after its
samples.

If nearly all samples have the same second frame, it may be a signal handler's, left by an unwinder.
pprof drops such a frame, up to two times, and so does this reader, with a warning: a function that
calls everything looks the same. No frame is dropped from a file that names its functions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from stackglass_viewer.model.columns.index import UInt64s
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_profile import AddressSamples
from stackglass_viewer.model.readers.legacy_java import build_java
from stackglass_viewer.model.readers.process_maps import read_mappings
from stackglass_viewer.model.readers.sample_columns import Symbol
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    drop_second_leaf,
    find_calls,
    ignore_progress,
)

_WORDS = ("<u4", ">u4", "<u8", ">u8")
_HEADER_WORDS = 5
_JAVA = 1
_NS_PER_US = 1000
_CPU = SampleType("cpu", "nanoseconds")
_TYPES = (SampleType("samples", "count"), _CPU)
_MAX_SHARED = 2
_SAMPLES_AN_EXCEPTION = 32
_REPORT_EVERY = 1024  # records
_SHARE_OF_RECORDS = 0.5  # part of the progress
_DROPPED = (
    "{} frames are left out: nearly all samples have the same second frame, as a signal handler "
    "leaves it, or a function that calls everything"
)
_SYMBOL = re.compile(rb"#\s+0x([0-9a-f]+)\s+(.+?)\t(.*):(\d+)", re.IGNORECASE)


def find_word(content: bytes | bytearray) -> str | None:
    """Return the numpy dtype of the words; None = ``content`` does not begin like such a
    profile."""
    for word in _WORDS:
        size = _HEADER_WORDS * np.dtype(word).itemsize
        if len(content) < size:
            continue
        header = np.frombuffer(content[:size], dtype=word)
        if header[0] == 0 and header[1] == 3 and header[2] in (0, _JAVA) and header[4] == 0:
            return word
    return None


def read_legacy_cpu(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ProfileError if ``find_word`` returns None or if the file is cut
    off, and what ``progress`` raises."""
    word = find_word(content)
    if word is None:
        raise ProfileError("it is not a binary CPU profile")
    size = np.dtype(word).itemsize
    words = np.frombuffer(content[: len(content) // size * size], dtype=word).astype(np.uint64)
    period_ns = int(words[3]) * _NS_PER_US
    records, end = _read_records(words, progress)
    lines = bytes(content[end * size :]).splitlines()
    samples = AddressSamples(_TYPES)
    if words[2] == _JAVA:
        for count, stack in records:
            samples.add([count, count * period_ns], stack)
        return build_java(samples, lines, _CPU, period_ns)
    symbols = dict(_read_symbols(lines))
    counts = [count for count, _ in records]
    stacks = [_find_calls(stack) for _, stack in records]
    n_dropped = 0 if symbols else _drop_shared(stacks)
    for number, (count, stack) in enumerate(zip(counts, stacks, strict=True)):
        samples.add([count, count * period_ns], drop_second_leaf(stack))
        if number % _REPORT_EVERY == 0:
            progress(_SHARE_OF_RECORDS + (1 - _SHARE_OF_RECORDS) * number / len(counts))
    warnings = (_DROPPED.format(n_dropped),) if n_dropped else ()
    return samples.build(read_mappings(lines), symbols, _CPU, period_ns, warnings=warnings)


def _read_records(words: UInt64s, progress: Progress) -> tuple[list[tuple[int, list[int]]], int]:
    """Return the count and addresses of each record, and the index of the word after the end
    mark."""
    records: list[tuple[int, list[int]]] = []
    at, n_words = _HEADER_WORDS, len(words)
    while True:
        if at + 2 > n_words:
            raise ProfileError(f"the profile is cut off after {at} words, before its end mark")
        count, depth = int(words[at]), int(words[at + 1])
        if depth < 1 or at + 2 + depth > n_words:
            raise ProfileError(
                f"word {at + 1} gives a stack depth of {depth} frames, which is impossible"
            )
        addresses = words[at + 2 : at + 2 + depth].tolist()
        at += 2 + depth
        if count == 0 and addresses == [0]:
            return records, at
        records.append((count, addresses))
        if len(records) % _REPORT_EVERY == 0:
            progress(_SHARE_OF_RECORDS * at / n_words)


def _find_calls(addresses: list[int]) -> list[int]:
    """Return the addresses of calls. All but the leaf are return addresses, after the call."""
    return [addresses[0], *find_calls(addresses[1:])]


def _drop_shared(stacks: list[list[int]]) -> int:
    """Remove the second frame if all but 1/32 of the samples share it, up to two times. Returns the
    number of frames removed."""
    n_dropped = 0
    for _ in range(_MAX_SHARED):
        seconds = Counter(stack[1] for stack in stacks if len(stack) > 1)
        shared, n = seconds.most_common(1)[0] if seconds else (0, 0)
        if not n or n < len(stacks) - len(stacks) // _SAMPLES_AN_EXCEPTION:
            break
        for stack in stacks:
            if len(stack) > 1 and stack[1] == shared:
                del stack[1]
        n_dropped += n
    return n_dropped


def _read_symbols(lines: list[bytes]) -> Iterator[tuple[int, tuple[Symbol]]]:
    for match in map(_SYMBOL.match, lines):
        if match:
            name, file = (match[group].decode(errors="replace") for group in (2, 3))
            yield int(match[1], 16), (Symbol(name, file, int(match[4])),)
