"""Threads of a session: names that come later, and where each stands."""

from __future__ import annotations

import pytest

from stackglass.errors import WireError
from stackglass_viewer.model.live.labels import LiveLabels
from stackglass_viewer.model.live.threads import LiveThreads
from stackglass_viewer.model.proto.wire_pb2 import Batch, ThreadSnapshot


def test_a_thread_that_was_met_gets_its_name_later() -> None:
    threads = LiveThreads()
    threads.add_tids([7, 8])
    threads.add(Batch(thread_tid=[8], thread_name=[1]), ["", "worker"])
    threads.add_tids([8])
    assert threads.names == {7: "", 8: "worker"}


def find(threads: LiveThreads, until_ns: int | None) -> tuple[list[int], list[int], int]:
    stacks = threads.find_stacks(until_ns, 3, LiveLabels())
    return stacks.tid.tolist(), stacks.node.tolist(), stacks.time_mono_ns


def test_the_newest_snapshot_counts_and_earlier_ones_are_kept() -> None:
    threads = LiveThreads()
    assert find(threads, None) == ([], [], 0)
    first = ThreadSnapshot(time_mono_ns=100, tid=[7, 8], node=[1, 2])
    threads.add_snapshot(first, 3, LiveLabels())
    threads.add_snapshot(ThreadSnapshot(time_mono_ns=200, tid=[9], node=[0]), 3, LiveLabels())
    assert find(threads, None) == find(threads, 200) == ([9], [0], 200)
    assert find(threads, 199) == ([7, 8], [1, 2], 100)
    assert find(threads, 99) == ([], [], 0)
    assert set(threads.names) == {7, 8, 9}


def test_what_is_undefined_is_refused_and_changes_nothing() -> None:
    threads = LiveThreads()
    for snapshot in (ThreadSnapshot(tid=[7], node=[3]), ThreadSnapshot(tid=[7], node=[])):
        with pytest.raises(WireError):
            threads.add_snapshot(snapshot, 3, LiveLabels())
    with pytest.raises(WireError):
        threads.add(Batch(thread_tid=[7], thread_name=[2]), ["", "worker"])
    assert threads.names == {}
    assert find(threads, None) == find(threads, 10**18) == ([], [], 0)


def test_a_thread_id_out_of_range_is_refused() -> None:
    """Columns of thread IDs have 32 bits with a sign."""
    threads = LiveThreads()
    with pytest.raises(WireError):
        threads.add(Batch(thread_tid=[2**31], thread_name=[0]), [""])
    with pytest.raises(WireError):
        threads.add_tids({7, 2**31})
    snapshot = ThreadSnapshot(time_mono_ns=100, tid=[7, 2**31], node=[0, 0])
    with pytest.raises(WireError, match="thread ID 2147483648"):
        threads.add_snapshot(snapshot, 3, LiveLabels())
    assert threads.names == {}
    assert find(threads, None) == find(threads, 100) == ([], [], 0)


def test_names_without_a_thread_are_refused() -> None:
    with pytest.raises(WireError):
        LiveThreads().add(Batch(thread_tid=[7], thread_name=[0, 0]), [""])
