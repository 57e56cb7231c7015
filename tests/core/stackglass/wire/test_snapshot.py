"""A snapshot: what is asked for in which order, and engines that do not answer."""

from __future__ import annotations

import pytest

from harness.fake_clock import FakeClock
from harness.synthetic_engine import SyntheticEngine
from stackglass.errors import EngineError
from stackglass.wire.snapshot import SnapshotClient
from stackglass_viewer.model.proto.wire_pb2 import FromEngine


def make_dump() -> FromEngine:
    """One thread; all columns of a table are equally long."""
    message = FromEngine()
    for field in message.thread_dump.DESCRIPTOR.fields:
        if field.name.startswith("thread_"):
            is_text = field.type == field.TYPE_STRING
            getattr(message.thread_dump, field.name).append("worker" if is_text else 0)
    return message


class ImpatientClock(FakeClock):
    """Every look at it takes ten seconds."""

    def mono_ns(self) -> int:
        self.advance(10 * 10**9)
        return super().mono_ns()


class WatchedEngine(SyntheticEngine):
    """Notes what it had said and was not heard when it was asked to leave."""

    n_unheard = 0

    def send(self, message: bytes) -> None:
        n_before = len(self._out)
        super().send(message)
        if list_requests(self)[-1] == "detach":
            self.n_unheard = n_before


class SilentEngine(SyntheticEngine):
    """Nothing comes, however long a client waits: so it need not wait here."""

    def receive(self, timeout_s: float) -> bytes | None:
        return None


def list_requests(engine: SyntheticEngine) -> list[str | None]:
    return [request.WhichOneof("message") for request in engine.sent]


def test_detach_is_the_last_request_and_bye_the_last_message() -> None:
    engine = SyntheticEngine()
    engine.send_hello()
    engine.send_ready()
    engine.thread_dump.CopyFrom(make_dump().thread_dump)
    recording = SnapshotClient(engine, FakeClock()).take(profiles=("threads",))
    assert list_requests(engine) == ["take_thread_dump", "detach"]
    assert recording.bye is not None
    assert recording.dump is not None
    assert list(recording.dump.thread_name) == ["worker"]


def test_a_collection_is_waited_for_where_there_is_a_heap_profile() -> None:
    engine = WatchedEngine()
    engine.send_hello()
    engine.send_ready()
    engine.send_heap()
    recording = SnapshotClient(engine, FakeClock()).take(wants_gc=True)
    assert list_requests(engine) == ["collect", "detach"]
    assert engine.n_unheard == 0, "it leaves after the collection, not before"
    assert recording.heap.status is not None
    assert recording.heap.status.n_collects == 1


def test_an_engine_that_leaves_first_is_an_error_with_its_reason() -> None:
    engine = SyntheticEngine()
    engine.send_hello()
    engine.send_bye("the program has ended")
    with pytest.raises(EngineError, match="has left: the program has ended"):
        SnapshotClient(engine, FakeClock()).take()


def test_an_engine_that_says_nothing_is_not_waited_for_for_ever() -> None:
    with pytest.raises(EngineError, match="did not answer in 30 s"):
        SnapshotClient(SilentEngine(), ImpatientClock()).take()
