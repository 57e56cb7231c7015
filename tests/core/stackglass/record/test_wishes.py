"""What a recording asks of an engine that may be there for somebody else."""

from __future__ import annotations

from stackglass.record.wishes import ContentionWish, HeapWish
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


def test_what_somebody_else_has_set_stays() -> None:
    assert HeapWish(None, False).make_request(ON) == b""
    assert ContentionWish(has_block=True, has_mutex=True, has_gil=True).make_request(ON) == b""


def test_a_rate_of_its_own_changes_that_one_alone() -> None:
    wish = ContentionWish(has_block=True, has_mutex=True, block_rate_ns=1)
    assert wish.make_request(ON) == requests.encode_set_contention_rates(block_rate_ns=1)
    assert wish.kinds == [ContentionKind.BLOCK, ContentionKind.MUTEX]


def test_a_new_engine_starts_with_what_is_wanted() -> None:
    assert ContentionWish().new_rates == (0, 0, 0)
    assert ContentionWish(has_mutex=True).new_rates == (0, 10, 0)
    assert ContentionWish(has_block=True, block_rate_ns=7).new_rates == (7, 0, 0)
