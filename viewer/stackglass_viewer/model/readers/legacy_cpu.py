"""Reader of the binary CPU profiles of gperftools and of Go before 1.7.

Words of 32 or 64 bits in either order: ``0 3 0 period_us 0``, then ``count depth pc…`` leaf first,
then ``0 1 0`` and the text of ``/proc/self/maps``. The same stack may come many times.

pprof deletes the second frame of every stack when nearly all samples share it, as the frame of a
signal handler that an unwinder left there. pprof cannot distinguish it from a function that calls
everything, and such a caller would vanish: nothing is deleted here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from stackglass_viewer.model.columns.index import UInt64s
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_profile import AddressSamples
from stackglass_viewer.model.readers.process_maps import read_mappings
from stackglass_viewer.model.readers.sample_columns import Symbol

_WORDS = ("<u4", ">u4", "<u8", ">u8")
_HEADER_WORDS = 5
_JAVA = 1
_NS_PER_US = 1000
_CPU = SampleType("cpu", "nanoseconds")
_SYMBOL = re.compile(rb"#\s+0x([0-9a-f]+)\s+(.+?)\t(.*):(\d+)", re.IGNORECASE)


def find_word(content: bytes | bytearray) -> str | None:
    """The numpy dtype of the words, if ``content`` begins like such a profile."""
    for word in _WORDS:
        size = _HEADER_WORDS * np.dtype(word).itemsize
        if len(content) < size:
            continue
        header = np.frombuffer(content[:size], dtype=word)
        if header[0] == 0 and header[1] == 3 and header[2] in (0, _JAVA) and header[4] == 0:
            return word
    return None


def read_legacy_cpu(content: bytes | bytearray) -> Profile:
    """Raises ProfileError for what ``find_word`` does not know, Java's, and what is cut off."""
    word = find_word(content)
    if word is None:
        raise ProfileError("it is not a binary CPU profile")
    size = np.dtype(word).itemsize
    words = np.frombuffer(content[: len(content) // size * size], dtype=word).astype(np.uint64)
    if words[2] == _JAVA:
        raise ProfileError(
            "it is the CPU profile of a Java program, which has another stack format"
        )
    period_ns = int(words[3]) * _NS_PER_US
    stacks, end = _read_stacks(words)
    lines = bytes(content[end * size :]).splitlines()
    samples = AddressSamples((SampleType("samples", "count"), _CPU))
    for stack, count in stacks.items():
        samples.add([count, count * period_ns], stack)
    return samples.build(read_mappings(lines), dict(_read_symbols(lines)), _CPU, period_ns)


def _read_stacks(words: UInt64s) -> tuple[dict[tuple[int, ...], int], int]:
    """Every distinct stack with its count, and the index of the word behind the end."""
    stacks: dict[tuple[int, ...], int] = {}
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
            return stacks, at
        # Behind the leaf stand return addresses: the call is just before.
        stack = (addresses[0], *(max(address - 1, 0) for address in addresses[1:]))
        if depth > 1 and stack[0] == addresses[1]:
            stack = (stack[0], *stack[2:])  # the leaf twice: from the context and from unwinding
        stacks[stack] = stacks.get(stack, 0) + count


def _read_symbols(lines: list[bytes]) -> Iterator[tuple[int, tuple[Symbol]]]:
    for match in map(_SYMBOL.match, lines):
        if match:
            name, file = (match[group].decode(errors="replace") for group in (2, 3))
            yield int(match[1], 16), (Symbol(name, file, int(match[4])),)
