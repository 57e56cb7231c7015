"""Flight window: what a file of it holds, against the file of the whole recording."""

from __future__ import annotations

import io
import random
from pathlib import Path

import numpy as np
import pytest

from harness.event_blocks import encode_block
from harness.malloc_events import list_malloc_events
from harness.session_file import OBJECT, OBJECT_ALLOC, OBJECT_FREE, SessionFile
from harness.session_writer import make_batch, make_ready
from harness.traced_memory import ListedSource, make_events, make_random_rows, read_trace
from stackglass.errors import WireError
from stackglass.native import _flight
from stackglass.wire import messages, reader
from stackglass.wire.flight_window import FlightWindow
from stackglass.wire.message_fold import MessageFold
from stackglass.wire.messages import MemoryEvents
from stackglass.wire.session_file import SessionFileWriter
from stackglass_viewer.model.memory_trace.events import DTYPES, Domain, EventKind
from stackglass_viewer.model.memory_trace.live_blocks import BlockFlag, LiveBlocks, Space
from stackglass_viewer.model.memory_trace.opening import open_trace
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.native import _loops

MANY = 1 << 40
TEXT = """
    10 alloc 0x1000 64 at=main;load type=builtins.dict
    20 alloc 0x2000 96 at=main
    -- 1
    30 free 0x2000
    40 alloc 0x3000 32 at=main;load;parse
    -- 2
    100 free 0x1000
    110 alloc 0x4000 48 at=main type=builtins.list
"""


def list_frames(source: ListedSource) -> list[bytes]:
    """What an engine sends before the events."""
    info = wire_pb2.FromEngine(memory_info=wire_pb2.MemoryInfo(start_mono_ns=1))
    batch = make_batch(source.names.definitions, {7: "MainThread"})
    return [each.SerializeToString() for each in (make_ready(), batch, info)]


def list_blocks(source: ListedSource) -> list[MemoryEvents]:
    blocks = (
        encode_block({name: getattr(events, name) for name in DTYPES}) for events in source.listed
    )
    return [
        MemoryEvents(i, b.n_events, b.first_ns, b.last_ns, b.packing, b.raw_bytes, b.payload)
        for i, b in enumerate(blocks)
    ]


def feed(window: FlightWindow, source: ListedSource) -> FlightWindow:
    for frame in list_frames(source):
        window.add(frame, reader.decode(frame))
    for block in list_blocks(source):
        window.add(b"", block)
    return window


def write(window: FlightWindow, path: Path) -> SessionFile:
    window.freeze()
    with path.open("wb") as file:
        contents = window.capture().write(file)
    window.thaw()
    assert path.stat().st_size == contents.n_bytes
    return SessionFile(path)


def write_all(source: ListedSource, path: Path) -> None:
    with path.open("wb") as file:
        writer = SessionFileWriter(file)
        for frame in list_frames(source):
            writer.add_message(frame)
        for block in list_blocks(source):
            writer.add_events(block)
        writer.finish()


def list_last(path: Path, folder: Path, space: Space = Space.OBJECT) -> LiveBlocks:
    """What lives at the end of a file."""
    trace = open_trace(path, folder=folder)
    live = trace.list_live(trace.index.end, space)
    trace.close()
    return live


def test_a_block_born_before_the_window_has_its_type_and_stack(tmp_path: Path) -> None:
    source = read_trace(TEXT)
    file = write(feed(FlightWindow(50, MANY), source), tmp_path / "window.sgm")
    assert file.is_whole
    events = file.list_events()
    assert events["kind"].tolist() == [OBJECT, OBJECT, 133, 132]
    assert events["address"].tolist() == [0x1000, 0x3000, 0x1000, 0x4000]
    assert (np.diff(events["time_ns"]) >= 0).all()
    assert file.name_stack(int(events["stack"][1])) == ["parse", "load", "main"]
    assert file.strings[int(events["type"][0])] == "builtins.dict"
    assert list_last(tmp_path / "window.sgm", tmp_path).address.tolist() == [0x3000, 0x4000]


def test_what_lived_before_is_counted_unless_it_begins_with_the_trace() -> None:
    source = read_trace(TEXT)
    for span_ns, n_live, n_events in ((50, 2, 2), (MANY, None, 6)):
        window = feed(FlightWindow(span_ns, MANY), source)
        window.freeze()
        contents = window.capture().write(io.BytesIO())
        assert (contents.n_live, contents.n_events) == (n_live, n_events)


@pytest.mark.checklist(120)
def test_three_generations_at_most_for_the_time_of_one(tmp_path: Path) -> None:
    """Checklist 120: whatever came before, a file has the generation of now and two earlier ones at
    most, and the snapshot."""
    lines = [f"-- {at}\n{100 * at + 50} alloc {0x1000 * at} 16" for at in range(1, 30)]
    source = read_trace("\n".join(lines))
    window = FlightWindow(100, MANY)
    for frame in list_frames(source):
        window.add(frame, reader.decode(frame))
    for number, block in enumerate(list_blocks(source)):
        window.add(b"", block)
        file = write(window, tmp_path / f"{number}.sgm")
        blocks = [chunk.generation for chunk in file.chunks if chunk.kind == 2]
        assert len(set(blocks)) <= 3
        assert max(blocks) == number
        assert len(file.list_events()["kind"]) == number + 1


def set_domains(rows: list[dict[str, int]]) -> None:
    """Without Go's spans; and a block that is reallocated stays with its allocator."""
    domains: dict[int, int] = {}
    for row in rows:
        row["domain"] = 0 if row["domain"] == Domain.GO_SPAN else row["domain"]
        if row["kind"] == EventKind.REALLOC:
            row["domain"] = domains.pop(row["other"], row["domain"])
        if row["kind"] in (EventKind.OBJECT, EventKind.OBJECT_ALLOC, EventKind.REALLOC):
            domains[row["address"]] = row["domain"]


@pytest.mark.parametrize("seed", range(6))
def test_a_window_ends_as_the_whole_recording_does(seed: int, tmp_path: Path) -> None:
    """Whatever has left the window: the blocks that live at its end are the same, with all that is
    known of them; and none is less uncertain."""
    rows = make_random_rows(seed, 600, n_addresses=120)
    set_domains(rows)
    source = read_trace(TEXT)
    listed = tuple(make_events(rows[at : at + 50]) for at in range(0, len(rows), 50))
    source = ListedSource(listed, source.names)
    write_all(source, tmp_path / "all.sgm")
    spans = [rows[-1]["time_ns"] * share // 10 for share in (0, 1, 5, 11)]
    for number, span_ns in enumerate(spans):
        path = tmp_path / f"{number}.sgm"
        write(feed(FlightWindow(span_ns, MANY), source), path)
        for space in Space:
            whole = list_last(tmp_path / "all.sgm", tmp_path, space)
            part = list_last(path, tmp_path, space)
            for column in ("address", "size", "stack", "type", "tid", "domain"):
                assert getattr(part, column).tolist() == getattr(whole, column).tolist(), column
            recycled = whole.flags & BlockFlag.RECYCLED
            assert (part.flags & BlockFlag.RECYCLED).tolist() == recycled.tolist()
            assert not (~part.flags & whole.flags & BlockFlag.UNCERTAIN).any()


def test_blocks_in_a_crowded_table_are_found(tmp_path: Path) -> None:
    """Thousands live, and most have gone: the table grows and its gaps are closed."""
    rng = random.Random(1)
    live: set[int] = set()
    rows = []
    for time_ns in range(1, 30_001):
        address = rng.randrange(1, 6000) * 16
        kind = OBJECT_FREE if address in live else OBJECT_ALLOC
        live ^= {address}
        rows.append({"kind": kind, "time_ns": time_ns, "address": address, "size": 16})
    source = ListedSource((make_events(rows),), read_trace(TEXT).names)
    window = feed(FlightWindow(0, MANY), source)
    window.add(b"", list_blocks(read_trace("90000 free 0x10"))[0])
    snapshot = next(write(window, tmp_path / "window.sgm").list_blocks())
    assert snapshot["address"].tolist() == sorted(live)


def test_uncertain_is_what_lived_at_a_loss_and_no_more(tmp_path: Path) -> None:
    source = read_trace("""
        10 alloc 0x1000 64
        -- 1
        20 lost 0 3
        -- 2
        30 alloc 0x2000 64
        -- 3
        100 free 0x9000
    """)
    write(feed(FlightWindow(10, MANY), source), tmp_path / "window.sgm")
    live = list_last(tmp_path / "window.sgm", tmp_path)
    assert (live.flags & BlockFlag.UNCERTAIN).tolist() == [BlockFlag.UNCERTAIN, 0]


def test_the_size_of_the_ring_is_bounded(tmp_path: Path) -> None:
    rows = make_random_rows(1, 20_000)
    for row in rows:
        row["domain"] = 0
    source = ListedSource(
        tuple(make_events(rows[at : at + 500]) for at in range(0, len(rows), 500)),
        read_trace(TEXT).names,
    )
    window = FlightWindow(MANY, 8000)
    for block in list_blocks(source):
        window.add(b"", block)
        assert window.n_bytes <= 8000
    assert window.is_shortened
    assert 0 < len(list(write(window, tmp_path / "w.sgm").list_blocks())) < len(source.listed)


def test_a_frozen_window_goes_on(tmp_path: Path) -> None:
    """What comes while a file is written is not in it, and is not lost."""
    source = read_trace(TEXT)
    blocks = list_blocks(source)
    window = FlightWindow(50, MANY)
    for frame in list_frames(source):
        window.add(frame, reader.decode(frame))
    window.add(b"", blocks[0])
    window.freeze()
    capture = window.capture()
    for block in blocks[1:]:
        window.add(b"", block)
    early = io.BytesIO()
    assert capture.write(early).n_events == 2
    window.thaw()
    assert write(window, tmp_path / "late.sgm").list_events()["kind"].tolist() == [
        131,
        131,
        133,
        132,
    ]


def test_what_the_engine_did_not_write_is_refused() -> None:
    block = list_blocks(read_trace(TEXT))[0]
    for payload in (b"", block.payload[:-1], b"\x01\xff\xff\xff\x7f" + block.payload):
        window = FlightWindow(0, MANY)
        window.add(b"", block._replace(payload=payload, packing=0, raw_bytes=len(payload)))
        with pytest.raises(WireError, match="cannot be read: an event block is damaged"):
            window.add(b"", block._replace(last_time_ns=10**9))


def test_damaged_blocks_harm_nothing() -> None:
    """Each bit of a block changed, plain and packed, and each length."""
    rows = make_random_rows(2, 300)
    for row in rows:
        row["domain"] = row["domain"] % 5
    columns = make_events(rows)
    block = encode_block({name: getattr(columns, name) for name in DTYPES})
    fold = _flight.fold_new()
    n_refused = 0
    for at in range(len(block.payload)):
        for content in (
            block.payload[:at],
            block.payload[:at] + bytes([block.payload[at] ^ 1 << at % 8]) + block.payload[at + 1 :],
        ):
            for packing, raw_bytes in ((block.packing, block.raw_bytes), (0, len(content))):
                try:
                    _flight.fold_add(fold, content, packing, raw_bytes)
                except ValueError:
                    n_refused += 1
    assert n_refused > len(block.payload)


def test_sums_keep_the_last_row_and_events_go() -> None:
    def make(count: int, bucket: int = 300) -> bytes:
        contention = wire_pb2.Contention(
            lock_primitive=[1],
            lock_address=[count],
            value_bucket=[bucket],
            value_count=[count],
            value_total_ns=[count * 1000],
            value_max_ns=[7],
            delay_bucket=[bucket],
            delay_log2=[3],
            delay_count=[count],
            event_bucket=[bucket],
            event_tid=[1],
            event_time=[2],
            event_count=[1],
            event_ns=[1000],
        )
        return wire_pb2.FromEngine(contention=contention).SerializeToString()

    fold = MessageFold()
    for count, bucket in ((1, 300), (9, 4), (200, 300)):
        fold.add(fold.take_definitions(make(count, bucket)))
    defined = [reader.decode(frame) for frame in fold.definitions]
    addresses = [each.lock_address for each in defined if isinstance(each, messages.Contention)]
    assert addresses == [[1], [9], [200]]
    values, delays = (reader.decode(frame) for frame in fold.list_sums())
    assert isinstance(values, messages.Contention)
    assert isinstance(delays, messages.Contention)
    assert dict(zip(values.value_bucket, values.value_count, strict=True)) == {300: 200, 4: 9}
    assert delays.delay_count == [200, 9]
    assert not values.event_bucket


def test_samples_go_and_definitions_stay() -> None:
    batch = wire_pb2.Batch(strings=["", "name"], node_parent=[0], node_location=[0])
    for column in ("node", "tid", "labels", "time", "count", "cpu_ns"):
        getattr(batch, f"sample_{column}").append(5)
    frame = wire_pb2.FromEngine(batch=batch).SerializeToString()
    fold = MessageFold()
    rest = reader.decode(fold.take_definitions(frame))
    assert isinstance(rest, messages.Batch)
    assert (rest.strings, rest.sample_node) == ([], [5])
    kept = reader.decode(fold.definitions[0])
    assert isinstance(kept, messages.Batch)
    assert (kept.strings, kept.sample_node) == (["", "name"], [])


@pytest.mark.parametrize("n_kept", [64, 20_000])
def test_a_window_folds_blocks_of_malloc(n_kept: int) -> None:
    """Addresses are decoded in the recorder, too: of frees by the order of their allocations."""
    events = list_malloc_events(60_000, n_kept, seed=n_kept)
    live: dict[int, int] = {}
    for kind, address, size in zip(events["kind"], events["address"], events["size"], strict=True):
        if kind == OBJECT_ALLOC:
            live[address] = size
        else:
            del live[address]
    fold = _flight.fold_new()
    block = encode_block(events)
    _flight.fold_add(fold, block.payload, block.packing, block.raw_bytes)
    assert list_folded(fold) == live


def list_folded(fold: _flight._Fold) -> dict[int, int]:
    """Sizes of the blocks in a fold, by address."""
    live: dict[int, int] = {}
    _flight.fold_begin(fold)
    while (taken := _flight.fold_take(fold, 0)) is not None:
        _, packing, raw_bytes, payload = taken
        found = _loops.decode_event_block(payload, packing, raw_bytes)
        address, size = (np.asarray(found[name]).tolist() for name in ("address", "size"))
        live.update(zip(address, size, strict=True))
    _flight.fold_end(fold)
    return live
