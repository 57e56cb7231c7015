"""Splitter of pprof's old text formats into rows, each with the comments after it.

::

    2: 4096 [3: 6144] @ 0x100010 0x100020
    # labels: {"thread":"worker"}
    #	0x10000f	app.load+0x1f	app.py:12

pprof skips the comments and shows only addresses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.process_maps import MAX_ADDRESS

_COMMENT = re.compile(rb"#\s+0x|# labels: ")
_MAX_COMMENTS = 10_000  # limit for a row; stacks have some hundred frames
MOST_LINE_BYTES = 1 << 20
REPORT_BYTES = 1 << 20
_BLOCK_BYTES = 1 << 16  # bytes that are split into lines in one step
_MOST_DIGITS = 100
_MOST_SHOWN = 40
_HEX = re.compile(rb"0x[0-9a-f]+")
_MAP_MARKS = (b"--- Memory map: ---", b"MAPPED_LIBRARIES:")

CUT_LINE = "its last line has no end: is it whole?"


class Row(NamedTuple):
    """A line that is neither empty nor a comment, and the comments up to the next such line."""

    number: int  # number of the line, from 1
    text: bytes  # without white space around it
    comments: list[bytes]  # only those that name a frame or labels


Progress = Callable[[float], None]
"""Receives the share done, 0 … 1; raises CancelledError to end the reading."""


def ignore_progress(_share: float) -> None:
    pass


def list_lines(
    content: bytes | bytearray, progress: Progress = ignore_progress, at: int = 0
) -> Iterator[bytes]:
    """Yield the lines from offset ``at`` on, one by one; a list of all would take several times the
    content's memory."""
    reported = at
    while at < len(content):
        if at - reported >= REPORT_BYTES:
            reported = at
            progress(at / len(content))
        end = content.rfind(b"\n", at, at + _BLOCK_BYTES)
        if end < 0:  # a long line, or the last one
            end = content.find(b"\n", at)
            end = len(content) if end < 0 else end
        if end - at > MOST_LINE_BYTES:
            yield bytes(content[at : at + MOST_LINE_BYTES])
            raise ContentError(f"it has a line of {end - at} bytes")
        block = bytes(content[at:end])
        lines = block.split(b"\n")
        yield from [line.removesuffix(b"\r") for line in lines] if b"\r" in block else lines
        at = end + 1


def warn_of_cut(content: bytes | bytearray) -> tuple[str, ...]:
    """Return a warning if the last line has no end: every writer of the format ends it."""
    return () if content.endswith(b"\n") else (CUT_LINE,)


def take_row(content: bytes | bytearray, at: int, number: int) -> tuple[Row | None, int, int]:
    """Return the first row from offset ``at`` on, the offset after the row, and the number of lines
    before that offset. ``number``: the number of lines before ``at``. Comments before the row are
    skipped."""
    row: Row | None = None
    while at < len(content):
        end = content.find(b"\n", at)
        end = len(content) if end < 0 else end
        is_too_long = end - at > MOST_LINE_BYTES
        text = bytes(content[at : at + MOST_LINE_BYTES if is_too_long else end]).strip()
        is_comment = text.startswith(b"#")
        if row is not None and text and not is_comment:
            break
        if is_too_long:
            raise ContentError(f"it has a line of {end - at} bytes")
        at, number = end + 1, number + 1
        if is_comment and row is not None:
            _add_comment(row, text)
        elif text and not is_comment:
            row = Row(number, text, [])
    return row, min(at, len(content)), number


def _add_comment(row: Row, text: bytes) -> None:
    if _COMMENT.match(text) and len(row.comments) < _MAX_COMMENTS:
        row.comments.append(text)


def is_map_mark(text: bytes) -> bool:
    """Whether a line marks the begin of a memory map."""
    return any(mark in text for mark in _MAP_MARKS)


def find_map(last: Row, rows: Iterable[Row]) -> Iterator[bytes]:
    """Return the lines below the mark of a memory map, which is ``last`` or one of the next
    rows."""
    rest = iter(rows)
    for row in chain([last], rest):
        if is_map_mark(row.text):
            break
    return (row.text for row in rest)


def parse_addresses(text: bytes) -> list[int]:
    """Return every ``0x…`` in a text. Raises ContentError."""
    addresses = [int(each, 16) for each in _HEX.findall(text)]
    if addresses and max(addresses) > MAX_ADDRESS:
        shown = f"{max(addresses):#x}"[:_MOST_SHOWN]
        raise ContentError(f"it has an address of more than 64 bits: {shown}")
    return addresses


def parse_number(digits: bytes) -> int:
    """Return a decimal number. Raises ContentError for one that a float does not hold."""
    if len(digits) > _MOST_DIGITS:
        raise ContentError(f"it has a number of {len(digits)} digits")
    return int(digits)


def find_calls(addresses: list[int]) -> list[int]:
    """Return the address one byte before each return address; 0 wraps around, as in pprof."""
    return [(address - 1) & MAX_ADDRESS for address in addresses]


def drop_second_leaf(calls: list[int]) -> list[int]:
    """Return the stack without a repeated leaf: an unwinder may add it again as a return
    address."""
    return [calls[0], *calls[2:]] if len(calls) > 1 and calls[0] == calls[1] + 1 else calls


def refuse(row: Row) -> ContentError:
    """Return the error for a row that cannot be read."""
    return ContentError(f"line {row.number} is not a sample: {quote_line(row.text)}")


def quote_line(line: bytes) -> str:
    """Return the begin of a line, quoted for a message."""
    return repr(line.strip()[:60].decode(errors="replace"))
