"""Stacks in a made-up memory: what is torn, or no stack at all."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.fake_proc import FakeProc
from stackglass.attach import outside_stacks
from stackglass.attach.interpreter_layout import find_layout
from stackglass.attach.outside_stacks import OutsideStack, _Reader, read_main_stack, read_stacks
from stackglass.attach.python_build import PythonBuild
from stackglass.attach.target_memory import TargetMemory

PID = 7
BUILD = PythonBuild("3.11.2", 3, 11, False, "/usr/bin/python3.11", 64, False)
INTERPRETER, THREAD, CONTROL, FRAME, CALLER = 0x200, 0x400, 0x600, 0x700, 0x780
CODE, NAME, FILE, TABLE = 0x800, 0xA00, 0xA80, 0xB00
ASCII_STATE = 1 << 2 | 1 << 5 | 1 << 6


class Memory:
    """A process of 3.11 with one thread in one function, which is called by itself."""

    def __init__(self, folder: Path) -> None:
        fake = FakeProc(folder)
        fake.add(PID)
        self.proc = fake.proc
        self.path = folder / str(PID) / "mem"
        self.path.write_bytes(bytes(0x1000))
        self.put_u64(BUILD.runtime + 40, INTERPRETER)
        self.put_u64(INTERPRETER + 16, THREAD)
        self.put_u64(THREAD + 56, CONTROL)
        self.put_u64(THREAD + 160, PID)
        self.put_u64(CONTROL + 8, FRAME)
        for frame, previous in ((FRAME, CALLER), (CALLER, 0)):
            self.put_u64(frame + 32, CODE)
            self.put_u64(frame + 48, previous)
            self.put_u64(frame + 56, CODE + 184)
        self.put_text(NAME, "f")
        self.put_text(FILE, "f.py")
        self.put_u64(TABLE + 16, 2)
        self.put(TABLE + 32, bytes([0x80 | 11 << 3, 0]))  # one unit, a line further on
        self.put_u64(CODE + 112, FILE)
        self.put_u64(CODE + 128, NAME)
        self.put_u64(CODE + 136, TABLE)
        self.put(CODE + 72, struct.pack("<i", 4))

    def put(self, address: int, data: bytes) -> None:
        with self.path.open("r+b") as file:
            file.seek(address)
            file.write(data)

    def put_u64(self, address: int, value: int) -> None:
        self.put(address, struct.pack("<Q", value))

    def put_text(self, address: int, text: str) -> None:
        self.put_u64(address + 16, len(text))
        self.put(address + 32, struct.pack("<I", ASCII_STATE))
        self.put(address + 48, text.encode())


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path)


def read(memory: Memory, meanwhile: Callable[[], None] = lambda: None) -> list[tuple[str, int]]:
    """Function and line of each frame; ``meanwhile`` is called once, after the first look."""
    with TargetMemory(PID, proc=memory.proc) as opened:
        layout = find_layout(opened, BUILD)
        assert layout is not None
        reader = _Reader(opened, layout, BUILD)
        assert reader.list_threads() == [THREAD]
        assert reader.find_tid(THREAD) == PID
        read_code = reader._read_code

        def read_meanwhile(code: int) -> tuple[str, str, int, bytes]:
            facts = read_code(code)
            meanwhile()
            return facts

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_Reader, "_read_code", lambda _, code: read_meanwhile(code))
            frames = reader.read_stack(THREAD, frozenset()).frames
    return [(frame.function, frame.line) for frame in frames]


def test_a_stack(memory: Memory) -> None:
    assert read(memory) == [("f", 5), ("f", 5)]


def test_a_stack_that_changes_is_left_out(memory: Memory) -> None:
    assert read(memory, lambda: memory.put_u64(CALLER + 56, CODE + 190)) == []


@pytest.mark.parametrize(
    ("address", "value"),
    [
        (FRAME + 69, 9),  # an owner that there is not
        (FRAME + 32, 1 << 40),  # code where nothing is mapped
        (CODE + 136, 0),  # no line table
        (TABLE + 16, 1 << 40),  # of an absurd size
        (NAME + 32, 0),  # no str
    ],
)
def test_what_is_no_frame_has_no_stack(memory: Memory, address: int, value: int) -> None:
    memory.put_u64(address, value)
    assert read(memory) == []


def test_frames_in_a_circle_end(memory: Memory) -> None:
    memory.put_u64(CALLER + 48, FRAME)
    assert len(read(memory)) == outside_stacks._MOST_FRAMES


def test_frames_and_threads_that_are_left_out_are_counted(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside_stacks, "find_python", lambda *_: BUILD)
    monkeypatch.setattr(outside_stacks, "_MOST_FRAMES", 1)
    (stack,), n_threads = read_stacks(PID, memory.proc)
    assert (len(stack.frames), stack.n_more, stack.is_deeper, n_threads) == (1, 1, False, 0)
    memory.put_u64(CALLER + 48, FRAME)  # in a circle: more than are counted
    ((_, _, n_more, is_deeper),), _ = read_stacks(PID, memory.proc)
    assert (n_more, is_deeper) == (outside_stacks._MOST_COUNTED - 1, True)


def test_callers_are_counted_only_if_that_is_asked_for(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside_stacks, "find_python", lambda *_: BUILD)
    memory.put_u64(CALLER + 48, FRAME)
    found = read_main_stack(PID, memory.proc)
    assert found is not None
    (_, frames, n_more, is_deeper), _ = found
    assert (len(frames), n_more, is_deeper) == (outside_stacks._MOST_FRAMES, 0, True)


def test_the_first_thread_is_never_left_out(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list begins with the newest thread."""
    monkeypatch.setattr(outside_stacks, "find_python", lambda *_: BUILD)
    memory.put_u64(THREAD + 8, THREAD + 8)  # an older thread
    monkeypatch.setattr(outside_stacks, "_MOST_THREADS", 1)
    read: list[int] = []

    def note(_: _Reader, state: int, _tids: frozenset[int]) -> OutsideStack:
        read.append(state)
        return OutsideStack(0, ())

    monkeypatch.setattr(_Reader, "read_stack", note)
    assert read_stacks(PID, memory.proc)[1] == 1
    assert read == [THREAD + 8]


def test_entry_frames_and_frames_that_have_not_begun_are_not_shown(memory: Memory) -> None:
    memory.put(FRAME + 69, bytes([3]))
    assert read(memory) == [("f", 5)]
    memory.put(FRAME + 69, bytes([0]))
    memory.put(CODE + 168, struct.pack("<i", 2))  # the first traceable instruction
    assert read(memory) == []


def test_a_process_without_a_python_has_none(memory: Memory) -> None:
    assert read_stacks(PID, memory.proc) == ([], 0)
    assert read_main_stack(PID, memory.proc) is None
