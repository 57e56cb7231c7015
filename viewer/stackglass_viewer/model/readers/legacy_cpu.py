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
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, TypeId, UInt64s, freeze
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import (
    Functions,
    Labels,
    Locations,
    Mappings,
    Profile,
    Samples,
    SampleType,
)

_WORDS = ("<u4", ">u4", "<u8", ">u8")
_HEADER_WORDS = 5
_JAVA = 1
_NS_PER_US = 1000
_MAPPING = re.compile(
    rb"([0-9a-f]+)-([0-9a-f]+) +[r-][w-]x[ps] +[0-9a-f]+ +\S+ +\d+ *(\S.*)?", re.IGNORECASE
)
_SYMBOL = re.compile(rb"#\s+0x([0-9a-f]+)\s+(.+?)\t(.*):(\d+)", re.IGNORECASE)


class _Symbol(NamedTuple):
    name: str
    file: str
    line: int


class _Mapping(NamedTuple):
    start: int
    end: int
    file: str


def find_word(content: bytes) -> str | None:
    """The numpy dtype of the words, if ``content`` begins like such a profile."""
    for word in _WORDS:
        size = _HEADER_WORDS * np.dtype(word).itemsize
        if len(content) < size:
            continue
        header = np.frombuffer(content[:size], dtype=word)
        if header[0] == 0 and header[1] == 3 and header[2] in (0, _JAVA) and header[4] == 0:
            return word
    return None


def read_legacy_cpu(content: bytes) -> Profile:
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
    text = content[end * size :]
    return _build(stacks, period_ns, list(_read_mappings(text)), dict(_read_symbols(text)))


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


def _read_mappings(text: bytes) -> Iterator[_Mapping]:
    for match in map(_MAPPING.match, text.splitlines()):
        if match:
            file = (match[3] or b"").decode(errors="replace").removesuffix(" (deleted)")
            yield _Mapping(int(match[1], 16), int(match[2], 16), file)


def _read_symbols(text: bytes) -> Iterator[tuple[int, _Symbol]]:
    for match in map(_SYMBOL.match, text.splitlines()):
        if match:
            name, file = (match[group].decode(errors="replace") for group in (2, 3))
            yield int(match[1], 16), _Symbol(name, file, int(match[4]))


class _Strings:
    """The string table while it grows; string 0 is empty."""

    def __init__(self) -> None:
        self.position = {"": 0}

    def add(self, text: str) -> int:
        return self.position.setdefault(text, len(self.position))


def _build(
    stacks: dict[tuple[int, ...], int],
    period_ns: int,
    mappings: list[_Mapping],
    symbols: dict[int, _Symbol],
) -> Profile:
    strings = _Strings()
    addresses = sorted({address for stack in stacks for address in stack})
    location = {address: i for i, address in enumerate(addresses)}
    lines = [symbols.get(address) for address in addresses]
    named = dict.fromkeys((symbol.name, symbol.file) for symbol in lines if symbol)
    functions = {key: i for i, key in enumerate(named)}
    names = np.array([strings.add(name) for name, _ in functions], dtype=np.int32)
    samples = Samples(
        stack_start=_offsets([len(stack) for stack in stacks]),
        stack=np.array([location[a] for stack in stacks for a in stack], dtype=np.int32),
        values=_weigh(list(stacks.values()), period_ns),
    )
    table = Functions(
        name=names,
        system_name=names.copy(),
        filename=np.array([strings.add(file) for _, file in functions], dtype=np.int32),
        start_line=np.zeros(len(functions), dtype=np.int64),
    )
    locations = Locations(
        line_start=_offsets([line is not None for line in lines]).astype(np.int32),
        line_function=np.array([functions[s.name, s.file] for s in lines if s], dtype=np.int32),
        line_number=np.array([s.line for s in lines if s], dtype=np.int64),
        line_column=np.zeros(sum(line is not None for line in lines), dtype=np.int64),
        address=np.array(addresses, dtype=np.uint64),
        mapping=_place(addresses, mappings),
        is_folded=np.zeros(len(addresses), dtype=np.bool_),
    )
    files = Mappings(
        filename=np.array([strings.add(mapping.file) for mapping in mappings], dtype=np.int32),
        build_id=np.zeros(len(mappings), dtype=np.int32),
        start=np.array([mapping.start for mapping in mappings], dtype=np.uint64),
        limit=np.array([mapping.end for mapping in mappings], dtype=np.uint64),
        offset=np.zeros(len(mappings), dtype=np.uint64),
        flags=np.zeros(len(mappings), dtype=np.int32),
    )
    none = np.zeros(0, dtype=np.int32)
    labels = Labels(sample=none, key=none, text=none, number=np.zeros(0, dtype=np.int64), unit=none)
    for part in (samples, table, locations, files, labels):
        freeze(*(getattr(part, name) for name in part.__slots__))
    cpu = SampleType("cpu", "nanoseconds")
    return Profile(
        strings=tuple(strings.position),
        functions=table,
        locations=locations,
        mappings=files,
        samples=samples,
        labels=labels,
        sample_types=(SampleType("samples", "count"), cpu),
        default_type=TypeId(1),
        period_type=cpu,
        period=period_ns,
    )


def _offsets(sizes: list[int]) -> Int64s:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int64)


def _weigh(counts: list[int], period_ns: int) -> Int64s:
    if sum(counts) * max(period_ns, 1) > np.iinfo(np.int64).max:
        raise ProfileError("the profile's counts add up to more than 63 bits can hold")
    column = np.array(counts, dtype=np.int64)
    return np.stack((column, column * period_ns))


def _place(addresses: list[int], mappings: list[_Mapping]) -> Int32s:
    placed = np.full(len(addresses), -1, dtype=np.int32)
    for i, address in enumerate(addresses):
        for j, mapping in enumerate(mappings):
            if mapping.start <= address < mapping.end:
                placed[i] = j
                break
    return placed
