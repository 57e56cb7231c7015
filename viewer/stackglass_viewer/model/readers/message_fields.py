"""Iterator over the fields of a protobuf message, which are located but not decoded."""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED_BYTES = {FIXED64: 8, FIXED32: 4}
_MAX_BITS = 63


def list_fields(
    content: bytes | bytearray, at: int, end: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield (number, wire type, begin and end of the value) of each field in ``at:end``.

    Raises ValueError if the content is not a message or is cut off.
    """
    while at < end:
        tag = content[at]
        if tag < 0x80:  # most numbers have one byte; a call for each would take half of the time
            at += 1
        else:
            tag, at = read_varint(content, at, end)
        number, wire = tag >> 3, tag & 7
        if number == 0:
            raise ValueError(f"field 0 at byte {at}")
        if wire == BYTES:
            if at < end and (size := content[at]) < 0x80:
                begin = at + 1
            else:
                size, begin = read_varint(content, at, end)
        elif wire == VARINT:
            begin = at
            size = read_varint(content, at, end)[1] - at
        elif wire in _FIXED_BYTES:
            begin, size = at, _FIXED_BYTES[wire]
        else:
            raise ValueError(f"wire type {wire} at byte {at}")
        at = begin + size
        if at > end:
            raise ValueError(f"it ends within field {number}, at byte {end}")
        yield number, wire, begin, at


def read_varint(content: bytes | bytearray, at: int, end: int) -> tuple[int, int]:
    """Return the varint at ``at`` and the offset after it. Raises ValueError."""
    value = bits = 0
    while at < end:
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << bits
        if byte < 0x80:
            return value, at
        bits += 7
        if bits > _MAX_BITS:
            raise ValueError(f"a number of more than 64 bits at byte {at}")
    raise ValueError(f"it ends within a number, at byte {end}")
