"""What each kind of profile file holds, as readable text (tests/golden/wire)."""

from __future__ import annotations

import struct

import pytest

from harness import profile_text
from harness.contention_session import TextContention, record_contention
from harness.golden import Golden
from harness.heap_session import TextBucket, record_heap
from harness.wire_session import TextSample, WireSession
from stackglass.wire import contention_text, heap_text, legacy_cpu, messages, pprof, reader
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.contention_profile import PROFILES
from stackglass.wire.heap_profile import HeapKind
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.recording import Recording

MS = 10**6
KIB = 1024
FIRST_LINE_OF_TEXT = b"00100000-"

BUCKETS = [
    TextBucket("main;load;read", 4, 4 * KIB, 1, KIB, rate=512 * KIB),
    TextBucket("main;load;read", 2, 2 * 64 * KIB, rate=512 * KIB),
    TextBucket("main;serve", 1, 2048 * KIB, 1, 2048 * KIB, rate=512 * KIB),
]
HEAP_STATUS = messages.HeapStatus(
    time_mono_ns=3 * 10**9,
    rate=512 * KIB,
    n_full=2,
    rss_bytes=90 << 20,
    max_rss_bytes=120 << 20,
    attach_rss_bytes=40 << 20,
    accounted_bytes=30 << 20,
    unaccounted_bytes=20 << 20,
    is_native_seen=True,
    n_native_libraries=17,
    n_allocators=1,
    arena_library=["liballoc.so"],
    arena_bytes=[8 << 20],
)


def record_cpu() -> Recording:
    wire = WireSession()
    recording = Recording(cpu_hz=100)
    samples = [
        TextSample("main;serve;parse", 3, 31 * MS),
        TextSample("main;serve", 1, 9 * MS),
        TextSample("run;<native>", 2, 20 * MS, tid=12),
        TextSample("main;serve;parse", 1, 10 * MS),
    ]
    for content in (
        wire.hello(),
        wire.ready(),
        wire.batch(samples, {1: "MainThread"}),
        wire.status(3 * 10**9, n_samples=9, n_lost=2, process_cpu_ns=85 * MS),
    ):
        message = reader.decode(content)
        assert message is not None
        recording.add(message)
    return recording


def list_contentions(recording_kind: ContentionKind) -> list[TextContention]:
    return [
        TextContention(recording_kind, "main;serve;acquire", 5, 7_500 * MS, lock=1),
        TextContention(recording_kind, "main;serve;acquire", 1, 20 * MS, lock=2),
        TextContention(recording_kind, "main;log", 2, 3_000_123),
        TextContention(ContentionKind.OTHER, "main;receive", 3, 900 * MS, primitive=1),
    ]


def test_cpu(golden: Golden) -> None:
    golden.check("wire/cpu.txt", profile_text.describe(pprof.encode(record_cpu().build())))


def test_cpu_in_words(golden: Golden) -> None:
    """The binary form that came before pprof: a line a record."""
    content = legacy_cpu.encode(record_cpu().build())
    binary, _, text = content.partition(FIRST_LINE_OF_TEXT)
    words = list(struct.unpack(f"<{len(binary) // 8}Q", binary))
    lines = [" ".join(map(str, words[:5]))]
    at = 5
    while at < len(words):
        count, depth = words[at : at + 2]
        stack = " ".join(f"{address:#x}" for address in words[at + 2 : at + 2 + depth])
        lines.append(f"{count} {depth} {stack}")
        at += 2 + depth
    golden.check("wire/cpu.words.txt", "\n".join([*lines, (FIRST_LINE_OF_TEXT + text).decode()]))


@pytest.mark.parametrize("kind", HeapKind, ids=lambda kind: kind.name.lower())
def test_heap(golden: Golden, kind: HeapKind) -> None:
    tables = record_heap(BUCKETS, HEAP_STATUS).build_heap(kind, HeapView.LIVE)
    name = f"wire/{kind.name.lower()}.txt"
    golden.check(name, profile_text.describe(pprof.encode(tables)))


@pytest.mark.parametrize("view", HeapView, ids=lambda view: view.name.lower())
def test_heap_in_text(golden: Golden, view: HeapView) -> None:
    recording = record_heap(BUCKETS, HEAP_STATUS)
    tables = recording.build_heap(HeapKind.HEAP, view)
    text = heap_text.encode(tables, recording.heap, view).decode()
    golden.check(f"wire/heap.{view.name.lower()}.text", text)


@pytest.mark.parametrize(("name", "kind"), PROFILES.items())
def test_contention(golden: Golden, name: str, kind: ContentionKind) -> None:
    recording = record_contention(list_contentions(kind))
    tables = recording.build_contention(kind, has_other=kind is ContentionKind.BLOCK)
    golden.check(f"wire/{name}.txt", profile_text.describe(pprof.encode(tables)))


@pytest.mark.parametrize(("name", "kind"), PROFILES.items())
def test_contention_in_text(golden: Golden, name: str, kind: ContentionKind) -> None:
    recording = record_contention(list_contentions(kind))
    tables = recording.build_contention(kind)
    has_other = kind is ContentionKind.BLOCK
    text = contention_text.encode(tables, recording.contention, kind, has_other).decode()
    golden.check(f"wire/{name}.text", text)
