"""What the tab of a process shows, built as the worker builds it, from messages of an engine."""

from __future__ import annotations

import os

import pytest

from harness.contention_talk import MAIN, OTHER_TAKER, TAKER, WORKER, ContentionTalk
from harness.heap_talk import START_NS, HeapTalk, S
from harness.live_source import (
    ALLOCATED,
    BLOCK,
    GONE,
    IN_USE,
    PALETTE,
    build,
    list_rows,
    sample,
    sample_live,
    send_status,
    total_of,
)
from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.contention.snapshot import ContentionFilter
from stackglass_viewer.model.contention.table import NO_LOCK
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.live_profile import CPU, SAMPLES, THREADS, LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import (
    Batch,
    CustomProfiles,
    FromEngine,
    ThreadSnapshot,
)
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.live.source import LIVE_TYPES, LiveSource
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    HeapChoice,
    find_contention_type,
    find_heap_type,
)
from stackglass_viewer.presenter.tables.top_model import Arrangement

OBJECTS = TypeId(find_heap_type(LIVE_TYPES, HeapChoice(is_space=False)))
N_BLOCKED = TypeId(find_contention_type(LIVE_TYPES, ContentionChoice(is_delay=False)))


@pytest.fixture
def live() -> LiveProfile:
    return sample_live()


def test_a_tab_begins_with_cpu_time() -> None:
    source = LiveSource(LiveProfile(0), GONE)
    assert source.first_type == CPU
    assert source.sample_types is LIVE_TYPES


def test_graph_table_and_words_are_of_one_sample_type(live: LiveProfile) -> None:
    built = build(live)
    assert total_of(built) == 4 * S
    assert [row for row in list_rows(built) if row[2]] == [("m.f", 3 * S, 4 * S), ("m.g", S, S)]
    assert built.info.description == "4.00 s of CPU time in 10.0 s"
    assert (built.info.is_live, built.info.has_heap, built.info.has_contention) == (True,) * 3
    assert not built.is_idle
    counted = build(live, SAMPLES)
    assert (total_of(counted), counted.info.description) == (400, "400 samples in 10.0 s")


def test_a_span_and_threads_that_are_chosen(live: LiveProfile) -> None:
    assert build(live, span_ns=5 * S).info.description == "1.00 s of CPU time in 5.00 s"
    built = build(live, tids=frozenset([7]))
    assert total_of(built) == 3 * S
    assert built.threads is not None
    assert [(row.name, row.share) for row in built.threads] == [
        ("thread 7", 0.75),
        ("thread 8", 0.25),
    ]


def test_a_thread_named_after_the_program_is_unnamed(live: LiveProfile) -> None:
    live._executable = "/usr/bin/python3"
    live._threads.names.update({7: "python3", 8: "worker"})
    built = build(live, split_key="thread")
    assert {row.name for row in built.threads or ()} == {"thread 7", "worker"}
    assert {"thread = thread 7", "thread = worker"} < set(built.top.name)


def test_a_span_of_the_timeline(live: LiveProfile) -> None:
    built = build(live, window=HeapWindow("span", 750, 900))
    assert (total_of(built), built.info.description) == (
        S,
        "1.00 s of CPU time from 0:07.5 to 0:09",
    )
    live.apply(FromEngine(threads=ThreadSnapshot(tid=[7], node=[3])))
    empty = build(live, window=HeapWindow("span", 200, 300))
    assert empty.info.description == "no samples from 0:02 to 0:03"
    assert not empty.is_idle
    open_end = build(live, window=HeapWindow("growth", 200, None))
    assert total_of(open_end) == 4 * S, "that is a window of the heap"


def test_without_cpu_time_the_threads_current_stacks_are_shown() -> None:
    live = HeapTalk().live
    assert build(live).info.description.startswith("no samples yet")
    live.apply(FromEngine(threads=ThreadSnapshot(tid=[7, 9], node=[3, 3])))
    built = build(live)
    assert built.is_idle
    assert (total_of(built), built.info.description) == (2, "2 threads, current stacks")
    live.apply(FromEngine(threads=ThreadSnapshot(tid=[7], node=[3])))
    chosen = build(live, THREADS)
    assert chosen.info.description == "1 thread, current stacks"
    assert not chosen.is_idle, "that is what was asked for"


def snapshot(live: LiveProfile, at_s: float, *tids: int) -> None:
    at_ns = START_NS + round(at_s * S)
    nodes = [3] * len(tids)
    live.apply(FromEngine(threads=ThreadSnapshot(time_mono_ns=at_ns, tid=tids, node=nodes)))


def test_a_moment_has_the_stacks_that_were_current_then(live: LiveProfile) -> None:
    snapshot(live, 2.0, 7, 9)
    snapshot(live, 6.0, 7)
    words = [
        build(live, THREADS, window=HeapWindow("replay", 0, until)).info.description
        for until in (150, 250, 599, 600, 900)
    ]
    assert words == [
        "no stacks are known at 0:01.5",
        "2 threads, stacks at 0:02",
        "2 threads, stacks at 0:02",
        "1 thread, stacks at 0:06",
        "1 thread, stacks at 0:06",
    ]
    assert build(live, THREADS).info.description == "1 thread, current stacks"


def test_a_replay_of_an_idle_process_shows_what_was_shown_live() -> None:
    live = HeapTalk().live
    snapshot(live, 2.0, 7, 9)
    snapshot(live, 6.0, 7)
    built = build(live, window=HeapWindow("replay", 0, 300))
    assert (built.is_idle, built.info.description) == (True, "2 threads, stacks at 0:02")
    early = build(live, window=HeapWindow("replay", 0, 100))
    assert (early.is_idle, early.info.description) == (False, "no samples from 0:00 to 0:01")
    drawn = build(live, window=HeapWindow("span", 0, 300))
    assert not drawn.is_idle, "the user asks what was sampled there"


def test_lost_samples_are_said(live: LiveProfile) -> None:
    send_status(live, 20, n_lost=1234)
    assert build(live, SAMPLES).info.description.endswith("lost")
    assert "  ·  1" in build(live, SAMPLES).info.description


def test_threads_that_ended_are_marked(live: LiveProfile) -> None:
    own = os.getpid()
    sample(live, (1, own, 9.0, 1, S))
    rows = build(live, pid=own).threads
    assert rows is not None
    assert {row.tids: row.is_ended for row in rows}[(own,)] is False
    assert all(row.is_ended for row in rows if own not in row.tids)
    unknown = build(live, pid=GONE).threads
    assert unknown is not None
    assert not any(row.is_ended for row in unknown)


@pytest.fixture
def labelled(live: LiveProfile) -> LiveProfile:
    """Thread 9 used 2 s for the route /a; threads stand still."""
    batch = Batch(
        strings=["route", "/a", "tenant", "7"],
        label_set=[1, 1],
        label_key=[4, 6],
        label_value=[5, 7],
        sample_node=[1],
        sample_tid=[9],
        sample_labels=[1],
        sample_time=[200],
        sample_count=[200],
        sample_cpu_ns=[2 * S],
    )
    live.apply(FromEngine(batch=batch))
    live.apply(FromEngine(threads=ThreadSnapshot(tid=[9], node=[3], labels=[1])))
    return live


def test_labels_are_filtered_for(labelled: LiveProfile) -> None:
    built = build(labelled, labels=frozenset([("route", "/a")]))
    assert (total_of(built), built.info.description) == (2 * S, "2.00 s of CPU time in 10.0 s")
    assert built.info.has_labels
    none = build(labelled, labels=frozenset([("route", "/b")]))
    assert none.info.description == "no samples pass the filters in 10.0 s"
    late = build(labelled, labels=frozenset([("route", "/a")]), span_ns=S)
    assert not late.is_idle, "current stacks are not samples with these labels"


def test_the_table_of_labels_comes_when_it_is_asked_for(labelled: LiveProfile) -> None:
    assert build(labelled).labels is None
    built = build(labelled, label_key="")
    assert built.labels is not None
    assert built.labels.table is not None
    assert built.labels.key == "route"
    assert built.labels.whole == 6 * S
    coloured = build(labelled, label_key="", colour_key="tenant")
    assert coloured.labels is not None
    assert coloured.labels.key == "tenant"


def test_a_process_without_labels_has_none(live: LiveProfile) -> None:
    assert not build(live).info.has_labels


@pytest.fixture
def heap() -> HeapTalk:
    """Two buckets at f:1 and f:1 g. After 2 s 400 and 50 bytes are in use, after 9 s 500 and 0."""
    talk = HeapTalk()
    talk.define((1, 1), (3, 1))
    talk.events((0, 7, 1.0, 4, 400), (1, 7, 1.0, 1, 50))
    talk.sums(2, (0, 4, 400, 0, 0), (1, 1, 50, 0, 0))
    talk.events((0, 7, 8.0, 1, 100))
    talk.events((1, 7, 8.0, 1, 50), is_free=True)
    talk.sums(9, (0, 5, 500, 0, 0), (1, 1, 50, 1, 50))
    return talk


@pytest.mark.parametrize(
    ("wanted", "total", "description"),
    [
        (IN_USE, 500, "500 B in use"),
        (OBJECTS, 5, "5 objects in use"),
        (ALLOCATED, 550, "550 B allocated in 7.00 s"),
    ],
    ids=["in use", "objects", "allocated"],
)
def test_the_heap_now(heap: HeapTalk, wanted: TypeId, total: int, description: str) -> None:
    built = build(heap.live, wanted)
    assert (total_of(built), built.info.description) == (total, description)
    assert built.info.heap_when is HeapWhen.LIVE
    assert built.heap is None, "its table was not asked for"
    assert built.threads is None


def test_the_table_of_the_heap_by_sites_or_functions(heap: HeapTalk) -> None:
    by_site = build(heap.live, ALLOCATED, heap_grouping="sites").heap
    by_function = build(heap.live, ALLOCATED, heap_grouping="functions").heap
    assert by_site is not None
    assert by_function is not None
    assert sorted(zip(by_site.name, by_site.line.tolist(), strict=True)) == [("m.f", 1), ("m.g", 9)]
    assert sorted(zip(by_function.name, by_function.line.tolist(), strict=True)) == [
        ("m.f", 0),
        ("m.g", 0),
    ]
    assert build(heap.live, CPU, heap_grouping="sites").heap is None


def test_the_heap_as_of_the_last_full_collection(heap: HeapTalk) -> None:
    built = build(heap.live, IN_USE, heap_when=HeapWhen.AS_OF_FULL)
    assert built.info.description.endswith("in use now"), "there was no full collection"
    assert built.info.heap_when is HeapWhen.AS_OF_FULL


def test_what_grew_in_a_window(heap: HeapTalk) -> None:
    window = HeapWindow("growth", 500, 900)
    built = build(heap.live, IN_USE, window=window, heap_grouping="sites")
    assert built.info.description == "+100 B, −50 B in use from 0:02 to 0:09", "from a status"
    assert built.top.is_change
    assert built.heap is not None
    assert built.heap.is_change
    still = build(heap.live, ALLOCATED, window=window)
    assert still.info.description == "550 B allocated in 7.00 s", "growth is of what is in use"


def test_what_was_allocated_in_a_window(heap: HeapTalk) -> None:
    built = build(heap.live, ALLOCATED, window=HeapWindow("span", 500, 900))
    assert built.info.description == "100 B allocated from 0:05 to 0:09"
    assert not built.top.is_change
    assert built.info.heap_when is HeapWhen.LIVE


def test_costs_of_rates_are_predicted_now_and_then(
    heap: HeapTalk, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock_s = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock_s[0])
    source = LiveSource(heap.live, GONE)
    request = BuildRequest(IN_USE, "cost", PALETTE, Arrangement())
    first = source.build(request).heap_costs
    assert first
    clock_s[0] += 1
    assert source.build(request).heap_costs is first
    clock_s[0] += 1
    assert source.build(request).heap_costs is not first


@pytest.fixture
def contention() -> ContentionTalk:
    """m.take waited for m.LOCK twice, 4 s, and m.other for the other lock once, 1 s."""
    talk = ContentionTalk()
    talk.define((0, 1, TAKER, 0), (0, 2, OTHER_TAKER, 0))
    talk.events((0, MAIN, 1.0, 2, 4 * S), (1, WORKER, 5.0, 1, S))
    talk.sums(10, (0, 2, 4 * S, 3 * S), (1, 1, S, S))
    return talk


def test_waits_for_locks(contention: ContentionTalk) -> None:
    built = build(contention.live, BLOCK)
    assert total_of(built) == 5 * S
    assert built.info.description == "5.00 s waited for locks in 10.0 s"
    assert built.threads is not None
    assert [(row.name, row.share) for row in built.threads] == [
        ("MainThread", 0.8),
        ("worker", 0.2),
    ]
    assert built.contention is not None
    assert built.contention.offer is not None
    assert (built.contention.table, built.contention.waiting) == (None, None)
    assert build(contention.live, N_BLOCKED).info.description == "3 waits for locks in 10.0 s"


def test_waits_of_a_span_and_of_none(contention: ContentionTalk) -> None:
    window = HeapWindow("span", 400, 600)
    built = build(contention.live, BLOCK, window=window)
    assert built.info.description == "1.00 s waited for locks from 0:04 to 0:06"
    empty = build(contention.live, BLOCK, window=HeapWindow("span", 600, 700))
    assert empty.info.description == "no waits for locks recorded from 0:06 to 0:07"
    gil = TypeId(find_contention_type(LIVE_TYPES, ContentionChoice(ContentionKind.GIL)))
    assert build(contention.live, gil).info.description == "no waits for the GIL recorded in 10.0 s"


def test_waits_for_one_lock_or_kind_of_lock(contention: ContentionTalk) -> None:
    one = build(contention.live, BLOCK, waits=ContentionFilter(lock=1))
    assert total_of(one) == 4 * S
    assert one.info.description.startswith("4.00 s waited for locks in 10.0 s  ·  only ")
    assert "m.LOCK" in one.info.description
    none = build(contention.live, BLOCK, waits=ContentionFilter(lock=0))
    assert none.info.description.endswith(f"  ·  only {NO_LOCK}")
    kind = build(contention.live, BLOCK, waits=ContentionFilter(primitive="Lock.acquire"))
    assert kind.info.description.endswith("  ·  only Lock.acquire")


def test_the_table_of_waits_comes_when_it_is_asked_for(contention: ContentionTalk) -> None:
    built = build(contention.live, BLOCK, waits_grouping="locks")
    assert built.contention is not None
    assert built.contention.table is not None
    assert built.contention.waiting is not None


def test_a_profile_that_the_program_fills_is_a_type_of_its_own() -> None:
    """It comes after the types that every process has, in front of heap and contention in the
    list; and it stays when its last value has gone."""
    talk = HeapTalk()
    live = talk.live
    assert build(live).sample_types == LIVE_TYPES
    message = CustomProfiles(
        profile_name=["app.open", "heap"], row=[0], row_profile=[0], row_node=[1], row_count=[3]
    )
    live.apply(FromEngine(custom_profiles=message))
    own = TypeId(len(LIVE_TYPES))
    built = build(live, own)
    assert built.sample_types is not None
    assert [each.name for each in built.sample_types[own:]] == ["app.open", "program's heap"]
    assert built.info.choice.entries[4:] == ("app.open", "program's heap", "heap", "contention")
    assert built.info.choice.custom == "app.open"
    assert built.info.choice.entry == 4
    assert built.info.description == "3 values now"
    assert built.scene is not None
    assert int(built.scene.values.total[0]) == 3
    gone = CustomProfiles(row=[0], row_profile=[0], row_node=[1], row_count=[0], n_lost=2)
    live.apply(FromEngine(custom_profiles=gone))
    built = build(live, own)
    assert built.info.description == "0 values now  ·  2 lost"
    assert "app.open" in built.info.choice.entries
    assert build(live, IN_USE).info.choice.heap is not None


def test_a_profile_that_the_program_fills_as_it_was_at_a_moment() -> None:
    live = HeapTalk().live
    for second, count in ((2, 3), (6, 1)):
        message = CustomProfiles(
            time_mono_ns=START_NS + second * S,
            profile_name=["app.open"] if second == 2 else [],
            row=[0],
            row_profile=[0],
            row_node=[1],
            row_count=[count],
        )
        live.apply(FromEngine(custom_profiles=message))
    own = TypeId(len(LIVE_TYPES))
    wanted = (("0 values", "1"), ("3 values", "2"), ("3 values", "5.5"), ("1 value", "6"))
    words = [
        build(live, own, window=HeapWindow("replay", 0, until)).info.description
        for until in (100, 200, 550, 600)
    ]
    assert words == [f"{text} at 0:0{at}" for text, at in wanted]
    assert build(live, own).info.description == "1 value now"
