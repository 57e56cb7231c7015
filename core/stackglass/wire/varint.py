"""Protobuf's variable-length integers, read with bounds."""

from __future__ import annotations

from stackglass.errors import WireError

MAX_BYTES = 10
_LIMIT = 1 << 64


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the integer at ``at``, 0 … 2**64 - 1, and where it ends.

    Raises WireError if ``data`` ends first, or if the integer has more than 64 bits.
    """
    value = shift = 0
    for position in range(at, min(at + MAX_BYTES, len(data))):
        byte = data[position]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >= _LIMIT:
                break
            return value, position + 1
        shift += 7
    else:
        if at + MAX_BYTES > len(data):
            raise WireError("a message ends in the middle of a number")
    raise WireError("a number in a message is longer than 64 bits")


def read_packed(data: bytes) -> list[int]:
    """Return all integers of a packed column. Raises WireError as read_varint does."""
    if not data:
        return []
    if max(data) < 0x80:  # most columns: small numbers, one byte each
        return list(data)
    values = []
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            values.append(value)
            value = shift = 0
        else:
            shift += 7
            if shift >= 7 * MAX_BYTES:
                raise WireError("a number in a message is longer than 64 bits")
    if shift:
        raise WireError("a message ends in the middle of a number")
    if max(values) >= _LIMIT:
        raise WireError("a number in a message is longer than 64 bits")
    return values


def to_signed(value: int) -> int:
    """Return the signed value of the 64 bits of a protobuf int64."""
    return value - _LIMIT if value >= _LIMIT >> 1 else value
