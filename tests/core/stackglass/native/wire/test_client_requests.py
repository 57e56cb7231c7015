"""What clients say, as the engine takes it apart: every request, and every kind of nonsense."""

from __future__ import annotations

import os
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from native import _core_testing as core
from stackglass.wire import requests, tags

UNKNOWN = 0
KINDS = {name: kind for name, kind in vars(tags.ToEngine).items() if name.isupper()}
NO_RATES = (0,) * 7


def read(frame: bytes) -> tuple[int, ...]:
    *single, rates = core.read_request(frame)
    assert rates == NO_RATES
    return tuple(single)


def test_every_request_is_understood() -> None:
    greeting, rates = requests.encode_greeting(), requests.encode_set_cpu_rate(997)
    kind = tags.ToEngine
    assert read(greeting) == (len(greeting), kind.GREETING, tags.PROTOCOL_VERSION, 0, 0, 0)
    assert read(rates) == (len(rates), kind.SET_RATES, 0, 997, 0, 0)
    assert read(requests.encode_set_cpu_rate(0))[1:] == (kind.SET_RATES, 0, 0, 0, 0)
    heap = kind.SET_HEAP_RATE
    assert read(requests.encode_set_heap_rate(2**40))[1:] == (heap, 0, 0, 2**40, 0)
    assert read(requests.encode_set_heap_rate(7, has_native=False))[1:] == (heap, 0, 0, 7, 1)
    assert read(requests.encode_collect())[1] == kind.COLLECT
    assert read(requests.encode_take_census())[1] == kind.TAKE_CENSUS
    assert read(requests.encode_snapshot_threads())[1] == kind.SNAPSHOT_THREADS
    assert read(requests.encode_detach())[1] == kind.DETACH
    assert read(requests.encode_take_lock_waits())[1] == kind.TAKE_LOCK_WAITS
    assert read(requests.encode_take_thread_dump())[1] == kind.TAKE_THREAD_DUMP


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_no_request_of_the_schema_is_taken_for_a_newer_clients(kind: int) -> None:
    assert core.read_request(core.encode_frame(core.encode_bytes(kind, b"")))[1] == kind


def test_rates_of_contention_are_changed_one_by_one_or_together() -> None:
    def read_rates(frame: bytes) -> tuple[int, ...]:
        taken, kind, *_, rates = core.read_request(frame)
        assert (taken, kind) == (len(frame), tags.ToEngine.SET_CONTENTION_RATES)
        return rates

    encode, same = requests.encode_set_contention_rates, (0, 0, 0)
    assert read_rates(encode(2**40, 10, 97)) == (2**40, 10, 97, 0, *same)
    assert read_rates(encode(block_rate_ns=0)) == (0, 0, 0, 6, *same)
    assert read_rates(encode(mutex_fraction=1)) == (0, 1, 0, 5, *same)
    assert read_rates(encode(gil_hz=1)) == (0, 0, 1, 3, *same)
    assert read_rates(encode(has_other=True)) == (0, 0, 0, 7, 1, 0, 1)
    assert read_rates(encode(has_other=False)) == (0, 0, 0, 7, 0, 0, 1)
    assert read_rates(encode(stall_ns=2**34)) == (0, 0, 0, 7, 0, 2**34, 2)
    assert read_rates(encode(1, 1, 1, False, 0)) == (1, 1, 1, 0, 0, 0, 3)


def test_older_clients_leave_what_they_do_not_know() -> None:
    """Of what came later they say nothing, and it stays as it is."""
    older = core.encode_int(1, 10_000) + core.encode_int(2, 10) + core.encode_int(3, 100)
    field = tags.ToEngine.SET_CONTENTION_RATES
    *_, rates = core.read_request(core.encode_frame(core.encode_bytes(field, older)))
    assert rates == (10_000, 10, 100, 0, 0, 0, 0)


def test_one_frame_is_taken_of_several() -> None:
    first = requests.encode_set_cpu_rate(100)
    assert read(first + requests.encode_detach())[0] == len(first)


@given(st.integers(min_value=0, max_value=20))
def test_a_frame_that_has_not_come_whole_waits(n: int) -> None:
    frame = requests.encode_greeting()
    assert read(frame[: min(n, len(frame) - 1)])[0] == 0


def test_requests_of_newer_clients_are_ignored() -> None:
    newer = core.encode_frame(core.encode_bytes(99, b"\x08\x01"))
    assert read(newer) == (len(newer), UNKNOWN, 0, 0, 0, 0)
    extended = core.encode_frame(
        core.encode_bytes(
            tags.ToEngine.SET_RATES, core.encode_int(1, 50) + core.encode_bytes(9, b"more")
        )
    )
    assert read(extended)[1:] == (tags.ToEngine.SET_RATES, 0, 50, 0, 0)


def test_nonsense_is_refused() -> None:
    assert read(b"\xff" * 11)[0] == -1  # no length
    assert read(b"\xff\xff\xff\xff\x0f")[0] == -1  # absurd length
    assert read(b"\x02\x12\x7f")[0] == -1  # a message longer than its frame
    assert read(b"\x01\x07")[0] == -1  # no such wire type
    assert read(b"\x02\x00\x00")[0] == -1  # field 0


@given(st.binary(max_size=200))
def test_any_bytes_get_an_answer(frame: bytes) -> None:
    taken, kind, *_ = core.read_request(frame)
    assert -1 <= taken <= len(frame)
    assert UNKNOWN <= kind <= max(KINDS.values())


@pytest.mark.parametrize(("mib", "is_kept"), [(1, True), (15, True), (17, False)])
def test_a_client_that_does_not_read_is_dropped_at_16_mib(mib: int, is_kept: bool) -> None:
    """What it does not read is kept for it in the program's memory."""
    near, theirs = socket.socketpair()
    with near, theirs:
        assert core.client_flood(os.dup(theirs.fileno()), mib << 20) == is_kept
