"""Writer of Go execution traces with memory events: batches in any order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MINIMUM, PAGE, ALIGNMENT, STACK = 0xC000000000, 8192, 8, 2048
HEADER = b"go 1.26 trace\0\0\0"
NO_THREAD = (1 << 64) - 1

Event = Sequence[int]
"""Code, time since the previous event, other arguments."""


def varint(value: int) -> bytes:
    """Encode a number, 7 bits a byte, the lowest first."""
    encoded = b""
    while value >= 0x80:
        encoded += bytes((value & 0x7F | 0x80,))
        value >>= 7
    return encoded + bytes((value,))


def varints(*values: int) -> bytes:
    return b"".join(map(varint, values))


def span_id(address: int) -> int:
    return (address - MINIMUM) // PAGE


def object_id(address: int) -> int:
    return (address - MINIMUM) // ALIGNMENT


def stack_id(address: int) -> int:
    return (address - MINIMUM) // STACK


def kind_class(size_class: int, has_pointers: bool = True) -> int:
    """Return the kind and class number of a span with objects."""
    return size_class << 2 | (0 if has_pointers else 2)


def batch(content: bytes, generation: int, tid: int, ticks: int, experiment: int = 0) -> bytes:
    """Encode a batch with its head; the length takes ten bytes, as in Go."""
    size, length = b"", len(content)
    for at in range(10):
        size += bytes((length & 0x7F | (0x80 if at < 9 else 0),))
        length >>= 7
    head = bytes((49, experiment)) if experiment else b"\x01"
    return head + varints(generation, tid, ticks) + size + content


def events(listed: Iterable[Event], generation: int = 1, tid: int = 7, ticks: int = 1000) -> bytes:
    """Encode a batch of events."""
    content = b"".join(bytes((code,)) + varints(*rest) for code, *rest in listed)
    return batch(content, generation, tid, ticks)


def info(generation: int = 1) -> bytes:
    """Encode the batch that gives the units of ids."""
    content = b"\x01" + varints(MINIMUM, PAGE, ALIGNMENT, STACK)
    return batch(content, generation, NO_THREAD, 1000, experiment=1)


def types(names: dict[int, str], generation: int = 1) -> bytes:
    """Encode the table of types of a generation."""
    content = b"\x00"
    for number, name in names.items():
        content += varints(number, 0xDEAD0, 16, 8, len(name.encode())) + name.encode()
    return batch(content, generation, NO_THREAD, 1000, experiment=1)


def clock(
    generation: int = 1, ticks_per_s: int = 1_000_000_000, unix_s: int = 1_700_000_000
) -> bytes:
    """Encode a batch of synchronisation: the length of ticks, and the wall clock."""
    content = bytes((50, 8)) + varint(ticks_per_s)
    content += bytes((51,)) + varints(0, 5, unix_s, 250)
    return batch(content, generation, NO_THREAD, 1000)


def strings(generation: int = 1, names: dict[int, str] | None = None) -> bytes:
    """Encode the table of strings of a generation."""
    content = b"\x04"
    for number, name in (names or {1: "abc"}).items():
        content += b"\x05" + varints(number, len(name.encode())) + name.encode()
    return batch(content, generation, NO_THREAD, 1000)
