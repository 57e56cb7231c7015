"""Lanes: collections and regions by thread, states of threads where a session has them."""

from __future__ import annotations

import io
from pathlib import Path

from harness.event_blocks import encode_block
from harness.session_writer import SessionWriter, make_batch, make_ready
from harness.traced_memory import read_trace
from stackglass_viewer.model.memory_trace.events import DTYPES
from stackglass_viewer.model.memory_trace.findings import list_findings
from stackglass_viewer.model.memory_trace.lanes import list_slices, read_counter
from stackglass_viewer.model.memory_trace.opening import open_trace_content
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.proto import wire_pb2

MS = 1_000_000


def test_regions_nest_and_threads_are_apart(tmp_path: Path) -> None:
    trace = MemoryTrace(
        read_trace(
            """
            10 region 0 type=outer tid=1
            20 region 0 type=inner tid=1
            25 region 0 type=other tid=2
            30 region-end 0 tid=1
            40 region-end 0 tid=1
            45 gc 0 1 tid=1
            50 region-end 0 tid=9
            """
        ),
        "x",
        folder=tmp_path,
    )
    assert [tuple(each) for each in list_slices(trace)] == [
        (1, 10, 40, "region", "outer"),
        (1, 20, 30, "region", "inner"),
        (2, 25, 50, "region", "other"),  # without an end: until the trace's
        (1, 45, 50, "collection", "generation 1"),
    ]


def test_regions_of_tasks_take_turns(tmp_path: Path) -> None:
    """Each end is that of the region with its number; one from before the trace has no begin."""
    trace = MemoryTrace(
        read_trace(
            """
            10 region 0 1 type=work
            20 region 0 2 type=work
            30 region-end 0 1 type=work
            40 region-end 0 9 type=work
            50 region-end 0 2 type=work
            """
        ),
        "x",
        folder=tmp_path,
    )
    assert [each[1:3] for each in list_slices(trace)] == [(10, 30), (20, 50)]


def test_states_of_threads_are_lanes_where_the_session_has_them(tmp_path: Path) -> None:
    file = io.BytesIO()
    writer = SessionWriter(file)
    source = read_trace("1 alloc 0x10 16 at=main\n400000000 free 0x10")
    writer.add_messages([make_ready(), make_batch(source.names.definitions, {7: "Main"})])
    samples = wire_pb2.Batch(
        sample_node=[1, 1],
        sample_tid=[7, 7],
        sample_labels=[0, 0],
        sample_time=[10, 11],
        sample_count=[1, 1],
        sample_cpu_ns=[10 * MS, 10 * MS],
        wall_node=[1, 1],
        wall_tid=[7, 8],
        wall_labels=[0, 0],
        wall_time=[29, 29],
        wall_count=[10, 10],
        wall_ns=[100 * MS, 100 * MS],
        wall_state=[2, 3],
        wall_call=[0, 0],
    )
    writer.add_messages([wire_pb2.FromEngine(batch=samples)])
    for events in source.listed:
        writer.add_events(encode_block({name: getattr(events, name) for name in DTYPES}))
    writer.finish()
    trace = open_trace_content(memoryview(file.getvalue()), "x.sgm", folder=tmp_path)
    slices = [each for each in list_slices(trace) if each.category == "state"]
    lanes = {(each.tid, each.name): (each.begin_ns, each.end_ns) for each in slices}
    assert lanes[7, "running"] == (100 * MS, 120 * MS)
    waits = {name: span for (tid, name), span in lanes.items() if name != "running"}
    assert len(waits) == 2
    assert set(waits.values()) == {(200 * MS, 300 * MS)}


def test_waits_are_lanes_whenever_the_session_began(tmp_path: Path) -> None:
    """All of a file counts, as of the first message."""
    file = io.BytesIO()
    writer = SessionWriter(file)
    source = read_trace("1 alloc 0x10 16 at=main\n400000000 free 0x10")
    wait = wire_pb2.Contention(
        lock_primitive=[0],
        lock_address=[0],
        bucket_kind=[0],
        bucket_primitive=[0],
        bucket_lock=[0],
        bucket_node=[1],
        bucket_other_node=[0],
        event_bucket=[0],
        event_tid=[7],
        event_time=[19],
        event_count=[1],
        event_ns=[50 * MS],
    )
    writer.add_messages(
        [
            make_ready(),
            make_batch(source.names.definitions, {7: "Main"}),
            wire_pb2.FromEngine(contention=wait),
            wire_pb2.FromEngine(contention_status=wire_pb2.ContentionStatus(time_mono_ns=300 * MS)),
        ]
    )
    for events in source.listed:
        writer.add_events(encode_block({name: getattr(events, name) for name in DTYPES}))
    writer.finish()
    trace = open_trace_content(memoryview(file.getvalue()), "x.sgm", folder=tmp_path)
    assert [tuple(each) for each in list_slices(trace)] == [(7, 150 * MS, 200 * MS, "lock", "wait")]


def test_memory_over_time_has_its_last_value_at_the_end(tmp_path: Path) -> None:
    trace = MemoryTrace(
        read_trace("1 alloc 0x10 16\n2 alloc 0x20 32\n9 free 0x10"), "x", folder=tmp_path
    )
    counter = read_counter(trace)
    assert (counter.time_ns[-1], counter.live_bytes[-1], counter.live_objects[-1]) == (9, 32, 1)


def test_findings_name_what_pins_arenas(tmp_path: Path) -> None:
    trace = MemoryTrace(
        read_trace(
            f"""
            0 span 0x100000 {1 << 20} domain=mmap
            1 alloc 0x100030 64 at=main;keep domain=obj
            """
        ),
        "x",
        folder=tmp_path,
    )
    assert any("1 object pins 1 arena that is" in line for line in list_findings(trace))


def test_findings_of_an_empty_trace_say_so(tmp_path: Path) -> None:
    assert list_findings(MemoryTrace(read_trace("5 gc 0 1"), "x", folder=tmp_path)) == [
        "The trace has no allocations."
    ]
