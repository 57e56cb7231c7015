"""A heap that the window saves is the heap that the recorder saves."""

from __future__ import annotations

import pytest

from harness.heap_session import TextBucket, make_heap
from harness.wire_session import WireSession
from stackglass.wire import pprof, reader
from stackglass.wire.heap_profile import HeapKind
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.recording import Recording
from stackglass_viewer.model.heap.buckets import HeapColumn
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto import profile_pb2, wire_pb2
from stackglass_viewer.presenter.saving.heap_file import to_heap_profile

BUCKETS = [
    TextBucket("main;f", 10, 1000, 4, 400, rate=1),
    TextBucket("main;f", 3, 300, 0, 0, rate=4096),  # the same size at another rate: one row
    TextBucket("main;f", 2, 5000, 2, 5000, rate=4096),
    TextBucket("main;g", 1, 1 << 20, 0, 0, rate=512 * 1024),
    TextBucket("main;f", 7, 700, 0, 0, rate=1, labels=1),
    TextBucket("main;f", 1, 100, 0, 0, rate=4096, labels=1),
    TextBucket("main;f", 5, 500, 0, 0, rate=1, labels=2),
    TextBucket("main", 0, 0),
]


def messages() -> list[bytes]:
    """What an engine would say of these buckets."""
    wire = WireSession()
    wire.define_labels(("route", "/a"), ("route", "/b"))
    stacks, nodes = wire.stacks(bucket.stack for bucket in BUCKETS)
    reported = [wire.ready(), stacks]
    heap = wire_pb2.Heap(**make_heap(BUCKETS, nodes)._asdict())
    status = wire_pb2.HeapStatus(
        time_mono_ns=3 * 10**9,
        rate=4096,
        n_full=1,
        full_mono_ns=1,
        rss_bytes=5 << 20,
        attach_rss_bytes=4 << 20,
        unaccounted_bytes=-7,
        is_native_seen=1,
        n_native_libraries=2,
        n_allocators=1,
        arena_library=["libx.so"],
        arena_bytes=[1 << 20],
    )
    reported.append(wire_pb2.FromEngine(heap=heap).SerializeToString())
    reported.append(wire_pb2.FromEngine(heap_status=status).SerializeToString())
    return reported


Line = tuple[str, int]
Label = tuple[str, int, str]
Row = tuple[tuple[Line, ...], tuple[Label, ...], tuple[int, ...]]


def list_rows(content: bytes) -> list[Row]:
    profile = profile_pb2.Profile.FromString(content)
    texts = profile.string_table
    names = {each.id: texts[each.name] for each in profile.function}
    lines = {
        each.id: (names[each.line[0].function_id], each.line[0].line) for each in profile.location
    }
    return sorted(
        (
            tuple(lines[location] for location in sample.location_id),
            tuple((texts[label.key], label.num, texts[label.str]) for label in sample.label),
            tuple(sample.value),
        )
        for sample in profile.sample
    )


@pytest.mark.checklist(44, 45, 97)
@pytest.mark.parametrize(
    ("when", "view"),
    [(HeapWhen.LIVE, HeapView.LIVE), (HeapWhen.AS_OF_FULL, HeapView.AS_OF_FULL)],
)
def test_the_same_file(when: HeapWhen, view: HeapView) -> None:
    """Checklist 44, 45, 97."""
    live, recording = LiveProfile(connected_mono_ns=0), Recording(cpu_hz=0)
    for content in messages():
        live.apply(wire_pb2.FromEngine.FromString(content))
        message = reader.decode(content)
        assert message is not None
        recording.add(message)
    by_core = pprof.encode(recording.build_heap(HeapKind.HEAP, view))
    tables = to_heap_profile(
        live.heap.capture(when),
        live.list_definitions(),
        HeapColumn.INUSE_SPACE,
        live.to_unix_ns(3 * 10**9),
        live.facts.executable,
    )
    by_viewer = pprof.encode(tables)
    assert list_rows(by_viewer) == list_rows(by_core)
    routes = {label for row in list_rows(by_viewer) for label in row[1] if label[0] == "route"}
    assert routes == {("route", 0, "/a"), ("route", 0, "/b")}
    own, theirs = (profile_pb2.Profile.FromString(each) for each in (by_viewer, by_core))
    for name in ("period", "time_nanos", "duration_nanos"):
        assert getattr(own, name) == getattr(theirs, name), name
    comments = [[each.string_table[i] for i in each.comment] for each in (own, theirs)]
    assert comments[0] == comments[1]
    assert "unaccounted = -7" in comments[0]
    native = "native memory: as 2 libraries allocate it, 1 from their own allocators"
    assert native in comments[0]
    arenas = "resident in arenas of libx.so = 1048576: its allocator is not followed"
    assert arenas in comments[0]
    for profile in (own, theirs):
        texts = profile.string_table
        assert texts[profile.default_sample_type] == "inuse_space"
        assert texts[profile.mapping[0].filename] == "/usr/bin/python3.13"
        assert [texts[each.type] for each in profile.sample_type] == [
            "alloc_objects",
            "alloc_space",
            "inuse_objects",
            "inuse_space",
        ]
