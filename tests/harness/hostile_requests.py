"""Requests of hostile clients, as bytes: valid, invalid, and nearly valid.

The given generator decides everything: the same seed gives the same bytes.
"""

from __future__ import annotations

import random

from stackglass.wire import requests, tags

OTHER_PROTOCOL = bytes.fromhex("040a020863")  # a Greeting of version 99
_MAX_BODY = 4096  # most bytes of a message that the engine accepts
_EXTREMES = (
    0, 1, 2, 3, 7, 10, 99, 100, 127, 128, 255, 256, 1000, 9999, 10_000, 10_001, 65535, 65536,
    2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1,
)  # fmt: skip
_KINDS = tuple(number for name, number in vars(tags.ToEngine).items() if name.isupper())
_NO_KINDS = (16, 17, 20, 21, 1000)  # field numbers without a request
_N_FIELDS = 9


def draw(rng: random.Random) -> bytes:
    """Draw the bytes that a client sends in one call, framed or not."""
    kind = rng.randrange(10)
    if kind == 0:
        return rng.randbytes(rng.choice((1, 2, 5, 11, 100, 4111, 4112, 4113, 9000)))
    if kind == 1:
        return frame(rng.randbytes(rng.randrange(200)))
    if kind == 2:
        return rng.choice((OTHER_PROTOCOL, b"\xff" * 11, b"\x80" * 9, b"\0" * 50, varint(4097)))
    if kind == 3:
        return mutate(rng, b"".join(draw_request(rng) for _ in range(rng.randrange(1, 5))))
    if kind == 4:
        return draw_request(rng) * rng.choice((1, 20, 400))
    if kind == 5:
        return draw_known(rng)
    return b"".join(draw_request(rng) for _ in range(rng.randrange(1, 4)))


def draw_known(rng: random.Random) -> bytes:
    """Draw one of the requests that a real client sends."""
    big = min(rng.choice(_EXTREMES), 2**63 - 1)
    return rng.choice(
        (
            requests.encode_greeting(),
            requests.encode_set_cpu_rate(min(big, 2**32 - 1)),
            requests.encode_set_heap_rate(max(big, 256), has_native=rng.random() < 0.5),
            requests.encode_set_contention_rates(big, big, min(big, 2**32 - 1), True, big),
            requests.encode_collect(),
            requests.encode_take_census(),
            requests.encode_take_lock_waits(),
            requests.encode_take_thread_dump(rng.random() < 0.5),
            requests.encode_take_thread_creations(),
            requests.encode_take_custom_profiles(),
            requests.encode_take_metrics(),
            requests.encode_set_wall_rate(min(big, 2**32 - 1)),
            requests.encode_set_native_stacks(rng.random() < 0.5),
            requests.encode_set_memory_trace(rng.random() < 0.5, has_native=rng.random() < 0.5),
            requests.encode_label_variables(["request", "x" * rng.randrange(600)]),
            requests.encode_snapshot_threads(),
            requests.encode_detach(),
        )
    )


def draw_request(rng: random.Random) -> bytes:
    """Draw a well-formed message with arbitrary numbers."""
    content = b"".join(_draw_field(rng) for _ in range(rng.randrange(_N_FIELDS)))
    kind = rng.choice((*_KINDS, *_KINDS, *_NO_KINDS))
    body = varint(kind << 3 | 2) + varint(len(content)) + content
    return frame(body * rng.choice((1, 1, 1, 2)))


def mutate(rng: random.Random, content: bytes) -> bytes:
    """Return the content with some bytes changed, left out or doubled."""
    changed = bytearray(content)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(changed) + 1)
        deed = rng.randrange(3)
        if deed == 0 and at < len(changed):
            changed[at] = rng.randrange(256)
        elif deed == 1:
            del changed[at : at + rng.randrange(1, 9)]
        else:
            changed[at:at] = rng.randbytes(rng.randrange(1, 9))
    return bytes(changed)


def frame(body: bytes) -> bytes:
    """Return a message with its length in front."""
    return varint(len(body)) + body[: _MAX_BODY + 1]


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _draw_field(rng: random.Random) -> bytes:
    number = rng.choice((*range(1, _N_FIELDS), 0, 15, 16, 2**29 - 1))
    if rng.random() < 0.9:
        return varint(number << 3) + varint(rng.choice(_EXTREMES))
    wire_type = rng.randrange(8)
    content = rng.randbytes(rng.randrange(10))
    length = varint(rng.choice((len(content), rng.choice(_EXTREMES)))) if wire_type == 2 else b""
    return varint(number << 3 | wire_type) + length + content
