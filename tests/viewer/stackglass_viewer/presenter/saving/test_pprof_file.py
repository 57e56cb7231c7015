"""Captures saved as pprof files, read back by protobuf."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.contention_talk import GIVER, TAKER, ContentionTalk
from harness.heap_talk import HeapTalk
from harness.saved_profile import Row, SavedProfile
from stackglass.errors import OutputError
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.thread_states import THREAD_STATES, WAITING_FOR_LOCK
from stackglass_viewer.model.heap.diff import HeapWindow, WindowKind
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto.wire_pb2 import (
    Batch,
    FromEngine,
    Heap,
    Rates,
    Ready,
    Status,
)
from stackglass_viewer.presenter.live.thread_list import list_thread_rows
from stackglass_viewer.presenter.saving.pprof_file import (
    save_contention,
    save_heap,
    save_heap_span,
    save_live,
)
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice, HeapChoice

S = 1_000_000_000
START_NS = 50 * S


@pytest.fixture
def live() -> LiveProfile:
    """m.f calls m.g; thread 7 has a name, thread 8 has none; two samples were lost."""
    made = LiveProfile(0)
    ready = Ready(time_unix_ns=10**18, time_mono_ns=START_NS, executable="/usr/bin/python3")
    made.apply(FromEngine(ready=ready))
    batch = Batch(
        strings=["", "m.f", "m.g", "m.py", "worker"],
        function_name=[1, 2],
        function_system_name=[1, 2],
        function_filename=[3, 3],
        function_start_line=[1, 9],
        location_function=[0, 1],
        location_line=[1, 9],
        node_parent=[0, 0, 1],
        node_location=[0, 0, 1],
        thread_tid=[7],
        thread_name=[4],
        sample_node=[1, 2, 2, 2],
        sample_tid=[7, 7, 8, 8],
        sample_labels=[0] * 4,
        sample_time=[0, 0, 0, 100],
        sample_count=[1, 2, 3, 4],
        sample_cpu_ns=[10, 20, 30, 40],
    )
    made.apply(FromEngine(batch=batch))
    status = Status(time_mono_ns=START_NS + S, n_samples=10, n_lost=2, cpu_hz=100)
    made.apply(FromEngine(status=status))
    return made


def test_wall_samples_are_saved_with_their_states(live: LiveProfile, tmp_path: Path) -> None:
    batch = Batch(
        wall_node=[2],
        wall_tid=[8],
        wall_labels=[0],
        wall_time=[1],
        wall_count=[5],
        wall_ns=[50],
        wall_state=[THREAD_STATES.index(WAITING_FOR_LOCK)],
        wall_call=[0],
    )
    live.apply(FromEngine(batch=batch))
    live.apply(FromEngine(rates=Rates(cpu_hz=100, wall_hz=20)))
    path = tmp_path / "wall.pb.gz"
    waits = frozenset([("state", WAITING_FOR_LOCK)])
    save_live(live.export(labels=waits, is_wall=True), str(path), "Everything")
    saved = SavedProfile.read(path)
    waiting = {"state": "waiting for a lock", "thread_id": "8"}
    assert [(row.values, row.labels) for row in saved.rows] == [([5, 50], waiting)]
    assert saved.sample_types == ["samples/count", "wall/nanoseconds"]
    save_live(live.export(is_wall=True), str(path), "Everything")
    states = [row.labels.get("state") for row in SavedProfile.read(path).rows]
    assert states == ["running"] * 3 + ["waiting for a lock", None]  # the last is what was lost


def test_equal_stacks_of_a_thread_are_one_sample(live: LiveProfile, tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    text = save_live(live.export(), str(path), "Everything")
    saved = SavedProfile.read(path)
    named, unnamed = {"thread": "worker", "thread_id": "7"}, {"thread_id": "8"}
    *sampled, lost = saved.rows
    assert sorted(sampled, key=lambda row: row.values) == [
        Row(["m.f"], named, {}, [1, 10]),
        Row(["m.f", "m.g"], named, {}, [2, 20]),
        Row(["m.f", "m.g"], unnamed, {}, [7, 70]),
    ]
    assert (lost.stack, lost.labels, lost.values[0]) == (["<lost samples>"], {}, 2)
    assert saved.sample_types == ["samples/count", "cpu/nanoseconds"]
    assert saved.default_type == "cpu"
    message = saved.message
    assert (message.period, message.time_nanos) == (10_000_000, 10**18)
    assert text == f"Everything is saved: 10 samples in {path.name}"


def test_lines_and_files_are_kept(live: LiveProfile, tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    save_live(live.export(), str(path), "Everything")
    message = SavedProfile.read(path).message
    texts = message.string_table
    functions = {
        texts[each.name]: (texts[each.filename], each.start_line) for each in message.function
    }
    assert functions == {"m.f": ("m.py", 1), "m.g": ("m.py", 9), "<lost samples>": ("", 0)}
    assert [location.line[0].line for location in message.location] == [1, 9, 0]


def test_some_threads_are_saved_without_what_was_lost(live: LiveProfile, tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    save_live(live.export(tids=frozenset({7})), str(path), "The shown part")
    assert sorted(row.values for row in SavedProfile.read(path).rows) == [[1, 10], [2, 20]]


def test_labels_are_kept_and_bound_what_is_saved(live: LiveProfile, tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    batch = Batch(
        strings=["route", "/a", "user", "eve"],  # strings 5 to 8
        label_set=[1, 1],
        label_key=[5, 7],
        label_value=[6, 8],
        sample_node=[1, 2],
        sample_tid=[8, 8],
        sample_labels=[1, 9],  # no set 9 is defined yet
        sample_time=[0, 0],
        sample_count=[5, 6],
        sample_cpu_ns=[50, 60],
    )
    live.apply(FromEngine(batch=batch))
    save_live(live.export(), str(path), "Everything")
    labels = {"route": "/a", "user": "eve", "thread_id": "8"}
    rows = SavedProfile.read(path).rows
    assert Row(["m.f"], labels, {}, [5, 50]) in rows
    assert sum(row.values[0] for row in rows) == 10 + 11 + 2  # what was lost is in it
    save_live(live.export(labels=frozenset([("route", "/a")])), str(path), "The shown part")
    assert SavedProfile.read(path).rows == [Row(["m.f"], labels, {}, [5, 50])]


def test_threads_of_c_are_labelled_and_listed_with_what_started_them(
    live: LiveProfile, tmp_path: Path
) -> None:
    path = tmp_path / "cpu.pb.gz"
    starts = Batch(started_tid=[8], started_by=[7], started_by_python=[1])
    live.apply(FromEngine(batch=starts))
    save_live(live.export(), str(path), "Everything")
    labels = [row.labels for row in SavedProfile.read(path).rows]
    assert {"thread_id": "8", "started by": "worker"} in labels
    assert {"thread": "worker", "thread_id": "7"} in labels
    threads = live.snapshot().threads
    assert {each.tid: each.starter for each in threads} == {7: "", 8: "worker"}
    names = {row.tids: row.name for row in list_thread_rows(threads, None)}
    assert names == {(7,): "worker", (8,): "thread 8, started by worker"}


def test_an_empty_capture_is_a_profile(tmp_path: Path) -> None:
    path = tmp_path / "cpu.pb.gz"
    save_live(LiveProfile(0).export(), str(path), "Everything")
    assert SavedProfile.read(path).rows == []


def test_a_capture_that_lost_all_its_samples_says_so(tmp_path: Path) -> None:
    live = LiveProfile(0)
    live.apply(FromEngine(ready=Ready(time_unix_ns=10**18, time_mono_ns=START_NS)))
    live.apply(FromEngine(status=Status(time_mono_ns=START_NS + S, n_lost=2, cpu_hz=100)))
    path = tmp_path / "cpu.pb.gz"
    save_live(live.export(), str(path), "Everything")
    (lost,) = SavedProfile.read(path).rows
    assert (lost.stack, lost.values[0]) == (["<lost samples>"], 2)


def test_a_folder_that_is_missing_is_an_error(live: LiveProfile, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot write"):
        save_live(live.export(), str(tmp_path / "no" / "cpu.pb.gz"), "Everything")


def test_the_heap_has_four_values_and_its_size_classes(tmp_path: Path) -> None:
    talk = HeapTalk()
    buckets = Heap(
        bucket_node=[1, 3], bucket_kind=[0, 0], bucket_size=[112] * 2, bucket_rate=[1] * 2
    )
    talk.live.apply(FromEngine(heap=buckets))
    talk.sums(1, (0, 4, 400, 1, 100), (1, 5, 500, 5, 500))
    path = tmp_path / "heap.pb.gz"
    shown = HeapChoice(is_in_use=True, is_space=False)
    text = save_heap(talk.live, str(path), None, HeapWhen.LIVE, shown)
    saved = SavedProfile.read(path)
    assert sorted(saved.rows) == [
        Row(["m.f"], {}, {"bytes": 112}, [4, 400, 3, 300]),
        Row(["m.f", "m.g"], {}, {"bytes": 112}, [5, 500, 0, 0]),
    ]
    assert saved.default_type == "inuse_objects"
    assert saved.message.period == 1
    assert text.startswith("The heap is saved: 300 B in use now")


def grow() -> HeapTalk:
    """f has 4 blocks at 1 s and 6 at 2 s, where g has lost all of its 5; at 3 s f has 106."""
    talk = HeapTalk()
    talk.define((1, 1), (3, 1))
    talk.sums(1, (0, 4, 400, 0, 0), (1, 5, 500, 0, 0))
    talk.events((0, 7, 0.9, 4, 400), (1, 8, 0.9, 5, 500))
    talk.sums(2, (0, 6, 600, 0, 0), (1, 5, 500, 5, 500))
    talk.events((0, 7, 1.9, 2, 200))
    talk.sums(3, (0, 106, 10_600, 0, 0), (1, 5, 500, 5, 500))
    talk.events((0, 7, 2.9, 100, 10_000))
    return talk


def save_window(talk: HeapTalk, folder: Path, window: HeapWindow, **fields: Any) -> Any:
    path, shown = folder / "heap.pb.gz", HeapChoice(is_in_use=window.kind == "growth")
    text = save_heap_span(talk.live, str(path), window, shown, **fields)
    saved = SavedProfile.read(path)
    return text, {row.stack[-1]: row.values for row in saved.rows}


def test_the_growth_between_two_moments_is_saved(tmp_path: Path) -> None:
    text, values = save_window(grow(), tmp_path, HeapWindow("growth", 100, 200))
    assert values == {"m.f": [2, 200, 2, 200], "m.g": [0, 0, -5, -500]}
    assert text == "The heap is saved: −300 B in use from 0:01 to 0:02, in heap.pb.gz"


def test_the_allocations_of_a_span_are_saved_with_the_heap_at_its_end(tmp_path: Path) -> None:
    text, values = save_window(grow(), tmp_path, HeapWindow("span", 100, 200))
    assert values == {"m.f": [2, 200, 6, 600]}
    assert text == "The heap is saved: 200 B allocated from 0:01 to 0:02, in heap.pb.gz"
    of_none = save_window(grow(), tmp_path, HeapWindow("span", 100, 200), tids=frozenset({8}))
    assert of_none[1] == {"m.f": [0, 0, 6, 600]}


@pytest.mark.parametrize("kind", ["span", "replay"])
def test_memory_in_use_is_that_of_the_end_of_a_span(kind: WindowKind, tmp_path: Path) -> None:
    """It was said to be that of the whole span."""
    path, in_use = str(tmp_path / "heap.pb.gz"), HeapChoice(is_in_use=True)
    text = save_heap_span(grow().live, path, HeapWindow(kind, 100, 200), in_use)
    assert text == "The heap is saved: 600 B in use at 0:02, in heap.pb.gz"
    text = save_heap_span(grow().live, path, HeapWindow(kind, 100, None), in_use)
    assert text == "The heap is saved: 10.4 KiB in use now, in heap.pb.gz"


def test_contention_is_labelled_by_what_it_waited_for_only_where_go_has_no_name(
    tmp_path: Path,
) -> None:
    talk = ContentionTalk()
    talk.define((0, 1, TAKER, 0), (0, 2, TAKER, 0), (1, 1, GIVER, 0))
    talk.sums(1, (0, 2, 300, 200), (1, 1, 900, 900), (2, 1, 50, 50))
    path = tmp_path / "block.pb.gz"
    shown = ContentionChoice(ContentionKind.BLOCK, is_delay=False)
    text = save_contention(talk.live, str(path), None, None, shown)
    saved = SavedProfile.read(path)
    stack = ["m.take", "_thread.lock.acquire"]
    assert saved.rows == [Row(stack, {}, {}, [3, 1200])]
    assert saved.sample_types == ["contentions/count", "delay/nanoseconds"]
    assert saved.default_type == "contentions"
    assert text.startswith("Contention is saved: 3")
