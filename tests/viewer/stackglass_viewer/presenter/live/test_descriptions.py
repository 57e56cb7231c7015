"""What a process's tab shows, in words."""

from __future__ import annotations

import pytest

from harness.contention_talk import MAIN, TAKER, ContentionTalk
from harness.heap_talk import START_NS, HeapTalk, S
from harness.live_source import IN_USE, build, sample, sample_live, send_status, total_of
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.live_profile import SAMPLES, THREADS, LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import FromEngine, ThreadSnapshot
from stackglass_viewer.presenter.live.descriptions import _say_seconds
from stackglass_viewer.presenter.live.source import LIVE_TYPES
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    find_contention_type,
)

BLOCK = TypeId(find_contention_type(LIVE_TYPES, ContentionChoice()))


@pytest.fixture
def live() -> LiveProfile:
    return sample_live()


@pytest.mark.parametrize(
    ("span_ns", "text"),
    [(0, "less than 1 s"), (999_999_999, "less than 1 s"), (10_900_000_000, "10.0 s")],
)
def test_a_span_is_in_whole_seconds(span_ns: int, text: str) -> None:
    assert _say_seconds(span_ns) == text


def test_stacks_of_a_process_that_was_idle_long_ago_are_not_current() -> None:
    """Stacks are requested while no thread uses the CPU: those of a busy process are old."""
    live = HeapTalk().live
    stacks = ThreadSnapshot(time_mono_ns=START_NS + 2 * S, tid=[7, 9], node=[3, 3])
    live.apply(FromEngine(threads=stacks))
    send_status(live, 7)
    assert build(live, THREADS).info.description == "2 threads, current stacks"
    send_status(live, 40)
    assert build(live, THREADS).info.description == "2 threads, stacks at 0:02"


def test_nothing_is_of_now_once_the_capture_is_over(live: LiveProfile) -> None:
    stacks = ThreadSnapshot(time_mono_ns=START_NS + 9 * S, tid=[7, 9], node=[3, 3])
    live.apply(FromEngine(threads=stacks))
    standing = build(live, THREADS, is_over=True)
    assert standing.info.description == "2 threads, stacks at the end"
    heap = build(HeapTalk().live, IN_USE, heap_when=HeapWhen.AS_OF_FULL, is_over=True)
    assert heap.info.description.endswith(" in use at the end")


def test_no_samples_yet_is_said_of_a_session_without_any(live: LiveProfile) -> None:
    chosen = build(live, tids=frozenset({12345}))
    assert total_of(chosen) == 0
    assert chosen.info.description == "no samples in 10.0 s"


def test_one_sample_is_one(live: LiveProfile) -> None:
    live.clear()
    sample(live, (1, 7, 9.5, 1, S))
    assert build(live, SAMPLES).info.description.startswith("1 sample in ")


def test_no_waits_of_the_chosen_threads_are_not_no_waits() -> None:
    talk = ContentionTalk()
    talk.define((0, 1, TAKER, 0))
    talk.events((0, MAIN, 1.0, 2, 4 * S))
    talk.sums(10, (0, 2, 4 * S, 3 * S))
    built = build(talk.live, BLOCK, tids=frozenset({12345}))
    assert built.info.description == "no waits for locks pass the filters in 10.0 s"
