"""Reader of the memory maps after the samples of old profiles, with pprof's corrections.

::

    00400000-004f8000 r-xp 00001000 08:01 1234   /usr/bin/prog     lines of /proc/PID/maps
    0x400000-0x4f8000 /usr/bin/prog (@1000) abc123                 the brief form

Other lines are skipped, except ``name=value``: it replaces ``$name`` in the lines below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, UInt64s
from stackglass_viewer.model.errors import ContentError

MAX_ADDRESS = 2**64 - 1
MOST_MAPPINGS = 1 << 18
"""Limit for the executable mappings of a process, after neighbours are joined. Linux permits 65 530
of any kind, unless it is set up otherwise. Each takes some hundred bytes here, and ten in a file.
"""

_MAX_LINE_BYTES = 8192  # a path has at most 4096 bytes (PATH_MAX)
_MAX_VALUES = 100  # limit for the lines ``name=value``
_RANGE = rb"\s*(?:0x)?([0-9a-f]{1,20})[\s-]?\s*(?:0x)?([0-9a-f]{1,20}):?(?:\s+([-rwxp]+))?"
_OF_PROC = re.compile(
    _RANGE + rb"(?:\s+([0-9a-f]+))?\s+[0-9a-f]+:[0-9a-f]+\s+[0-9]+(?:\s+(\S+))?", re.IGNORECASE
)
_BRIEF = re.compile(
    _RANGE + rb"(?:\s+(\S+))?(?:\s+\(@([0-9a-f]+)\))?(?:\s+([0-9a-f]+))?", re.IGNORECASE
)
_LOG_PREFIX = re.compile(rb"[^\[\]]+:[0-9]+]\s")
_LIBRARY = re.compile(r"[.]so$|[.]so[._][0-9]+")
_MAIN_START = 0x400000


@dataclass(slots=True)
class MappedFile:
    """A mapped file. An empty ``file`` or ``build_id`` is unknown."""

    start: int
    limit: int
    offset: int
    file: str
    build_id: str


def read_mappings(lines: Iterable[bytes]) -> list[MappedFile]:
    """Return the executable mappings. Adjacent pieces of a file are joined, and the program's own
    mapping comes first. Raises ContentError for more than `MOST_MAPPINGS`."""
    mappings = _join(_read(lines))
    for i, mapping in enumerate(mappings):
        file = mapping.file.replace("(deleted)", "").strip()
        if file and not _LIBRARY.search(file) and not file.startswith("["):
            mappings[0], mappings[i] = mappings[i], mappings[0]
            break
    is_huge = len(mappings) > 1 and mappings[0].file.startswith("/anon_hugepage")
    if is_huge and mappings[0].limit == mappings[1].start:
        del mappings[0]
    if mappings and mappings[0].start - mappings[0].offset == _MAIN_START:
        mappings[0].start, mappings[0].offset = _MAIN_START, 0
    return mappings


def place_addresses(addresses: UInt64s, mappings: list[MappedFile]) -> Int32s:
    """Return the mapping of each address; -1 = none. If mappings overlap, the first start counts.

    A mapping is extended to the begin of its file if an address lies there and in no other mapping.
    """
    begins = [_find_begin(mapping) for mapping in mappings]
    starts = [mapping.start for mapping in mappings]
    limits = [mapping.limit for mapping in mappings]
    # A piece is the range between two neighbouring edges: all its addresses have the same mappings.
    edges = np.unique(np.array([*begins, *starts, *limits], dtype=np.uint64))
    begin_at, start_at, limit_at = (
        np.searchsorted(edges, np.array(each, dtype=np.uint64)).tolist()
        for each in (begins, starts, limits)
    )
    order = sorted(range(len(mappings)), key=starts.__getitem__)
    none = len(mappings)
    rank_of = {number: rank for rank, number in enumerate(order)}
    rank = _rank_pieces([(start_at[each], limit_at[each]) for each in order], len(edges))
    grower = np.full(len(edges) + 1, -1, dtype=np.int32)  # by piece: mapping to extend
    for number, piece in _list_first(begin_at, start_at, len(edges)):
        grower[piece] = number
    # Before the first edge, the piece is -1: the last item of the arrays, without a mapping.
    pieces = np.searchsorted(edges, addresses, side="right") - 1
    ranks = rank[pieces]
    for at in np.flatnonzero((ranks == none) & (grower[pieces] >= 0)).tolist():
        piece = pieces[at]
        if rank[piece] == none:
            number = int(grower[piece])
            mappings[number].start, mappings[number].offset = begins[number], 0
            grown = rank[begin_at[number] : start_at[number]]
            np.minimum(grown, rank_of[number], out=grown)
        ranks[at] = rank[piece]
    return np.array([*order, -1], dtype=np.int32)[ranks]


def _rank_pieces(ranges: list[tuple[int, int]], n_pieces: int) -> Int32s:
    """Return (n_pieces + 1,) for each piece the index of the first range that has it; the number of
    ranges = none has it. ``ranges``: first piece and end of mappings, ascending by first piece."""
    rank = np.full(n_pieces + 1, len(ranges), dtype=np.int32)
    n_ranked = 0  # the end of all ranges so far
    for number, (first, end) in enumerate(ranges):
        if end > max(first, n_ranked):
            rank[max(first, n_ranked) : end] = number
            n_ranked = end
    return rank


def _list_first(begins: list[int], ends: list[int], n_pieces: int) -> Iterator[tuple[int, int]]:
    """Yield, for each piece that a range from begin to end has, the first such range."""
    free = [*range(n_pieces + 1)]  # by piece: itself, or a later one if a range has it already
    for number, (at, end) in enumerate(zip(begins, ends, strict=True)):
        while (piece := _find_free(free, at)) < end:
            yield number, piece
            free[piece] = at = piece + 1


def _find_free(free: list[int], at: int) -> int:
    """Return the first free piece from ``at`` on, and shorten the way to it."""
    piece = at
    while free[piece] != piece:
        piece = free[piece]
    while free[at] != piece:
        free[at], at = piece, free[at]
    return piece


def _find_begin(mapping: MappedFile) -> int:
    """Return where offset 0 of the file would be mapped; the mapping's start if its numbers are
    inconsistent."""
    begin = mapping.start - mapping.offset
    return begin if begin >= 0 and mapping.start <= mapping.limit else mapping.start


def _read(lines: Iterable[bytes]) -> Iterator[MappedFile]:
    values: list[tuple[bytes, bytes]] = []
    for line in lines:
        text = _replace(line, values)
        if len(text) > _MAX_LINE_BYTES:
            continue
        if found := _OF_PROC.match(text):
            start, limit, permissions, offset, file = found.groups()
            build_id = None
        elif found := _BRIEF.match(text):
            start, limit, permissions, file, offset, build_id = found.groups()
        else:
            name, is_value, value = text.partition(b"=")
            if is_value and len(values) < _MAX_VALUES:
                values.append((b"$" + name.strip(), value.strip()))
            continue
        numbers = [int(each or b"0", 16) for each in (start, limit, offset)]
        if (permissions and b"x" not in permissions) or max(numbers) > MAX_ADDRESS:
            continue
        names = [(each or b"").decode(errors="replace") for each in (file, build_id)]
        yield MappedFile(numbers[0], numbers[1], numbers[2], names[0], names[1])


def _replace(line: bytes, values: list[tuple[bytes, bytes]]) -> bytes:
    """Return a line without the prefix of a log, and with the values in place of ``$name``."""
    if len(line) <= _MAX_LINE_BYTES:
        found = _LOG_PREFIX.match(line)
        line = line[found.end() :] if found else line
    for name, value in values:
        if len(line) > _MAX_LINE_BYTES:
            break  # values may contain names, so that each could double the length
        line = line.replace(name, value)
    return line


def _join(mappings: Iterable[MappedFile]) -> list[MappedFile]:
    joined: list[MappedFile] = []
    for mapping in mappings:
        if joined and _is_next(joined[-1], mapping):
            last = joined[-1]
            last.limit = mapping.limit
            last.file = mapping.file or last.file
            last.build_id = mapping.build_id or last.build_id
        else:
            joined.append(mapping)
            if len(joined) > MOST_MAPPINGS:
                raise ContentError(f"its memory map has more than {MOST_MAPPINGS} files")
    return joined


def _is_next(one: MappedFile, other: MappedFile) -> bool:
    if one.limit != other.start:
        return False
    if one.file and other.file and one.file != other.file:
        return False
    if one.build_id and other.build_id and one.build_id != other.build_id:
        return False
    has_offsets = one.offset and other.offset
    return not has_offsets or one.offset + one.limit - one.start == other.offset
