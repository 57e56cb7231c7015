"""What a recording asks of an engine that may be there for somebody else."""

from __future__ import annotations

from stackglass.record.rate_requests import ContentionWish, HeapWish
from stackglass.wire import requests
from stackglass.wire.contention_recording import ContentionKind
from stackglass.wire.messages import Rates

OFF = Rates()
ON = Rates(heap_rate=4096, block_rate_ns=500, mutex_fraction=3, gil_hz=20)


def test_what_is_off_is_switched_on() -> None:
    assert HeapWish(None, False).make_request(OFF) == requests.encode_set_heap_rate(512 * 1024)
    block = ContentionWish(has_block=True)
    assert block.make_request(OFF) == requests.encode_set_contention_rates(block_rate_ns=10_000)
    mutex = ContentionWish(has_mutex=True)
    assert mutex.make_request(OFF) == requests.encode_set_contention_rates(mutex_fraction=10)


def test_what_another_client_has_set_stays_and_is_asked_for_too() -> None:
    encode = requests.encode_set_contention_rates
    assert HeapWish(None, False).make_request(ON) == requests.encode_set_heap_rate(4096)
    wish = ContentionWish(has_block=True, has_mutex=True, has_gil=True)
    assert wish.make_request(ON) == encode(500, 3, 20)


def test_a_rate_of_its_own_changes_that_one_alone() -> None:
    wish = ContentionWish(has_block=True, has_mutex=True, block_rate_ns=1)
    assert wish.make_request(ON) == requests.encode_set_contention_rates(1, 3)
    assert wish.kinds == [ContentionKind.BLOCK, ContentionKind.MUTEX]


def test_a_new_engine_starts_with_what_is_wanted() -> None:
    def list_arguments(wish: ContentionWish) -> dict[str, int]:
        return {word: rate for word, rate in wish.list_arguments().items() if rate}

    assert ContentionWish().list_arguments() == dict.fromkeys(
        ("block", "mutex", "gil", "other", "stall"), 0
    )
    assert list_arguments(ContentionWish(has_mutex=True)) == {"mutex": 10}
    assert list_arguments(ContentionWish(has_block=True, block_rate_ns=7)) == {"block": 7}
    other = ContentionWish(has_block=True, has_other=True)
    assert list_arguments(other) == {"block": 10_000, "other": 1}
    assert list_arguments(ContentionWish(has_tasks=True)) == {"block": 10_000}
    assert list_arguments(ContentionWish(has_stalls=True)) == {"stall": 100_000_000}


def test_other_waits_and_stalls_are_asked_for_one_by_one() -> None:
    encode = requests.encode_set_contention_rates
    other = ContentionWish(has_block=True, has_other=True)
    assert other.make_request(OFF) == encode(block_rate_ns=10_000, has_other=True)
    assert other.make_request(ON) == encode(500, has_other=True)
    assert other.make_request(ON._replace(has_other=1)) == encode(500, has_other=True)
    assert other.kinds == [ContentionKind.BLOCK, ContentionKind.OTHER]
    stalls = ContentionWish(has_stalls=True)
    assert stalls.make_request(ON) == encode(stall_ns=100_000_000)
    assert stalls.make_request(ON._replace(stall_ns=1)) == encode(stall_ns=1)
    assert stalls._replace(stall_ns=20).make_request(ON._replace(stall_ns=1)) == encode(stall_ns=20)
    assert ContentionWish(has_tasks=True, has_stalls=True).kinds == [
        ContentionKind.TASK,
        ContentionKind.STALL,
    ]
