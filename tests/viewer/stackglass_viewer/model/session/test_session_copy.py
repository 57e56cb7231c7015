"""Copies of session files, with other marks on their timelines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.every_message import make_messages
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.live_profile import CPU
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.model.session.notes import Head, Marks, read_notes
from stackglass_viewer.model.session.recorder import SessionRecorder
from stackglass_viewer.model.session.saved_session import open_saved_session
from stackglass_viewer.model.session.session_copy import copy_session

SPAN = Marks("span", 2_000_000_000, 3_500_000_000)
GROWTH = Marks("growth", 10_000_000, None)


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Saved twice: its marks are those of the second time."""
    recorder = SessionRecorder(Head(4711, "shop.py", 5_000))
    for packed in make_messages():
        recorder.add_message(wire_pb2.FromEngine.FromString(packed), {})
    recorder.add_marks(GROWTH)
    recorder.add_alive([7, 8])
    recorder.add_marks(SPAN)
    recorder.add_alive([8, 9])
    made = str(tmp_path / "shop.sgm")
    recorder.write(made)
    recorder.close()
    return made


def copy(path: str, marks: Marks | None, tmp_path: Path) -> Path:
    made = tmp_path / "copy.sgm"
    made.write_bytes(b"".join(copy_session(path, marks)))
    return made


def test_the_last_marks_hold(path: str) -> None:
    assert open_saved_session(path).marks == SPAN


@pytest.mark.parametrize("marks", [GROWTH, SPAN, None])
def test_a_copy_has_the_marks_of_now_and_all_else(
    path: str, tmp_path: Path, marks: Marks | None
) -> None:
    before, after = open_saved_session(path), open_saved_session(copy(path, marks, tmp_path))
    assert after.marks == marks
    assert after.alive == frozenset({8, 9})  # those of the second time
    assert after.warnings == ()
    assert after.head == before.head
    names = [each.live.snapshot(sample_type=CPU).tree.frame_name for each in (before, after)]
    assert names[0] == names[1]
    assert len(names[0]) > 1
    again = open_saved_session(copy(str(tmp_path / "copy.sgm"), SPAN, tmp_path))
    assert again.marks == SPAN


def test_a_file_that_was_cut_off_still_says_so(path: str, tmp_path: Path) -> None:
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[:-30])
    made = copy(path, None, tmp_path)
    assert made.read_bytes() == whole[:-30]
    assert open_saved_session(made).warnings


def test_a_file_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"nothing\.sgm"):
        list(copy_session(str(tmp_path / "nothing.sgm"), None))


@pytest.mark.parametrize(
    "marks",
    [
        1,
        [],
        {"kind": "span", "begin_ns": 1, "end_ns": None},
        {"kind": "span", "begin_ns": -1, "end_ns": 2},
        {"kind": "span", "begin_ns": True, "end_ns": 2},
        {"kind": "growth", "begin_ns": 1.5, "end_ns": 2},
        {"kind": "other", "begin_ns": 1, "end_ns": 2},
    ],
)
def test_marks_that_make_no_sense_are_damage(marks: object) -> None:
    with pytest.raises(ContentError, match="a note cannot be read"):
        read_notes(json.dumps({"marks": marks}).encode())


def test_a_span_in_either_order_is_one() -> None:
    note = {"marks": {"kind": "span", "begin_ns": 9, "end_ns": 4}}
    assert read_notes(json.dumps(note).encode()).marks == Marks("span", 4, 9)
