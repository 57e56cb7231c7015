"""Requests of hostile clients: every kind of request is among them, and some that do not exist."""

from __future__ import annotations

import random

from harness.hostile_requests import draw_known, draw_request
from stackglass_viewer.model.proto.wire_pb2 import ToEngine

KINDS = {field.number for field in ToEngine.DESCRIPTOR.fields}
N_DRAWN = 2000


def read_varint(content: bytes) -> tuple[int, bytes]:
    """A number, and what follows it."""
    value = 0
    for at, byte in enumerate(content):
        value |= (byte & 0x7F) << 7 * at
        if byte < 0x80:
            return value, content[at + 1 :]
    raise AssertionError("a number without an end")


def read_kind(request: bytes) -> int:
    _, body = read_varint(request)
    tag, _ = read_varint(body)
    return tag >> 3


def test_well_formed_messages_are_of_every_kind() -> None:
    rng = random.Random(1)
    drawn = {read_kind(draw_request(rng)) for _ in range(N_DRAWN)}
    assert drawn > KINDS


def test_requests_of_real_clients_are_of_every_kind() -> None:
    rng = random.Random(1)
    for request in (drawn := [draw_known(rng) for _ in range(N_DRAWN)]):
        length, body = read_varint(request)
        assert length == len(body)
        ToEngine.FromString(body)
    assert {read_kind(request) for request in drawn} == KINDS
