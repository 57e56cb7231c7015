"""What came of a collection that was asked for."""

from __future__ import annotations

from stackglass_viewer.model.proto.wire_pb2 import Heap
from stackglass_viewer.presenter.live.requested_collections import Collections


def test_the_fullest_since_it_was_asked_is_reported() -> None:
    collections = Collections()
    collections.add(
        Heap(collection_generation=[2], collection_pause_ns=[9], collection_collected=[9])
    )
    collections.ask(3)
    assert not collections.is_done(3)
    collections.add(
        Heap(
            collection_generation=[0, 2, 1],
            collection_pause_ns=[1, 12_000_000, 1],
            collection_collected=[4, 1234, 5],
        )
    )
    assert collections.is_done(4)
    assert collections.describe() == "collected 1\u202f234 objects in 12.0 ms"


def test_one_without_a_listener_is_reported() -> None:
    collections = Collections()
    collections.ask(0)
    assert collections.is_done(1)
    assert collections.describe() == "collected"
