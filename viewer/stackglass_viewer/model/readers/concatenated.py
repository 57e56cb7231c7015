"""Splitter of concatenated pprof files into their messages.

A file may hold several profiles, one after another, as gzip members or bare messages. protobuf
would read them as one message with mixed ids. Writers put the strings after all other tables;
after the strings come at most fields that a profile has once. So the next profile begins where a
table, or such a field, comes again.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

_STRING, _COMMENT = 6, 13
_REPEATED = (_STRING, _COMMENT)
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10  # bytes
_FIXED_BYTES = {_FIXED64: 8, _FIXED32: 4}


def split_messages(content: bytes | bytearray) -> list[bytearray | bytes]:
    """Return the profiles of a file in their order; one item = the file is no concatenation."""
    starts = [0, *_find_starts(content), len(content)]
    if len(starts) == 2:
        return [content]
    return [content[begin:end] for begin, end in pairwise(starts)]


def _find_starts(content: bytes | bytearray) -> Iterator[int]:
    """Yield where the second and all later profiles begin. Damage ends the search."""
    at, has_strings, last = 0, False, 0
    seen: set[int] = set()
    while at < len(content):
        begin = at
        tag, at = _read_varint(content, at)
        field, wire = tag >> 3, tag & 7
        is_again = field < _STRING or (field in seen and field not in _REPEATED)
        if has_strings and field != last and is_again:
            yield begin
            has_strings = False
            seen.clear()
        has_strings |= field == _STRING
        seen.add(field)
        last = field
        if wire == _VARINT:
            _, at = _read_varint(content, at)
        elif wire == _BYTES:
            size, at = _read_varint(content, at)
            at += size
        elif wire in _FIXED_BYTES:
            at += _FIXED_BYTES[wire]
        else:
            return


def _read_varint(content: bytes | bytearray, at: int) -> tuple[int, int]:
    """Return a varint and the offset after it. If it is longer than any, or cut off, the offset is
    the content's end."""
    value = 0
    for shift, byte in enumerate(content[at : at + _LONGEST_VARINT]):
        value |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return value, at + shift + 1
    return value, len(content)
