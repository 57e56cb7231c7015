"""The heap in a live session: what clients receive, late clients, what an end leaves."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest

from harness.matrix import NEWEST, each_python, some_pythons
from harness.pythons import Python
from harness.session import Session, SessionError
from harness.targets import Target
from stackglass.wire.heap_recording import HeapView

pytestmark = pytest.mark.attach

LARGE = 3 << 20
PATIENCE_S = 10.0  # the engine waits 5 s for names
STILL_S = 0.8  # it drains every 150 ms


@some_pythons
def test_events_collections_and_both_views(python: Python) -> None:
    with Target(python, "live_heap.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as session:
            assert session.ready
            session.set_heap_rate(1)
            target.ask("build")
            session.wait_for_heap(lambda status: status.n_samples > 2000)
            assert session.sum_heap("keep_large")[3] >= LARGE
            assert session.n_heap_events > 0
            session.collect()
            status = session.wait_for_heap(lambda status: status.n_full > 0)
            assert status.full_mono_ns > 0
            assert status.is_listening_to_gc == 1
            assert 0 < status.attach_rss_bytes <= status.max_rss_bytes
            assert status.accounted_bytes >= LARGE
            assert any(generation == 2 for generation, _, _ in session.collections)
            target.ask("tangle")
            target.ask("drop")
            session.wait_for_heap()
            # What has happened since is seen now, and not as of the collection.
            assert session.sum_heap("keep_large")[3] == 0
            assert session.sum_heap("keep_large", HeapView.AS_OF_FULL)[3] >= LARGE
            assert session.sum_heap("tangle", HeapView.AS_OF_FULL)[1] == 0
            session.collect()
            session.wait_for_heap()
            assert session.sum_heap("keep_large", HeapView.AS_OF_FULL)[3] == 0
            assert max(collected for _, _, collected in session.collections) >= 500
            session.detach()
        target.finish()


@pytest.mark.checklist(42)
@some_pythons
def test_the_rate_is_off_until_somebody_asks_and_acts_at_once(python: Python) -> None:
    """Checklist 42: at rate 0 nothing is sampled, and what was is kept."""
    with Target(python, "live_heap.py", has_stdin=True) as target:
        with Session(target.pid, hz=100) as session:
            assert session.ready
            session.read_for(0.3)
            assert session.heap.status is None
            session.set_heap_rate(1)
            target.ask("build")
            before = session.wait_for_heap(lambda status: status.n_samples > 2000)
            session.set_heap_rate(0)
            target.ask("build")
            after = session.wait_for_heap()
            assert after.n_samples < before.n_samples + 2000
            assert LARGE <= session.sum_heap("keep_large")[3] < 2 * LARGE
            target.ask("drop")  # frees are followed at every rate
            session.wait_for_heap()
            assert session.sum_heap("keep_large")[3] == 0
            session.detach()
        target.finish()


@some_pythons
def test_who_comes_late_knows_it_all(python: Python) -> None:
    with Target(python, "live_heap.py", has_stdin=True) as target:
        with Session(target.pid, hz=0) as first:
            first.set_heap_rate(1)
            target.ask("build")
            first.wait_for_heap(lambda status: status.n_samples > 2000)
            with Session(target.pid, hz=0) as second:
                second.wait_for_heap()
                assert second.rates is not None
                assert second.rates.heap_rate == 1
                first.wait_for_heap()
                second.wait_for_heap()
                for function in ("keep_blocks", "keep_texts", "keep_large"):
                    assert second.sum_heap(function) == first.sum_heap(function)
                    assert second.sum_heap(function)[3] > 0
                target.ask("drop")
                second.wait_for_heap()
                # Up to 3.10 a function keeps its last frame.
                assert second.sum_heap("keep_blocks")[3] < 1000
                first.wait_for_heap()
                assert first.sum_heap("keep_blocks") == second.sum_heap("keep_blocks")
            first.detach()
        target.finish()


@some_pythons
def test_churn_comes_and_goes_with_many_visits(python: Python) -> None:
    """The target's own results say whether anything broke."""
    with Target(python, "malloc_churn.py") as target:
        for rate in (1, 4096, 512 * 1024):
            with Session(target.pid, hz=1000) as session:
                session.set_heap_rate(rate)
                session.wait_for_heap(lambda status: status.n_samples > 0)
                session.collect()
                session.detach()
        target.finish()


@some_pythons
def test_a_forked_child_goes_on(python: Python) -> None:
    with Target(python, "forking.py") as target:
        with Session(target.pid, hz=100) as session:
            session.set_heap_rate(512)
            session.wait_for_heap(lambda status: status.n_samples > 0)
            session.read_for(0.7)
            session.detach()
        target.finish()


@each_python
def test_the_program_ends_while_its_heap_is_watched(python: Python) -> None:
    with (
        Target(python, "live_heap.py", has_stdin=True) as target,
        Session(target.pid, hz=100) as session,
    ):
        session.set_heap_rate(1)
        target.ask("build")
        with session.reading_in_background():
            target.finish()
        session.wait_for_end()
        assert session.bye is not None
        assert session.sum_heap("keep_large")[3] >= LARGE


def test_the_heap_is_not_read_while_the_engine_waits_to_withdraw_its_hooks() -> None:
    """As soon as it has the GIL, its worker frees what is read."""
    with (
        Target(NEWEST, "gil_never_given.py", has_stdin=True) as target,
        Session(target.pid, hz=0) as session,
    ):
        session.set_heap_rate(1)
        target.ask("hang")

        def leave() -> None:
            with contextlib.suppress(SessionError):
                session.detach()

        leaving = threading.Thread(target=leave)
        leaving.start()
        try:
            assert session.heap.status is not None
            read_ns, deadline = 0, time.monotonic() + PATIENCE_S
            while session.heap.status.time_mono_ns != read_ns:
                assert time.monotonic() < deadline, "the heap is still read"
                read_ns = session.heap.status.time_mono_ns
                time.sleep(STILL_S)
            assert not session.is_at_end
            assert read_ns >= session.status.time_mono_ns, "it has not begun to leave"
        finally:
            target.close()
            leaving.join()
