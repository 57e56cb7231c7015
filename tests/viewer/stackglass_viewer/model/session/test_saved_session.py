"""Files of saved sessions: cut off, damaged, hostile; and the recorder that writes them."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.session_writer import SessionWriter, make_ready
from harness.trace_check import try_open_session
from stackglass.errors import OutputError
from stackglass.symbols.native_code import NativeLine
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.live_profile import CPU, LiveProfile
from stackglass_viewer.model.memory_trace.any_file import open_any, open_file
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.model.session.chunks import MESSAGES, NOTES
from stackglass_viewer.model.session.notes import Head
from stackglass_viewer.model.session.recorder import SessionRecorder
from stackglass_viewer.model.session.saved_session import (
    HEAD_BYTES,
    SavedSession,
    is_saved_session,
    open_saved_session,
    read_saved_session,
)

HEAD = Head(4711, "shop.py", 5_000)
NO_NAMES: dict[int, str] = {}


def make_batch(n_samples: int = 1) -> wire_pb2.FromEngine:
    batch = wire_pb2.Batch(
        strings=["", "main", "shop.py", "<native>"],
        function_name=[1, 3],
        function_system_name=[1, 3],
        function_filename=[2, 2],
        function_start_line=[1, 0],
        location_function=[0, 1],
        location_line=[1, 0],
        node_parent=[0, 0, 1],
        node_location=[0, 0, 1],
        sample_node=[2] * n_samples,
        sample_tid=[7] * n_samples,
        sample_labels=[0] * n_samples,
        sample_time=[1] * n_samples,
        sample_count=[1] * n_samples,
        sample_cpu_ns=[10_000_000] * n_samples,
    )
    return wire_pb2.FromEngine(batch=batch)


@pytest.fixture
def recorder() -> Iterator[SessionRecorder]:
    made = SessionRecorder(HEAD)
    yield made
    made.close()


def save(recorder: SessionRecorder, tmp_path: Path) -> Path:
    path = tmp_path / "shop.sgm"
    assert recorder.write(str(path)) == path.stat().st_size
    return path


def open_bytes(content: bytes) -> SavedSession:
    return read_saved_session(memoryview(content), "shop.sgm")


def make_file(*chunks: tuple[int, bytes]) -> bytes:
    file = io.BytesIO()
    writer = SessionWriter(file)
    for kind, raw in chunks:
        writer.add_raw(kind, raw)
    writer.finish()
    return file.getvalue()


def test_names_of_machine_code_are_kept(recorder: SessionRecorder, tmp_path: Path) -> None:
    """They were found in the running process: a file has none to ask."""
    recorder.add_message(make_ready(), NO_NAMES)
    recorder.add_message(make_batch(), {3: "std::sort"})
    recorder.spill()
    saved = open_saved_session(save(recorder, tmp_path))
    assert "std::sort" in saved.live.list_definitions().strings
    assert saved.head == HEAD
    assert saved.warnings == ()


def test_names_are_kept_if_a_mark_was_set_before_their_message_came() -> None:
    head = json.dumps(HEAD.to_notes()).encode()
    names = json.dumps({"names": {"3": "std::sort"}}).encode()
    raws = [each.SerializeToString() for each in (make_ready(), make_batch())]
    ready, batch = (bytes((len(raw) & 0x7F | 0x80, len(raw) >> 7)) + raw for raw in raws)
    mark = (NOTES, b'{"marks": null}')
    saved = open_bytes(
        make_file((NOTES, head), (MESSAGES, ready), (NOTES, names), mark, (MESSAGES, batch))
    )
    assert "std::sort" in saved.live.list_definitions().strings


def test_lines_of_machine_code_are_kept(recorder: SessionRecorder, tmp_path: Path) -> None:
    own = NativeLine("", "sort", "/src/sort.c", 40, 30)
    inner = NativeLine("libx: swap", "swap", "/src/swap.h", 7, 5)
    recorder.add_message(make_ready(), NO_NAMES)
    recorder.add_message(make_batch(), NO_NAMES)
    recorder.add_lines({1: [inner, own]})
    recorder.spill()
    saved = open_saved_session(save(recorder, tmp_path))
    assert saved.live.list_definitions().native_lines == {1: (inner, own)}
    assert "libx: swap (inlined)" in saved.live.snapshot(sample_type=CPU).tree.frame_name


def test_lines_of_what_is_not_there_are_refused(recorder: SessionRecorder, tmp_path: Path) -> None:
    recorder.add_message(make_ready(), NO_NAMES)
    recorder.add_lines({9: [NativeLine("", "sort", "/src/sort.c", 40, 30)]})
    with pytest.raises(ContentError, match="undefined location"):
        open_saved_session(save(recorder, tmp_path))


def test_a_clear_is_kept(tmp_path: Path) -> None:
    recorder = SessionRecorder(HEAD)
    live = LiveProfile(5_000, recorder=recorder)
    live.apply(make_ready())
    live.apply(make_batch(3))
    live.clear()
    live.apply(wire_pb2.FromEngine(batch=wire_pb2.Batch()))
    saved = open_saved_session(save(recorder, tmp_path))
    assert int(saved.live.snapshot(sample_type=CPU).values.total[0]) == 0
    recorder.close()


def test_it_is_known_by_its_content(recorder: SessionRecorder, tmp_path: Path) -> None:
    recorder.add_message(make_ready(), NO_NAMES)
    path = save(recorder, tmp_path)
    assert is_saved_session(path.read_bytes()[:HEAD_BYTES])
    assert isinstance(open_any(path), SavedSession)
    with pytest.raises(ContentError, match="a session with several"):
        open_file(path)


def test_reading_can_be_cancelled(recorder: SessionRecorder, tmp_path: Path) -> None:
    recorder.add_message(make_ready(), NO_NAMES)
    with pytest.raises(CancelledError):
        open_saved_session(save(recorder, tmp_path), is_cancelled=lambda: True)


def test_a_file_cut_off_or_changed_anywhere_opens_or_is_refused_in_one_line(
    recorder: SessionRecorder, tmp_path: Path
) -> None:
    for number in range(3):
        recorder.add_message(make_ready() if not number else make_batch(), {2: "name"})
        if number == 1:
            recorder.add_clear()
    content = save(recorder, tmp_path).read_bytes()
    rng, n_opened = random.Random(1), 0
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] ^= 1 << rng.randrange(8)
        for damaged in (content[:at], bytes(changed)):
            n_opened += not isinstance(try_open_session(damaged), str)
    assert n_opened


NOTE = json.dumps(HEAD.to_notes()).encode()


@pytest.mark.parametrize(
    ("chunks", "reason"),
    [
        (((NOTES, NOTE),), "without any message"),
        (((MESSAGES, b""), (NOTES, NOTE)), "its first chunk is not a note"),
        (((NOTES, b"{}"),), "does not name the process"),
        (((NOTES, b"["),), "a note cannot be read"),
        (((NOTES, b"[" * 200_000),), "a note cannot be read"),
        (((NOTES, b"[]"),), "a note cannot be read"),
        (((NOTES, NOTE.replace(b"4711", b"1e5")),), "a note cannot be read"),
        (((NOTES, NOTE.replace(b"4711", b"9" * 5000)),), "a note cannot be read"),
        (((NOTES, NOTE.replace(b"5000", b"-1")),), "a note cannot be read"),
        (((NOTES, NOTE.replace(b'"session": 1', b'"session": 2')),), "a later version"),
        (((NOTES, NOTE), (NOTES, b'{"names": {"-1": "x"}}')), "a note cannot be read"),
        (((NOTES, NOTE), (NOTES, b'{"names": [1]}')), "a note cannot be read"),
        (((NOTES, NOTE), (MESSAGES, b"\x05ab")), "a message is cut off"),
    ],
)
def test_a_hostile_file_is_refused(chunks: tuple[tuple[int, bytes], ...], reason: str) -> None:
    with pytest.raises(ContentError, match=reason):
        open_bytes(make_file(*chunks))


def test_a_name_for_a_string_that_is_not_there_is_refused() -> None:
    batch = make_batch().SerializeToString()
    content = make_file(
        (NOTES, NOTE),
        (NOTES, b'{"names": {"99": "x"}}'),
        (MESSAGES, bytes((len(batch) & 0x7F | 0x80, len(batch) >> 7)) + batch),
    )
    with pytest.raises(ContentError, match="an undefined string"):
        open_bytes(content)


def test_messages_are_bounded_when_read(
    recorder: SessionRecorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder.add_message(make_ready(), NO_NAMES)
    path = save(recorder, tmp_path)
    monkeypatch.setattr("stackglass_viewer.model.session.saved_session.MOST_RAW_BYTES", 100)
    with pytest.raises(ContentError, match="its messages have more than"):
        open_saved_session(path)


def test_a_recorder_that_is_full_keeps_what_it_has(tmp_path: Path) -> None:
    recorder = SessionRecorder(HEAD, most_raw_bytes=200)
    recorder.add_message(make_ready(), NO_NAMES)
    recorder.add_message(make_batch(100), NO_NAMES)
    recorder.spill()
    assert recorder.problem == "it has more than a session file may hold"
    saved = open_saved_session(save(recorder, tmp_path))
    assert saved.live.list_definitions().strings == ()
    recorder.close()


def test_without_room_for_the_spool_saving_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    recorder = SessionRecorder(HEAD)
    recorder.add_message(make_ready(), NO_NAMES)
    recorder.spill()
    assert recorder.problem == "No space left on device"
    with pytest.raises(OutputError, match="the session was not recorded"):
        recorder.write(str(tmp_path / "shop.sgm"))
