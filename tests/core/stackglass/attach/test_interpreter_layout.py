"""The layout of an interpreter, from a made-up memory."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from harness.fake_proc import FakeProc
from stackglass.attach.interpreter_layout import InterpreterLayout, find_layout
from stackglass.attach.python_build import PythonBuild
from stackglass.attach.target_memory import TargetMemory

PID, RUNTIME = 7, 64
BUILD = PythonBuild("3.14.0", 3, 14, False, "/usr/bin/python3.14", RUNTIME, True)


def find(folder: Path, build: PythonBuild, table: bytes = b"") -> InterpreterLayout | None:
    fake = FakeProc(folder)
    fake.add(PID)
    (folder / str(PID) / "mem").write_bytes(bytes(RUNTIME) + table)
    with TargetMemory(PID, proc=fake.proc) as memory:
        return find_layout(memory, build)


def test_offsets_are_those_that_the_process_has(tmp_path: Path) -> None:
    table = b"".join(struct.pack("<Q", place) for place in range(0, 888, 8))
    layout = find(tmp_path, BUILD, table)
    assert layout is not None
    assert layout[:6] == (40, 64, 72, 216, 224, 208)
    assert (layout.control_frame, layout.owner, layout.bytecode) == (-1, 288, 384)
    assert layout.first_traceable == 384 - 16
    assert (layout.ascii_data, layout.compact_data) == (640, 656)


@pytest.mark.parametrize("table", [b"", bytes(100), b"\xff" * 888])
def test_a_table_that_makes_no_sense_is_not_used(tmp_path: Path, table: bytes) -> None:
    assert find(tmp_path, BUILD, table) is None


@pytest.mark.parametrize(
    "build",
    [
        BUILD._replace(is_free_threaded=True),
        BUILD._replace(runtime=0),
        BUILD._replace(minor=16),
        BUILD._replace(has_debug_offsets=False),
    ],
)
def test_an_unknown_interpreter_has_no_layout(tmp_path: Path, build: PythonBuild) -> None:
    assert find(tmp_path, build, bytes(888)) is None


def test_older_versions_have_a_table(tmp_path: Path) -> None:
    layout = find(tmp_path, BUILD._replace(minor=11, has_debug_offsets=False))
    assert layout is not None
    assert (layout.interpreters_head, layout.control_frame) == (40, 8)
