"""PEP 768's protocol, over a memory of our own making."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from harness.fake_proc import FakeProc
from stackglass.attach import remote_exec
from stackglass.attach.python_build import PythonBuild
from stackglass.attach.remote_exec import RemoteExec

PID = 42
RUNTIME, INTERPRETER, THREAD, MAIN = 0x100, 0x1000, 0x3000, 0x2000
NEWER, NEWERS_THREAD = 0x1400, 0x1800
LAYOUT = remote_exec.Layout(
    finalizing=0x3F0,
    interpreters_head=0x400,
    interpreter_size=0x1800,  # so MAIN lies in it
    interpreter_next=8,
    threads_head=16,
    thread_next=8,
    native_thread_id=24,
    eval_breaker=32,
    support=0x100,
    is_enabled=64,
    pending_call=0,
    script_path=4,
    script_path_size=512,
)


class Memory:
    """The memory of process PID: a file that /proc/PID/mem is."""

    def __init__(self, root: Path, minor: int) -> None:
        self.fake = FakeProc(root)
        self.fake.add(PID, state="R")
        self.fake.add(PID + 1, state="S")
        (root / f"{PID}/task/{PID + 1}").symlink_to(root / f"{PID + 1}")
        self.path = root / f"{PID}/mem"
        self.path.write_bytes(bytes(0x4000))
        version = f"3.{minor}.0"
        self.build = PythonBuild(version, 3, minor, False, "/bin/python", RUNTIME, True)
        self.put(RUNTIME, b"xdebugpy")
        for position, offset in zip(remote_exec._POSITIONS[minor], LAYOUT, strict=True):
            self.put_u64(RUNTIME + position, offset)
        self.put_flags(1, 0, 1, 1, 1)
        # The interpreter's list of threads: the newest first, the main thread last.
        self.put_u64(RUNTIME + LAYOUT.interpreters_head, INTERPRETER)
        self.put_u64(INTERPRETER + LAYOUT.threads_head, THREAD)
        self.put_u64(INTERPRETER + LAYOUT.is_enabled, 1)
        self.put_u64(THREAD + LAYOUT.thread_next, MAIN)
        self.put_u64(THREAD + LAYOUT.native_thread_id, PID + 1)
        self.put_u64(MAIN + LAYOUT.native_thread_id, PID)
        self.put(MAIN + LAYOUT.eval_breaker, b"\x03\xaa\xbb")

    def put(self, address: int, data: bytes) -> None:
        with self.path.open("r+b") as file:
            file.seek(address)
            file.write(data)

    def put_u64(self, address: int, value: int) -> None:
        self.put(address, struct.pack("<Q", value))

    def put_flags(self, *flags: int, finalizing: int = 0) -> None:
        """What _PyRuntime says of its own life."""
        start = RUNTIME + LAYOUT.finalizing - 24
        self.put(start, struct.pack("<6iQ", *flags, 0, finalizing))

    def get(self, address: int, size: int) -> bytes:
        return self.path.read_bytes()[address : address + size]

    def pending(self, thread: int) -> int:
        return self.get(thread + LAYOUT.support + LAYOUT.pending_call, 1)[0]


@pytest.fixture(params=[14, 15])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Memory:
    return Memory(tmp_path, request.param)


@pytest.mark.parametrize(
    ("flags", "finalizing"),
    [((1, 0, 1, 1, 0), 0), ((1, 0, 1, 0, 0), 0), ((0, 0, 0, 0, 0), 0), ((1, 0, 1, 1, 1), 0x77)],
)
def test_a_python_that_begins_or_ends_is_not_asked(
    memory: Memory, flags: tuple[int, ...], finalizing: int
) -> None:
    memory.put_flags(*flags, finalizing=finalizing)
    with RemoteExec(PID, memory.build, memory.fake.proc) as request:
        assert not request.ask("/run/script.py")
    assert memory.pending(MAIN) == memory.pending(THREAD) == 0


def test_the_running_thread_is_asked_and_asked_no_more_at_the_end(memory: Memory) -> None:
    with RemoteExec(PID, memory.build, memory.fake.proc) as request:
        assert request.ask("/run/script.py")
        assert memory.pending(MAIN) == 1
        assert memory.pending(THREAD) == 0  # it waits
        path = memory.get(MAIN + LAYOUT.support + LAYOUT.script_path, 15)
        assert path == b"/run/script.py\0"
        # The other flags and the version above them are as they were.
        assert memory.get(MAIN + LAYOUT.eval_breaker, 3) == b"\x23\xaa\xbb"
        assert not request.is_taken()
    assert memory.pending(MAIN) == 0
    assert not request.was_taken


def test_a_request_that_a_thread_has_begun_to_run_is_taken(memory: Memory) -> None:
    with RemoteExec(PID, memory.build, memory.fake.proc) as request:
        assert not request.is_taken()
        assert request.ask("/run/script.py")
        memory.put(MAIN + LAYOUT.support + LAYOUT.pending_call, bytes(4))
        assert request.is_taken()
    assert request.was_taken


def test_a_thread_whose_state_may_be_freed_is_not_asked(memory: Memory) -> None:
    """It runs, and could end before the request is written."""
    memory.put_u64(MAIN + LAYOUT.native_thread_id, PID + 1)  # it waits
    memory.put_u64(THREAD + LAYOUT.native_thread_id, PID)
    before = memory.path.read_bytes()
    with RemoteExec(PID, memory.build, memory.fake.proc) as request:
        assert not request.ask("/run/script.py")
    assert memory.path.read_bytes() == before


def test_no_thread_has_the_state_that_lasts(memory: Memory) -> None:
    """The program has ended the first thread's, as one that embeds Python can."""
    memory.put_u64(THREAD + LAYOUT.thread_next, 0)
    memory.put_u64(THREAD + LAYOUT.native_thread_id, PID)
    with RemoteExec(PID, memory.build, memory.fake.proc) as request:
        assert not request.ask("/run/script.py")
    assert memory.pending(THREAD) == memory.pending(MAIN) == 0


def test_nobody_runs(memory: Memory) -> None:
    memory.put_u64(MAIN + LAYOUT.native_thread_id, PID + 1)
    with RemoteExec(PID, memory.build, memory.fake.proc) as request:
        assert not request.ask("/run/script.py")


def test_disabled_remote_debugging_is_respected(memory: Memory) -> None:
    memory.put_u64(INTERPRETER + LAYOUT.is_enabled, 0)
    with RemoteExec(PID, memory.build, memory.fake.proc) as request:
        assert not request.ask("/run/script.py")
    assert memory.pending(MAIN) == 0


def test_somebody_elses_request_comes_first(memory: Memory) -> None:
    memory.put(MAIN + LAYOUT.support, struct.pack("<i", 1))
    with RemoteExec(PID, memory.build, memory.fake.proc) as request:
        assert not request.ask("/run/script.py")
    assert memory.pending(MAIN) == 1


def test_a_path_that_does_not_fit_is_not_written(memory: Memory) -> None:
    with RemoteExec(PID, memory.build, memory.fake.proc) as request:
        assert not request.ask("/" + "x" * 511)
        assert request.ask("/" + "x" * 510)


def test_a_runtime_that_makes_no_sense_is_not_written_to(memory: Memory) -> None:
    memory.put(RUNTIME, b"not it..")
    before = memory.path.read_bytes()
    with RemoteExec(PID, memory.build, memory.fake.proc) as request:
        assert not request.ask("/run/script.py")
    assert memory.path.read_bytes() == before


def test_a_list_that_bites_its_tail_ends(memory: Memory) -> None:
    memory.put_u64(MAIN + LAYOUT.native_thread_id, PID + 1)
    memory.put_u64(MAIN + LAYOUT.thread_next, THREAD)
    with RemoteExec(PID, memory.build, memory.fake.proc) as request:
        assert not request.ask("/run/script.py")


def test_only_versions_that_have_it_speak_it() -> None:
    build = PythonBuild("3.13.0", 3, 13, False, "/bin/python", RUNTIME, True)
    assert not remote_exec.can_speak(build)
    assert remote_exec.can_speak(build._replace(minor=14))
    assert not remote_exec.can_speak(build._replace(minor=14, has_debug_offsets=False))


def test_only_threads_of_the_main_interpreter_are_asked(memory: Memory) -> None:
    """In another one the extension cannot be loaded, and Python complains to standard error."""
    memory.put_u64(RUNTIME + LAYOUT.interpreters_head, NEWER)
    memory.put_u64(NEWER + LAYOUT.interpreter_next, INTERPRETER)
    memory.put_u64(NEWER + LAYOUT.is_enabled, 1)
    memory.put_u64(NEWER + LAYOUT.threads_head, NEWERS_THREAD)
    memory.put_u64(NEWERS_THREAD + LAYOUT.native_thread_id, PID)
    memory.put_u64(MAIN + LAYOUT.native_thread_id, PID + 1)  # it waits
    with RemoteExec(PID, memory.build, memory.fake.proc) as request:
        assert not request.ask("/run/script.py")
    assert memory.pending(NEWERS_THREAD) == 0
