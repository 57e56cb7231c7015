"""Stacks of a dump of goroutines or threads.

::

    goroutine 18 [chan receive, 5 minutes]:
    main.worker(0xc000012345, ...)
        /src/main.go:230 +0x58
    created by main.start in goroutine 1
        /src/main.go:12 +0x1d

`dump_lines.c` says of each line what it is and which text it has; each different text is read
once. A line that may be several things is read by `_read_other`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, UInt8s, UInt64s
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_rows import number_addresses
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Label, Symbol
from stackglass_viewer.model.readers.text_pieces import list_pieces, report_to
from stackglass_viewer.model.readers.text_rows import Progress
from stackglass_viewer.native import _loops

_CREATOR = re.compile(r"created by (.+?)(?: in (?:goroutine|thread) \d+)?")
_CALL = re.compile(r"(\S.*)\([^()]*\)")
_PLACE = re.compile(r"\t(.+):(\d{1,9})(?: .*)?")
_MINUTES = re.compile(r"(\d{1,9}) minutes")
_ELIDED = re.compile(r"\.\.\..*frames elided\.\.\.")
_TRUNCATED = Symbol("<truncated>", "", 0)
_ELIDED_KEY = 2**64 - 1

ReadHeader = Callable[[str, int], list[Label] | None]
"""The labels of a stack, out of the text of a header and the place where it is; None if the text is
no header. May raise ProfileError."""


class _Kind(IntEnum):
    """What a line is. The first are those of dump_lines.h."""

    END, HEADER, CALL, OTHER, ODD_HEADER, PLACE, CREATOR, ELIDED, NOTHING = range(9)


class _Others(NamedTuple):
    """What the different lines are that may be several things, and what they say."""

    kinds: list[_Kind]
    values: list[Any]  # labels of a header, name of a call, file and line, label of a creator


class _Lines(NamedTuple):
    """The lines within stacks that say something."""

    kinds: UInt8s  # (n,)
    pieces: Int32s  # (n,) numbers of their texts; those of other calls are behind all calls
    stacks: Int64s  # (n,) which stack each is of

    def find(self, *kinds: _Kind) -> Int64s:
        """The places of lines of some kinds."""
        found: Int64s = np.flatnonzero(np.isin(self.kinds, kinds))
        return found


class DumpedStacks:
    """One sample for each stack. One thread."""

    def __init__(self) -> None:
        self._samples = FrameSamples()
        self._calls: list[str] = []  # names
        self._states: list[list[Label]] = []
        self._others = _Others([], [])
        self.n_stacks = 0

    def read(
        self,
        content: bytes | bytearray,
        progress: Progress,
        read_header: ReadHeader,
        *,
        has_goroutines: bool,
    ) -> None:
        """All stacks, once; lines outside of them are passed over. Raises ProfileError."""
        columns, n_bytes = _loops.read_dump_lines(content, has_goroutines, report_to(progress))

        def decode(name: str) -> Iterator[str]:
            pieces = list_pieces(content, columns[f"{name}_start"], columns[f"{name}_length"])
            return (piece.decode(errors="replace") for piece in pieces)

        starts = np.asarray(columns["other_start"]).tolist()
        self._others = _read_others(decode("other"), starts, read_header)
        if n_bytes:
            raise ProfileError(f"it has a line of {n_bytes} bytes")
        self._states = [list_state_labels(state) for state in decode("state")]
        self._calls = [*decode("call")]
        n_calls = len(self._calls)
        self._calls += [
            value if kind == _Kind.CALL else ""
            for kind, value in zip(self._others.kinds, self._others.values, strict=True)
        ]
        lines = _choose_lines(
            np.asarray(columns["kind"]), np.asarray(columns["piece"]), self._others, n_calls
        )
        self._add_stacks(lines, np.asarray(columns["number"]).tolist())

    def _add_stacks(self, lines: _Lines, goroutines: list[int]) -> None:
        """``goroutines``: their numbers, by plain header."""
        headers = lines.find(_Kind.HEADER, _Kind.ODD_HEADER)
        self.n_stacks = len(headers)
        different, frames, sizes = _find_frames(lines, self.n_stacks)
        symbols = [self._name_frame(key) for key in different.tolist()]
        numbers: list[int] = []  # of the different frames that stacks had up to now
        known: dict[Symbol, int] = {}
        tops = np.maximum.accumulate(np.concatenate([[-1], frames]))[np.cumsum(sizes)].tolist()
        creators = lines.find(_Kind.CREATOR)
        created: dict[int, list[Label]] = {}
        for stack, piece in zip(lines.stacks[creators], lines.pieces[creators], strict=True):
            created.setdefault(int(stack), []).append(self._others.values[piece])
        plain = iter(goroutines)
        is_plain = (lines.kinds[headers] == _Kind.HEADER).tolist()
        pieces = lines.pieces[headers].tolist()
        for stack in range(self.n_stacks):
            for symbol in symbols[len(numbers) : tops[stack] + 1]:
                if symbol not in known:
                    known[symbol] = self._samples.add_frame(symbol)
                numbers.append(known[symbol])
            piece = pieces[stack]
            if is_plain[stack]:
                number = Label("goroutine", None, next(plain))
                self._samples.add_labels(stack, (number, *self._states[piece]))
            else:
                self._samples.add_labels(stack, self._others.values[piece])
            self._samples.add_labels(stack, created.get(stack, ()))
        self._samples.add_many(
            np.ones((self.n_stacks, 1), dtype=np.int64),
            sizes,
            np.array(numbers, dtype=np.int32)[frames],
        )

    def _name_frame(self, key: int) -> Symbol:
        """``key``: of `_find_frames`."""
        if key == _ELIDED_KEY:
            return _TRUNCATED
        file, line = self._others.values[key & 0xFFFFFFFF]
        return Symbol(self._calls[key >> 32], file, line)

    def build(self, counted: str) -> Profile:
        """The profile; ``counted`` names its only sample type."""
        return self._samples.build([SampleType(counted, "count")])


def _read_others(texts: Iterable[str], starts: list[int], read_header: ReadHeader) -> _Others:
    others = _Others([], [])
    for text, start in zip(texts, starts, strict=True):
        kind, value = _read_other(text.rstrip(), start, read_header)
        others.kinds.append(kind)
        others.values.append(value)
    return others


def _read_other(text: str, start: int, read_header: ReadHeader) -> tuple[_Kind, Any]:
    if not text:
        return _Kind.END, None
    if (labels := read_header(text, start)) is not None:
        return _Kind.ODD_HEADER, labels
    if place := _PLACE.fullmatch(text):
        return _Kind.PLACE, (place[1], int(place[2]))
    if creator := _CREATOR.fullmatch(text):
        return _Kind.CREATOR, Label("created by", creator[1])
    if _ELIDED.fullmatch(text):
        return _Kind.ELIDED, None
    if call := _CALL.fullmatch(text):
        return _Kind.CALL, call[1]
    return _Kind.NOTHING, None


def _choose_lines(kinds: UInt8s, pieces: Int32s, others: _Others, n_calls: int) -> _Lines:
    is_other = kinds == _Kind.OTHER
    if is_other.any():
        kinds, pieces = kinds.copy(), pieces.copy()
        kinds[is_other] = np.array(others.kinds, dtype=np.uint8)[pieces[is_other]]
        pieces[is_other & (kinds == _Kind.CALL)] += n_calls
    begins = np.isin(kinds, (_Kind.HEADER, _Kind.ODD_HEADER))
    is_border = begins | (kinds == _Kind.END)
    border = np.cumsum(is_border)  # 0 = before the first
    is_open = np.concatenate([[False], begins[is_border]])[border]
    is_chosen = is_open & (kinds != _Kind.NOTHING)
    return _Lines(kinds[is_chosen], pieces[is_chosen], np.cumsum(begins[is_chosen]) - 1)


def _find_frames(lines: _Lines, n_stacks: int) -> tuple[UInt64s, Int32s, Int64s]:
    """Different frames, as the number of a call and below it that of its place; which of them all
    stacks have, one after the other; and how many each stack has. A frame is a place that comes
    next to its call, but for remarks."""
    chain = lines.find(_Kind.CALL, _Kind.PLACE, _Kind.HEADER, _Kind.ODD_HEADER)
    kinds = lines.kinds[chain]
    is_frame = (kinds[1:] == _Kind.PLACE) & (kinds[:-1] == _Kind.CALL)
    calls, places = chain[:-1][is_frame], chain[1:][is_frame]
    keys = lines.pieces[calls].astype(np.uint64) << np.uint64(32)
    keys |= lines.pieces[places].astype(np.uint64)
    elided = lines.find(_Kind.ELIDED)
    if len(elided):
        places = np.concatenate([places, elided])
        order = np.argsort(places, kind="stable")
        places = places[order]
        keys = np.append(keys, np.full(len(elided), _ELIDED_KEY, dtype=np.uint64))[order]
    different, frames = number_addresses(keys)
    sizes = np.bincount(lines.stacks[places], minlength=n_stacks).astype(np.int64)
    return different, frames, sizes


def list_state_labels(state: str) -> list[Label]:
    """Labels of ``chan receive, 5 minutes, locked to thread``: the state, and its minutes."""
    words = [word for word in state.split(", ") if word]
    minutes = [found for word in words[1:] if (found := _MINUTES.fullmatch(word))]
    return [
        *(Label("state", word) for word in words[:1]),
        *(Label("minutes", None, int(found[1])) for found in minutes),
    ]
