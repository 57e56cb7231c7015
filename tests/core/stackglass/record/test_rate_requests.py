"""The rates that a recording requests of an engine that may serve other clients already."""

from __future__ import annotations

from stackglass.record.rate_requests import RateRequest
from stackglass.wire import requests
from stackglass.wire.rates import DEFAULT, OFF, Rates

ON = Rates(heap_rate=4096, block_rate_ns=500, mutex_fraction=3, gil_hz=20)


def test_a_profile_that_is_off_is_switched_on() -> None:
    encode = requests.encode_set_contention_rates
    heap = RateRequest(Rates(heap_rate=DEFAULT.heap_rate))
    assert heap.encode(OFF) == [requests.encode_set_heap_rate(512 * 1024)]
    block = RateRequest(Rates(block_rate_ns=DEFAULT.block_rate_ns))
    assert block.encode(OFF) == [encode(block_rate_ns=10_000)]
    mutex = RateRequest(Rates(mutex_fraction=DEFAULT.mutex_fraction))
    assert mutex.encode(OFF) == [encode(mutex_fraction=10)]
    cpu = RateRequest(Rates(cpu_hz=DEFAULT.cpu_hz))
    assert cpu.encode(OFF) == [requests.encode_set_cpu_rate(100)]


def test_a_rate_in_force_stays_and_is_requested_too() -> None:
    request = RateRequest(DEFAULT._replace(cpu_hz=0, stall_ns=0, wall_hz=0))
    assert request.encode(ON) == [
        requests.encode_set_heap_rate(4096),
        requests.encode_set_contention_rates(500, 3, 20),
    ]
    cpu = RateRequest(Rates(cpu_hz=100))
    assert cpu.encode(Rates(cpu_hz=7)) == [requests.encode_set_cpu_rate(7)]


def test_a_named_rate_replaces_the_one_in_force_alone() -> None:
    request = RateRequest(Rates(block_rate_ns=1, mutex_fraction=10), frozenset({"block_rate_ns"}))
    assert request.encode(ON) == [requests.encode_set_contention_rates(1, 3)]


def test_a_rate_that_a_trigger_needs_is_lowered_and_never_raised() -> None:
    encode = requests.encode_set_contention_rates
    request = RateRequest(Rates(block_rate_ns=1000), limited=frozenset({"block_rate_ns"}))
    assert request.encode(OFF) == [encode(1000)]
    assert request.encode(Rates(block_rate_ns=10**9)) == [encode(1000)]
    assert request.encode(Rates(block_rate_ns=1)) == [encode(1)]


def test_other_waits_and_stalls_are_requested_separately() -> None:
    encode = requests.encode_set_contention_rates
    other = RateRequest(Rates(block_rate_ns=10_000, has_other=1))
    assert other.encode(OFF) == [encode(block_rate_ns=10_000, has_other=True)]
    assert other.encode(ON) == [encode(500, has_other=True)]
    assert other.encode(ON._replace(has_other=1)) == [encode(500, has_other=True)]
    stalls = RateRequest(Rates(stall_ns=DEFAULT.stall_ns))
    assert stalls.encode(ON) == [encode(stall_ns=100_000_000)]
    assert stalls.encode(ON._replace(stall_ns=1)) == [encode(stall_ns=1)]
    named = RateRequest(Rates(stall_ns=20), frozenset({"stall_ns"}))
    assert named.encode(ON._replace(stall_ns=1)) == [encode(stall_ns=20)]


def test_memory_past_pythons_allocators_can_be_left_out() -> None:
    request = RateRequest(Rates(heap_rate=1), has_native=False)
    assert request.encode(OFF) == [requests.encode_set_heap_rate(1, False)]
    assert request.list_arguments()["native"] == 0


def test_a_new_engine_starts_with_the_rates_of_the_recording() -> None:
    words = [
        "hz",
        "heap",
        "native",
        "trace",
        "block",
        "mutex",
        "gil",
        "other",
        "stall",
        "wall",
        "unwind",
    ]
    assert RateRequest(OFF).list_arguments() == dict.fromkeys(words, 0)
    rates = Rates(100, 4096, 500, 3, 20, 1, 10_000_000, 50)
    assert list(RateRequest(rates).list_arguments().values()) == [
        100, 4096, 1, 0, 500, 3, 20, 1, 10_000_000, 50, 0,
    ]  # fmt: skip
