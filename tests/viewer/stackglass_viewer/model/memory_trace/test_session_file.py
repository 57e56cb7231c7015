"""Session files: written and read, cut off anywhere, damaged, hostile."""

from __future__ import annotations

import io
import os
import random
import struct
import zlib
from pathlib import Path

import pytest

from harness.event_blocks import encode_block
from harness.session_writer import SessionWriter, make_batch, make_ready, write_session
from harness.trace_check import check_trace, try_open
from harness.traced_memory import ListedSource, Names, make_events, make_random_rows, read_trace
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.memory_trace.events import DTYPES
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.opening import open_trace, open_trace_content
from stackglass_viewer.model.memory_trace.session_file import BUFFER, read_session_file
from stackglass_viewer.model.memory_trace.source import TraceNames
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.model.session.chunks import EVENTS
from stackglass_viewer.model.session.file_parts import FileParts

TEXT = """
    10 alloc 0x1000 64 at=main;load type=builtins.dict
    30 alloc 0x2000 96 at=main
    -- 1
    40 free 0x1000
    50 alloc 0x3000 32 at=main;load;parse
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_session(read_trace(TEXT), tmp_path / "trace.sgm")


def open_bytes(content: bytes, folder: Path) -> MemoryTrace:
    return open_trace_content(memoryview(content), "trace.sgm", folder=folder)


def test_a_session_file_opens_as_it_was_written(path: Path, tmp_path: Path) -> None:
    trace = open_trace(path, folder=tmp_path)
    live = trace.list_live(trace.index.end)
    assert live.address.tolist() == [0x2000, 0x3000]
    assert trace.info.runtime == "CPython 3.13.0"
    assert trace.info.program == "app.py"
    assert trace.info.is_whole
    assert trace.names.threads[7] == "MainThread"
    before = trace.list_live(Moment(1, 10))
    assert trace.names.name_type(int(before.type[0])) == "builtins.dict"
    assert trace.warnings == ()
    trace.close()


def test_python_39_has_smaller_pools(tmp_path: Path) -> None:
    file = io.BytesIO()
    writer = SessionWriter(file)
    writer.add_messages([make_ready("3.9.18")])
    source = read_trace(TEXT)
    _add_events(writer, source)
    writer.finish()
    info = open_bytes(file.getvalue(), tmp_path).info
    assert (info.pool_bytes, info.arena_bytes) == (4096, 256 << 10)


def _add_events(writer: SessionWriter, source: ListedSource) -> None:
    for events in source.listed:
        writer.add_events(encode_block({name: getattr(events, name) for name in DTYPES}))


def test_a_file_without_its_end_is_read_to_its_last_whole_chunk(tmp_path: Path) -> None:
    path = write_session(read_trace(TEXT), tmp_path / "cut.sgm", is_whole=False)
    trace = open_trace(path, folder=tmp_path)
    assert not trace.info.is_whole
    assert trace.index.end.event == 4
    assert any("ends early" in warning for warning in trace.warnings)


def test_a_file_cut_off_anywhere_opens_or_is_refused_in_one_line(
    path: Path, tmp_path: Path
) -> None:
    content = path.read_bytes()
    seen = set()
    for size in range(len(content)):
        opened = try_open(content[:size], tmp_path)
        if isinstance(opened, str):
            seen.add(-1)
        else:
            assert not opened.info.is_whole
            seen.add(opened.index.end.event)
    assert seen == {-1, 2, 4}


def test_a_file_with_any_byte_changed_opens_or_is_refused_in_one_line(path: Path) -> None:
    content = bytearray(path.read_bytes())
    rng = random.Random(1)
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] ^= 1 << rng.randrange(8)
        check_trace(bytes(changed))


def test_a_wrong_checksum_is_said(path: Path, tmp_path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[16 + 32 + 5] ^= 0xFF  # in the first chunk
    with pytest.raises(ContentError, match="checksum"):
        open_bytes(bytes(content), tmp_path)


def test_without_an_index_a_damaged_chunk_ends_the_trace(tmp_path: Path) -> None:
    content = bytearray(
        write_session(read_trace(TEXT), tmp_path / "cut.sgm", is_whole=False).read_bytes()
    )
    content[-9] ^= 0xFF  # in the last block
    trace = open_bytes(bytes(content), tmp_path)
    assert trace.index.end.event == 2


def test_without_an_index_a_block_that_cannot_be_decoded_ends_the_trace(tmp_path: Path) -> None:
    """Its checksum is right: the recorder wrote it so, or a hostile one did."""
    file, source = io.BytesIO(), read_trace(TEXT)
    writer = SessionWriter(file)
    first, last = (
        encode_block({name: getattr(events, name) for name in DTYPES}) for events in source.listed
    )
    writer.add_events(first)
    writer.add_raw(EVENTS, b"no block of events")
    writer.add_events(last)
    trace = open_bytes(file.getvalue(), tmp_path)
    assert trace.index.end.event == 2
    assert "1 blocks of events" in trace.warnings[0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"stackglass 2\n\0\0\0" + bytes(64), "a later version"),
        (b"stackglass 1\n\0\0\0", "without memory events: the file ends early"),
        (b"something else entirely", "not a memory trace"),
        (b"stackglass 1\n\0\0\0" + bytes(200), "without memory events"),
    ],
    ids=["later version", "only a header", "another file", "zeros"],
)
def test_what_is_no_session_file_is_refused(content: bytes, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=reason):
        open_bytes(content, tmp_path)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.sgm"
    path.touch()
    with pytest.raises(ContentError, match="it is empty"):
        open_trace(path)


def test_a_message_that_refers_to_nothing_is_refused(tmp_path: Path) -> None:
    file = io.BytesIO()
    writer = SessionWriter(file)
    batch = wire_pb2.Batch(strings=[""], node_parent=[0, 9], node_location=[0, 9])
    writer.add_messages([wire_pb2.FromEngine(batch=batch)])
    _add_events(writer, read_trace(TEXT))
    writer.finish()
    with pytest.raises(ContentError, match="refers to"):
        open_bytes(file.getvalue(), tmp_path)


@pytest.mark.parametrize("packing", [0, 1], ids=["plain", "LZ4"])
def test_messages_may_be_packed_or_not(packing: int, tmp_path: Path) -> None:
    file, source = io.BytesIO(), read_trace(TEXT)
    writer = SessionWriter(file)
    names = source.names
    writer.add_messages([make_ready(), make_batch(names.definitions, {})], packing)
    _add_events(writer, source)
    writer.finish()
    trace = open_bytes(file.getvalue(), tmp_path)
    assert trace.names.definitions.strings[: len(names.definitions.strings)] == tuple(
        names.definitions.strings
    )


def test_an_index_that_claims_more_than_there_is_gives_way_to_a_walk(
    path: Path, tmp_path: Path
) -> None:
    content = bytearray(path.read_bytes())
    offset, n_chunks, _ = struct.unpack("<QQ8s", content[-24:])
    struct.pack_into("<QQ", content, len(content) - 24, offset, n_chunks + 5)
    trace = open_bytes(bytes(content), tmp_path)
    assert trace.index.end.event == 4
    assert not trace.info.is_whole


def test_an_index_with_hostile_times_gives_way_to_a_walk(path: Path, tmp_path: Path) -> None:
    content = bytearray(path.read_bytes())
    offset, _, _ = struct.unpack("<QQ8s", content[-24:])
    row = offset + 32 + 40 + 24  # first time of the first block of events
    struct.pack_into("<q", content, row, -(1 << 63))
    stored = struct.unpack_from("<I", content, offset + 8)[0]
    checksum = zlib.crc32(content[offset + 32 : offset + 32 + stored])
    struct.pack_into("<I", content, offset + 16, checksum)
    assert open_bytes(bytes(content), tmp_path).index.end.event == 4


def test_random_sessions_survive_the_file(tmp_path: Path) -> None:
    """What is read from the file is what is replayed from memory."""
    names = Names()
    for text in ("a", "b"):
        names.add_string(text)
    for text in ("m", "m;f", "m;f;g", "w"):
        names.add_stack(text)
    for seed in range(4):
        rows = [row | {"other": row["other"] if row["kind"] == 161 else 0} for row in _rows(seed)]
        listed = [make_events(rows[at : at + 90]) for at in range(0, len(rows), 90)]
        source = ListedSource(listed, TraceNames(names.list_definitions(), {}))
        path = write_session(source, tmp_path / f"{seed}.sgm")
        trace = open_trace(path, folder=tmp_path)
        assert trace.names.name_type(7) == BUFFER
        known = [make_events([_name_buffer(row, 7) for row in rows])]
        judge = MemoryTrace(ListedSource(known, source.names), "m", folder=tmp_path)
        assert trace.index.end == judge.index.end
        for event in range(0, len(rows), 50):
            got, want = trace.list_live(Moment(event, 0)), judge.list_live(Moment(event, 0))
            for name in ("address", "size", "stack", "type", "birth_ns", "tid", "flags"):
                assert getattr(got, name).tolist() == getattr(want, name).tolist(), name


def _name_buffer(row: dict[str, int], buffer: int) -> dict[str, int]:
    is_buffer = row["kind"] in (131, 132, 161) and row["domain"] != 1 and not row["type"]
    return row | {"type": buffer} if is_buffer else row


def _rows(seed: int) -> list[dict[str, int]]:
    """Only what the format keeps: no sizes and stacks where a kind has none."""
    kept = []
    for row in make_random_rows(seed, 500):
        if row["kind"] in (133, 136, 160, 130, 162, 163):
            row |= {"size": 0}
        row |= {"domain": min(row["domain"], 4)}  # Go's spans are in no session file
        kept.append(row)
    return kept


@pytest.mark.parametrize("n_left", [0, 60])
def test_a_file_that_is_cut_off_while_it_is_open_is_an_error(path: Path, n_left: int) -> None:
    with path.open("rb") as file:
        opened = read_session_file(FileParts(file), lambda _share: None)
    os.truncate(path, n_left)
    with pytest.raises(ContentError, match="cannot be read any more: another program cut it off"):
        opened.decode(0)
    opened.close()


def test_a_file_that_is_cut_off_while_it_is_opened_is_an_error(path: Path) -> None:
    def cut(_share: float) -> bool:
        os.truncate(path, 60)
        return True

    with pytest.raises(ContentError, match=r"^cannot open trace.sgm: .*another program cut it off"):
        open_trace(path, cut)
