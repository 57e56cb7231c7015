"""Rows of pprof's old text formats, each with the comments behind it, and the names in those.

::

    2: 4096 [3: 6144] @ 0x100010 0x100020
    # labels: {"thread":"worker"}
    #	0x10000f	app.load+0x1f	app.py:12

pprof skips the comments, and shows addresses alone. Addresses are return addresses: the call is one
byte before, and there Go's comments name it; Stackglass's name the address itself. Inlined calls
have several comments of the same address, the innermost first.

Go writes no comment for the functions of its runtime above the first other one, nor for
``runtime.goexit`` at the root. The former are shown as ``<runtime>`` here, the latter is left out,
as in Go's protobuf.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.readers.process_maps import MAX_ADDRESS
from stackglass_viewer.model.readers.sample_columns import Label, Symbol

RUNTIME = Symbol("<runtime>", "", 0)
_FRAME = re.compile(rb"#\s+0x([0-9a-f]{1,16})\s+(.+?)(?:\+0x[0-9a-f]+)?\t+(.*):(\d{1,18})\s*$")
_LABELS = b"# labels: "
_COMMENT = re.compile(rb"#\s+0x|# labels: ")
_MAX_COMMENTS = 10_000  # of a row; stacks have some hundred frames
_MAX_LINE_BYTES = 1 << 20
_REPORT_BYTES = 1 << 20
_BLOCK_BYTES = 1 << 16  # that are split at a time
_HEX = re.compile(rb"0x[0-9a-f]+")
_MAP_MARKS = (b"--- Memory map: ---", b"MAPPED_LIBRARIES:")


class Row(NamedTuple):
    """A line that is neither empty nor a comment, and the comments up to the next such line."""

    number: int  # of the line, from 1
    text: bytes  # without space around it
    comments: list[bytes]  # those that name a frame, or labels


Progress = Callable[[float], None]
"""Receives the share done, 0 … 1; raises CancelledError to end the reading."""


def ignore_progress(_share: float) -> None:
    pass


def list_lines(content: bytes | bytearray, progress: Progress = ignore_progress) -> Iterator[bytes]:
    """One after the other: all at once would take several times the content's memory."""
    at = reported = 0
    while at < len(content):
        if at - reported >= _REPORT_BYTES:
            reported = at
            progress(at / len(content))
        end = content.rfind(b"\n", at, at + _BLOCK_BYTES)
        if end < 0:  # a long line, or the last one
            end = content.find(b"\n", at)
            end = len(content) if end < 0 else end
        if end - at > _MAX_LINE_BYTES:
            yield bytes(content[at : at + _MAX_LINE_BYTES])
            raise ProfileError(f"it has a line of {end - at} bytes")
        block = bytes(content[at:end])
        lines = block.split(b"\n")
        yield from [line.removesuffix(b"\r") for line in lines] if b"\r" in block else lines
        at = end + 1


def split_rows(lines: Iterable[bytes]) -> Iterator[Row]:
    """The rows; comments above the first are skipped."""
    row: Row | None = None
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith(b"#"):
            if row is not None and _COMMENT.match(text) and len(row.comments) < _MAX_COMMENTS:
                row.comments.append(text)
        elif text:
            if row is not None:
                yield row
            row = Row(number, text, [])
    if row is not None:
        yield row


def is_map_mark(text: bytes) -> bool:
    """Whether the lines below are a memory map."""
    return any(mark in text for mark in _MAP_MARKS)


def find_map(last: Row, rows: Iterator[Row]) -> Iterator[bytes]:
    """The lines below a memory map's mark: ``last``, or one of the rows that follow it."""
    for row in chain([last], rows):
        if is_map_mark(row.text):
            break
    return (row.text for row in rows)


def parse_addresses(text: bytes) -> list[int]:
    """Every ``0x…`` in a text. Raises ProfileError."""
    addresses = [int(each, 16) for each in _HEX.findall(text)]
    if addresses and max(addresses) > MAX_ADDRESS:
        raise ProfileError(f"it has an address of more than 64 bits: {max(addresses):#x}")
    return addresses


def find_calls(addresses: list[int]) -> list[int]:
    """One before each return address; below 0 follows the largest, as in pprof."""
    return [(address - 1) & MAX_ADDRESS for address in addresses]


def drop_second_leaf(calls: list[int]) -> list[int]:
    """The stack with its leaf once: an unwinder may have it again, as a return address."""
    return [calls[0], *calls[2:]] if len(calls) > 1 and calls[0] == calls[1] + 1 else calls


def refuse(row: Row) -> ProfileError:
    """The error for a row that cannot be read."""
    return ProfileError(f"line {row.number} is not a sample: {quote_line(row.text)}")


def quote_line(line: bytes) -> str:
    """A line's beginning, for a message."""
    return repr(line.strip()[:60].decode(errors="replace"))


class RowNames:
    """What the comments say, gathered row by row. One thread."""

    def __init__(self) -> None:
        self._lines: dict[int, tuple[Symbol, ...]] = {}  # by the address of a call
        self._hidden: set[int] = set()
        self._n_odd_labels = 0

    def locate(self, addresses: list[int], comments: list[bytes]) -> list[int]:
        """The addresses of the calls, for return addresses; learns their names."""
        calls = find_calls(addresses)
        frames = _read_frames(comments, calls)
        if not frames:
            return calls
        for call, lines in frames.items():
            if call not in self._lines:
                # Of a function that called itself from one place the comments come again.
                n_times = max(calls.count(call), 1)
                self._lines[call] = tuple(lines[: max(len(lines) // n_times, 1)])
        for call in calls:
            if call in frames:
                break
            self._hidden.add(call)
        if len(calls) > 1 and calls[-1] not in frames and calls[-2] in frames:
            calls.pop()
        return calls

    def read_labels(self, comments: list[bytes]) -> list[Label]:
        """The texts of ``# labels: {"key":"value"}``."""
        labels: list[Label] = []
        for comment in comments:
            if comment.startswith(_LABELS):
                try:
                    found = json.loads(comment[len(_LABELS) :])
                except ValueError:  # a letter that Go escapes otherwise than JSON
                    self._n_odd_labels += 1
                    continue
                labels += [Label(str(key), str(value)) for key, value in dict(found).items()]
        return labels

    @property
    def symbols(self) -> dict[int, tuple[Symbol, ...]]:
        """By the address of a call."""
        return {call: (RUNTIME,) for call in self._hidden} | self._lines

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be read of the comments."""
        n = self._n_odd_labels
        return (f"labels of {n} stacks cannot be read and are left out",) if n else ()


def _read_frames(comments: list[bytes], calls: list[int]) -> dict[int, list[Symbol]]:
    frames: dict[int, list[Symbol]] = {}
    known = set(calls)
    for comment in comments:
        if found := _FRAME.match(comment):
            address = int(found[1], 16)
            call = address if address in known else address - 1
            name, file = (found[group].decode(errors="replace") for group in (2, 3))
            frames.setdefault(call, []).append(Symbol(name, file, int(found[4])))
    return frames
