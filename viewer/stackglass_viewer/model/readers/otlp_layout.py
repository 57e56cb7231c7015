"""Recognition of OpenTelemetry's profiles (OTLP), and of the version of their layout.

The field numbers changed several times while the protocol was under development::

    up to 1.5   tables in each profile
    1.6         tables in ProfilesData, fields 2 to 8
    1.7         a dictionary; a sample has its range of locations, fields 1 and 2
    1.8, 1.9    a sample: stack 1, values 2, attributes 3, link 4, times 5
    from 1.10   a sample: stack 1, attributes 2, link 3, values 4, times 5

No field has the version. A sample of 1.9 without attributes and link looks like a sample of 1.10
with times but without values. Only the numbers in field 2 distinguish the two: in 1.9 they are
values, as many as there are times; in 1.10 they are rows of the attribute table, each at most once.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.message_fields import (
    BYTES,
    FIXED64,
    VARINT,
    list_fields,
    read_varint,
)

_MOST_SAMPLES = 10_000  # of a profile, searched for signs of its version
_LENGTH_BYTES = 4
_ZSTD = b"\x28\xb5\x2f\xfd"
_RESOURCE_PROFILES, _DICTIONARY = 1, 2
_LAST_OF_RESOURCE = 3
_ATTRIBUTE_TABLE, _STRING_TABLE, _STACK_TABLE = 6, 5, 7
_SCOPE_PROFILES = _PROFILES = _SAMPLES = 2
_PROFILE_TIME = 3
_Span = tuple[int, int]


class _Sign(Enum):
    OLD = 1
    CURRENT = 2
    EITHER = 3


def is_otlp(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a ``ProfilesData``, not a pprof profile. The
    first two fields of pprof are a value type, which has only numbers, and a sample, which has no
    fields 4 to 7."""
    try:
        tag, at = read_varint(head, 0, len(head))
        size, at = read_varint(head, at, len(head))
        if tag == _RESOURCE_PROFILES << 3 | BYTES:
            return size > 0 and _is_resource(head, (at, at + size))
        if tag != _DICTIONARY << 3 | BYTES:
            return False
        if head[at : at + 3] == b"\x0a\x00\x0a" or head[at : at + 4] == b"\x0a\x00\x12\x00":
            return True  # empty first rows of its tables
        fields = list_fields(head, at, min(at + size, len(head)))
        return any(number >= _STRING_TABLE and wire == BYTES for number, wire, _, _ in fields)
    except (ValueError, IndexError):
        return False


def _is_resource(head: bytes, span: _Span) -> bool:
    """Whether ``span`` may be a ``ResourceProfiles``: its first field is a known one, and all known
    fields within ``head`` are length-delimited."""
    begin, end = span
    is_first = True
    try:
        for number, wire, _, _ in list_fields(head, begin, min(end, len(head))):
            is_known = 1 <= number <= _LAST_OF_RESOURCE
            if (is_known and wire != BYTES) or (is_first and not is_known):
                return False
            is_first = False
    except ValueError:  # cut off or damaged: judge by the first field
        tag = head[begin]
        return not is_first or (tag & 7 == BYTES and 1 <= tag >> 3 <= _LAST_OF_RESOURCE)
    return True


def is_framed_otlp(head: bytes) -> bool:
    """Whether a file begins with a length and a ``ProfilesData``."""
    n_bytes = int.from_bytes(head[:_LENGTH_BYTES], "big")
    return is_otlp(head[_LENGTH_BYTES : _LENGTH_BYTES + n_bytes])


def is_packed_otlp(head: bytes) -> bool:
    """Whether a file begins with a length and a message compressed with zstd, as a collector writes
    it."""
    n_bytes = int.from_bytes(head[:_LENGTH_BYTES], "big")
    return n_bytes > len(_ZSTD) and head[_LENGTH_BYTES : _LENGTH_BYTES + len(_ZSTD)] == _ZSTD


def list_framed(content: bytes | bytearray) -> Iterator[bytes]:
    """Yield the messages of a file that has a length before each, 4 bytes, big-endian. Raises
    ContentError if a message is cut off."""
    at = number = 0
    while at < len(content):
        number += 1
        begin = at + _LENGTH_BYTES
        at = begin + int.from_bytes(content[at:begin], "big")
        if begin > len(content) or at > len(content):
            raise ContentError(f"it is truncated: message {number} of OpenTelemetry is cut off")
        yield bytes(content[begin:at])


def check_layout(content: bytes | bytearray) -> None:
    """Raise ContentError if a message is of a version that cannot be read, ValueError if it is not
    a message."""
    dictionary: _Span | None = None
    for number, wire, begin, end in list_fields(content, 0, len(content)):
        if number > _DICTIONARY:
            raise refuse_version("1.6")
        if number == _DICTIONARY and wire == BYTES:
            dictionary = begin, end
    if dictionary is None:
        if any(_list_profiles(content)):
            raise refuse_version("1.6 or older")
        return
    n_attributes = n_stacks = 0
    for number, _, _, _ in list_fields(content, *dictionary):
        n_attributes += number == _ATTRIBUTE_TABLE
        n_stacks += number == _STACK_TABLE
    signs = {
        sign
        for profile in _list_profiles(content)
        for sign in _list_signs(content, profile, n_attributes)
    }
    if _Sign.OLD in signs:
        raise refuse_version("1.9 or older")
    if not n_stacks and signs:
        raise refuse_version("1.7 or older")


def list_messages(content: bytes | bytearray, span: _Span, wanted: int) -> Iterator[_Span]:
    """Yield begin and end of each message in field ``wanted`` of a message. Raises ValueError."""
    for number, wire, begin, end in list_fields(content, *span):
        if number == wanted and wire == BYTES:
            yield begin, end


def refuse_version(version: str) -> ContentError:
    """Return the error for a version that cannot be read."""
    return ContentError(
        f"it is an OpenTelemetry profile of version {version} of the protocol, which cannot be "
        "read: 1.10 has other fields"
    )


def _list_profiles(content: bytes | bytearray) -> Iterator[_Span]:
    for resource in list_messages(content, (0, len(content)), _RESOURCE_PROFILES):
        for scope in list_messages(content, resource, _SCOPE_PROFILES):
            yield from list_messages(content, scope, _PROFILES)


def _list_signs(content: bytes | bytearray, profile: _Span, n_attributes: int) -> Iterator[_Sign]:
    n_left = _MOST_SAMPLES
    for number, wire, begin, end in list_fields(content, *profile):
        if number == _PROFILE_TIME and wire != FIXED64:
            raise refuse_version("1.7 or older")
        if number == _SAMPLES and wire == BYTES:
            n_left -= 1
            yield _find_sign(content, (begin, end), n_attributes)
        if not n_left:
            return


def _find_sign(content: bytes | bytearray, sample: _Span, n_attributes: int) -> _Sign:
    wires: dict[int, int] = {}
    spans: dict[int, _Span] = {}
    for number, wire, begin, end in list_fields(content, *sample):
        wires[number], spans[number] = wire, (begin, end)
    if wires.get(3) == BYTES or wires.get(4) == VARINT:
        return _Sign.OLD
    if wires.get(3) == VARINT or wires.get(4) == BYTES:
        return _Sign.CURRENT
    if wires.get(2) != BYTES or spans[2][0] == spans[2][1]:
        return _Sign.EITHER
    numbers = list(_list_numbers(content, spans[2]))
    n_times = (spans[5][1] - spans[5][0]) // 8 if wires.get(5) == BYTES else 0
    if n_times and n_times != len(numbers):
        return _Sign.CURRENT
    are_rows = all(0 < each < n_attributes for each in numbers) and n_times > 0
    return _Sign.EITHER if are_rows and len(set(numbers)) == len(numbers) else _Sign.OLD


def _list_numbers(content: bytes | bytearray, span: _Span) -> Iterator[int]:
    at, end = span
    while at < end:
        number, at = read_varint(content, at, end)
        yield number
