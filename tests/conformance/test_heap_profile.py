"""The heap profile's files, by the numbers of the checklist. What the profiler itself counts is
tested beside it, and in real processes by tests/integration/test_record_heap.py."""

from __future__ import annotations

import gzip
import random
import re
from pathlib import Path

import pytest

from harness.go_tool import run_pprof
from harness.heap_session import TextBucket, make_heap, record_heap
from harness.pprof_tables import check_agreement, read_go_top
from harness.pythons import find_pythons
from harness.recorder import record
from harness.saved_profile import SavedProfile
from stackglass.errors import OutputError, WireError
from stackglass.native import _core
from stackglass.wire import heap_text, messages, pprof, profile_file
from stackglass.wire.heap_profile import HeapKind
from stackglass.wire.heap_recording import HeapView, unsample
from stackglass.wire.recording import Recording

KIB = 1024
RATE = 512 * KIB


def save(
    buckets: list[TextBucket] | Recording,
    kind: HeapKind = HeapKind.HEAP,
    view: HeapView = HeapView.LIVE,
) -> SavedProfile:
    recording = buckets if isinstance(buckets, Recording) else record_heap(buckets)
    return SavedProfile(gzip.compress(pprof.encode(recording.build_heap(kind, view))))


def write_text(buckets: list[TextBucket], status: messages.HeapStatus | None = None) -> str:
    recording = record_heap(buckets, status)
    tables = recording.build_heap(HeapKind.HEAP, HeapView.LIVE)
    return heap_text.encode(tables, recording.heap, HeapView.LIVE).decode()


@pytest.mark.checklist(38, 39)
@pytest.mark.attach
def test_38_the_numbers_of_a_known_program(tmp_path: Path) -> None:
    """Checklist 38, 39: at rate 1 what lives and what has passed, each at its true caller."""
    path = tmp_path / "heap.pb.gz"
    program = (
        "import sys\n"
        "HEADER = sys.getsizeof(b'')\n"
        "def keep(): return [bytes(480 - HEADER) for _ in range(32)]\n"
        "def pass_by():\n"
        "    for _ in range(1024): bytes(1024 - HEADER)\n"
        "def large(): return bytearray((2 << 20) - 1)\n"
        "def through(depth): return through(depth - 1) if depth else large()\n"
        "kept = keep(), through(3)\n"
        "pass_by()\n"
    )
    executable = find_pythons().present[-1].executable
    words = ["--profile", "heap", "--heap-rate", "1", "-o", path]
    assert record(*words, "--", executable, "-c", program) == (0, "", "")
    saved = SavedProfile.read(path)
    assert saved.message.period == 1
    sizes = {
        (row.stack[-1].rpartition(".")[2], row.numbers.get("bytes")): row.values
        for row in saved.rows
    }
    kept = [row.values for row in saved.rows if row.numbers.get("bytes") == 480]
    assert kept == [[32, 32 * 480, 32, 32 * 480]]
    assert sizes["pass_by", 1024] == [1024, 1 << 20, 0, 0]
    (large,) = (row for row in saved.rows if row.values[3] > 1 << 20)
    assert 0 <= large.values[1] - (2 << 20) < 64  # what stands beside the bytes differs
    assert large.values == [1, large.values[1], 1, large.values[1]]
    stack = large.stack
    assert [name.rpartition(".")[2] for name in stack] == ["<module>", *["through"] * 4, "large"]


@pytest.mark.attach
def test_stacks_as_deep_as_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "heap.pb.gz"
    program = (
        "import sys\n"
        "sys.setrecursionlimit(3000)\n"
        "def down(n): return down(n - 1) if n else bytearray(2 << 20)\n"
        "kept = down(700)\n"
    )
    executable = find_pythons().present[-1].executable
    words = ["--profile", "heap", "--heap-rate", "1", "--stack-depth", "1024", "-o", path]
    assert record(*words, "--", executable, "-c", program) == (0, "", "")
    (large,) = (row for row in SavedProfile.read(path).rows if row.values[3] > 1 << 20)
    names = [name.rpartition(".")[2] for name in large.stack]
    assert names == ["<module>", *["down"] * 701]


@pytest.mark.checklist(40)
@pytest.mark.parametrize(
    ("taken", "stands_for"),
    [
        ((4, 4 * KIB), (2050, 2099200)),
        ((3, 3 * KIB), (1537, 1574400)),
        ((1, 512 * KIB), (1, 829411)),
        ((0, 0), (0, 0)),
        ((0, 5), (0, 0)),
        ((5, 0), (0, 0)),
    ],
)
def test_40_vectors(taken: tuple[int, int], stands_for: tuple[int, int]) -> None:
    assert unsample(*taken, RATE) == stands_for
    rows = save([TextBucket("main", *taken, rate=RATE)]).rows
    expected = [[*stands_for, *stands_for]] if taken[0] else []
    assert [row.values for row in rows] == expected


@pytest.mark.checklist(41)
@pytest.mark.parametrize("rate", [0, 1])
def test_41_unscaled_at_rate_one(rate: int) -> None:
    (row,) = save([TextBucket("main", 7, 7000, 2, 2000, rate)]).rows
    assert row.values == [7, 7000, 5, 5000]


@pytest.mark.checklist(42, 43)
def test_42_43_samples_keep_their_own_rate() -> None:
    """Checklist 42, and 43's part here: what was taken at several rates is scaled with each."""
    at_rate = TextBucket("main", 4, 4 * KIB, rate=RATE)
    (row,) = save([at_rate, TextBucket("main", 3, 3 * KIB, rate=1)]).rows
    assert row.values[:2] == [2050 + 3, 2099200 + 3 * KIB]
    status = messages.HeapStatus(time_mono_ns=2 * 10**9, rate=0)
    assert save(record_heap([at_rate], status)).rows[0].values[0] == 2050


@pytest.mark.checklist(43)
def test_43_estimates_are_unbiased() -> None:
    """Checklist 43: random sizes, sampled as the engine does, within three sigma of the truth."""
    generator = random.Random(43)
    rate, true_bytes, sampled = 4096, 0, dict[int, int]()
    left = generator.expovariate(1 / rate)
    sizes = [int(16 * 2 ** generator.uniform(0, 8)) for _ in range(200_000)]
    for size in sizes:
        true_bytes += size
        left -= size
        if left <= 0:
            sampled[size] = sampled.get(size, 0) + 1
            left = generator.expovariate(1 / rate)
    estimate = sum(unsample(n, n * size, rate)[1] for size, n in sampled.items())
    sigma = rate * (true_bytes / rate) ** 0.5
    assert abs(estimate - true_bytes) < 3 * sigma


@pytest.mark.checklist(44)
def test_44_sizes_at_one_stack_are_samples_of_their_own() -> None:
    saved = save([TextBucket("main;f", 2, 600), TextBucket("main;f", 3, 9000, 1, 3000)])
    assert {row.numbers["bytes"]: row.values for row in saved.rows} == {
        300: [2, 600, 2, 600],
        3000: [3, 9000, 2, 6000],
    }
    assert {tuple(row.stack) for row in saved.rows} == {("main", "f")}


@pytest.mark.checklist(44)
def test_44_files_of_one_session_cancel(tmp_path: Path) -> None:
    """Checklist 44: a row's label stays the same while sizes of its class come and go, so that
    ``pprof -base`` leaves what has changed and nothing else."""
    before = TextBucket("main;f", 4, 4 * 1191, size_bytes=1280)
    after = TextBucket("main;f", 6, 4 * 1191 + 2 * 1188, 2, 2 * 1188, size_bytes=1280)
    paths = [tmp_path / name for name in ("before.pb.gz", "after.pb.gz", "change.pb.gz")]
    for path, bucket in zip(paths[:2], (before, after), strict=True):
        tables = record_heap([bucket]).build_heap(HeapKind.HEAP, HeapView.LIVE)
        path.write_bytes(gzip.compress(pprof.encode(tables)))
    run_pprof("-proto", f"-output={paths[2]}", "-base", paths[0], paths[1])
    assert [row.values for row in SavedProfile.read(paths[2]).rows] == [[2, 2 * 1188, 0, 0]]


@pytest.mark.checklist(45)
def test_45_allocs_differs_in_the_default_type_alone() -> None:
    buckets = [TextBucket("main;f", 2, 600), TextBucket("main;g", 3, 9000, 3, 9000)]
    heap, allocs = save(buckets), save(buckets, HeapKind.ALLOCS)
    assert heap.sample_types == [
        "alloc_objects/count",
        "alloc_space/bytes",
        "inuse_objects/count",
        "inuse_space/bytes",
    ]
    assert (heap.default_type, allocs.default_type) == ("inuse_space", "alloc_space")
    texts = allocs.message.string_table
    period_type = allocs.message.period_type
    assert (texts[period_type.type], texts[period_type.unit]) == ("space", "bytes")
    assert allocs.message.duration_nanos == 0
    assert heap.rows == allocs.rows
    # Setting the same default makes them the same message: nothing else differs.
    assert heap.message.period == allocs.message.period
    assert heap.message.location == allocs.message.location


@pytest.mark.checklist(46, 47, 48)
def test_46_to_48_two_views() -> None:
    """Checklist 46 to 48, as far as files go: each view has the sums that the engine gave it."""
    recording = record_heap([TextBucket("main", 5, 500, 5, 500)])
    (live,) = save(recording, view=HeapView.LIVE).rows
    (as_of_full,) = save(recording, view=HeapView.AS_OF_FULL).rows
    assert live.values == [5, 500, 0, 0]
    assert as_of_full.values == [5, 500, 5, 500]


@pytest.mark.checklist(49)
def test_49_in_use_is_never_negative() -> None:
    """Checklist 49: an engine that said so would not be believed."""
    with pytest.raises(WireError):
        record_heap([TextBucket("main", 5, 500, 6, 500)])
    with pytest.raises(WireError):
        Recording(100).heap.add(make_heap([TextBucket("m", 1, 1, 0, 2)], {"m": 0}), 1)


@pytest.mark.checklist(52)
def test_52_sites_that_are_freed_stay_in_the_alloc_columns() -> None:
    (row,) = save([TextBucket("main;gone", 9, 900, 9, 900)]).rows
    assert row.values == [9, 900, 0, 0]


@pytest.mark.checklist(54)
def test_54_names_of_different_modules_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "heap.pb.gz"
    stacks = ["a.One.make", "a.Other.make", "b.One.make"]
    buckets = [TextBucket(stack, 1, 1000 * i) for i, stack in enumerate(stacks, 1)]
    recording = record_heap(buckets)
    tables = recording.build_heap(HeapKind.HEAP, HeapView.LIVE)
    profile_file.write_file(str(path), pprof.pack(pprof.encode(tables)))
    assert {name: flat for name, (flat, _) in read_go_top(path, 3, "bytes").items()} == {
        "a.One.make": 1000,
        "a.Other.make": 2000,
        "b.One.make": 3000,
    }


@pytest.mark.checklist(55)
def test_55_header_carries_twice_the_rate() -> None:
    freed = TextBucket("main", 3, 300, 1, 100, RATE)
    assert write_text([freed]).splitlines()[0] == "heap profile: 2: 200 [3: 300] @ heap/1048576"
    kept = TextBucket("main", 3, 300, rate=RATE)
    assert write_text([kept]).splitlines()[0] == "heap profile: 3: 300 [3: 301] @ heap/1048576"
    assert write_text([]).splitlines()[0] == "heap profile: 0: 0 [0: 1] @ heap/2"
    # Of several rates: scaled already.
    both = [TextBucket("main", 4, 4 * KIB, rate=RATE), TextBucket("main", 3, 3 * KIB)]
    first = write_text(both).splitlines()[0]
    assert first == f"heap profile: 2053: {2099200 + 3072} [2053: {2099200 + 3073}] @ heap/2"


@pytest.mark.checklist(56)
def test_56_largest_in_use_first_and_the_process_last() -> None:
    buckets = [
        TextBucket("main;small", 1, 10),
        TextBucket("main;large", 2, 2000),
        TextBucket("main;gone", 9, 9000, 9, 9000),
    ]
    status = messages.HeapStatus(time_mono_ns=2 * 10**9, n_full=4, max_rss_bytes=77, rss_bytes=66)
    text = write_text(buckets, status)
    rows = re.findall(r"^(\d+: \d+ \[\d+: \d+\]) @ 0x", text, re.MULTILINE)
    assert rows == ["2: 2000 [2: 2000]", "1: 10 [1: 10]", "0: 0 [9: 9000]"]
    assert re.search(r"^#\t0x[0-9a-f]+\tlarge\+0x0\tlarge\.py:5$", text, re.MULTILINE)
    assert text.index("# runtime.MemStats") > text.index("[9: 9000]")
    for line in ("# Alloc = 2010", "# TotalAlloc = 11010", "# NumGC = 4", "# MaxRSS = 77"):
        assert f"\n{line}\n" in text


@pytest.mark.checklist(57)
@pytest.mark.parametrize("is_text", [False, True])
def test_57_what_cannot_be_written_is_an_error(is_text: bool) -> None:
    recording = record_heap([TextBucket("main", 1, 1)])
    tables = recording.build_heap(HeapKind.HEAP, HeapView.LIVE)
    content = heap_text.encode(tables, recording.heap, HeapView.LIVE) if is_text else b"x"
    with pytest.raises(OutputError):
        profile_file.write_file("/dev/full", content)


@pytest.mark.checklist(58)
def test_58_pprof_reads_both(tmp_path: Path) -> None:
    """Checklist 58: with and without a binary, as protobuf and as text; and so do we."""
    buckets = [TextBucket("main;f", 4, 4 * KIB, rate=RATE), TextBucket("main", 1, RATE, rate=RATE)]
    recording = record_heap(buckets)
    tables = recording.build_heap(HeapKind.HEAP, HeapView.LIVE)
    packed, text = tmp_path / "heap.pb.gz", tmp_path / "heap.txt"
    packed.write_bytes(pprof.pack(pprof.encode(tables)))
    text.write_bytes(heap_text.encode(tables, recording.heap, HeapView.LIVE))
    assert read_go_top(packed, 1, "bytes") == {
        "f": (2099200, 2099200),
        "main": (829411, 2099200 + 829411),
    }
    assert check_agreement(packed) == 8
    for path in (packed, text):
        for binary in ((), (_core.__file__,)):
            assert "Type: alloc_space" in run_pprof("-alloc_space", "-top", *binary, path)
        total = run_pprof("-raw", path)
        assert "inuse_space/bytes" in total
    sampled = re.findall(r"^ +(\d+) +(\d+) +\d+ +\d+:", run_pprof("-raw", text), re.MULTILINE)
    assert sorted((int(objects), int(size)) for objects, size in sampled) == [
        (1, 829411),
        (2050, 2099200),
    ]
