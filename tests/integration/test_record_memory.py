"""``stackglass record --profile memory`` on real processes: counts, losses, coming and going."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from harness.matrix import NEWEST, cover, each_python, some_pythons
from harness.proc_state import read_caught_signals, read_tasks
from harness.pythons import Python
from harness.recorder import PATIENCE_S, record, start_record, wait_until
from harness.session import Session
from harness.session_file import (
    COLLECTED,
    COLLECTION_BEGIN,
    COLLECTION_END,
    MEM,
    NATIVE,
    OBJ,
    OBJECT_ALLOC,
    Replay,
    SessionFile,
)
from harness.targets import FOLDER, Target
from stackglass.wire import requests

pytestmark = pytest.mark.attach

N_BLOCKS = 400
N_AT_EXIT = 500
"""Blocks that go between a program's last line and its exit hooks: 81 to 101, of some 25 000, also
on a crowded machine."""


class Trace:
    """A session file, replayed to its end."""

    def __init__(self, path: Path) -> None:
        self.file = SessionFile(path)
        self.info = self.file.info
        self.events = self.file.list_events()
        self.replay = Replay().apply(self.events)

    def check_whole(self) -> None:
        """It has its index, the engine has sent everything, and every loss has its event."""
        assert self.file.is_whole
        assert self.info.is_ended
        assert self.info.n_events == len(self.events["kind"])
        assert self.info.n_lost >= self.replay.n_lost

    def check_frees(self) -> None:
        """A free is of a live block, or of one that the snapshot does not show."""
        if self.info.n_lost:
            return
        n_unknown = self.replay.n_unknown_frees
        assert n_unknown[MEM] + n_unknown[OBJ] <= self.info.hidden_blocks
        assert self.replay.n_doubled[MEM] == self.replay.n_doubled[OBJ] == 0

    def count_live(self, function: str, least_bytes: int, most_bytes: int) -> int:
        return sum(
            least_bytes <= size <= most_bytes and self._is_in(function, stack)
            for size, stack, _, _ in self.replay.live.values()
        )

    def count_allocated(self, function: str, least_bytes: int, most_bytes: int) -> int:
        columns = (self.events[name].tolist() for name in ("kind", "size", "stack"))
        return sum(
            kind == OBJECT_ALLOC
            and least_bytes <= size <= most_bytes
            and self._is_in(function, stack)
            for kind, size, stack in zip(*columns, strict=True)
        )

    def count_types(self, function: str) -> Counter[str]:
        """Of the objects that a function and its callees keep."""
        types = Counter(
            type_
            for _, stack, type_, domain in self.replay.live.values()
            if domain == OBJ and self._is_in(function, stack)
        )
        return Counter({self.file.strings[type_]: n for type_, n in types.items()})

    def list_roots(self, function: str) -> set[str]:
        """The outermost functions of the stacks in which a function has allocated."""
        stacks = (self.file.name_stack(stack) for stack in set(self.events["stack"].tolist()))
        return {names[-1] for names in stacks if any(function in name.split(".") for name in names)}

    def _is_in(self, function: str, stack: int) -> bool:
        return any(function in name.split(".") for name in self.file.name_stack(stack))


@some_pythons
def test_the_script_is_main_even_if_it_ends_at_once(python: Python, tmp_path: Path) -> None:
    """Its code object is gone before the engine asks for names: in a third of the runs."""
    path = tmp_path / "trace.sgm"
    program = FOLDER / "heap" / "brief_script.py"
    for _ in range(4):
        status, _, errors = record(
            "--profile", "memory", "-o", path, "--", python.executable, program
        )
        assert (status, errors) == (0, "")
        assert Trace(path).list_roots("keep") == {"__main__.<module>"}


@pytest.mark.checklist(116)
@each_python
def test_a_program_from_its_first_line(python: Python, tmp_path: Path) -> None:
    """Checklist 116: each free is of a live block. What the program allocates is in the trace,
    once; what it frees is not live at its end."""
    path = tmp_path / "trace.sgm"
    program = FOLDER / "heap" / "memory_trace.py"
    status, out, errors = record(
        "--profile", "memory", "-o", path, "--", python.executable, program, N_BLOCKS
    )
    assert (status, errors) == (0, "")
    facts = json.loads(out)
    trace = Trace(path)
    trace.check_whole()
    trace.check_frees()
    assert trace.info.n_lost == trace.info.n_stacks_lost == 0
    assert trace.info.python_minor == python.minor
    # From 3.15 on bytearray keeps a bytes object, which is 32 bytes larger.
    assert trace.count_live("keep_blocks", 1001, 1040) == N_BLOCKS
    assert trace.count_live("keep_large", 8 << 20, (8 << 20) + 40) == 1
    assert trace.count_live("move_blocks", 2000, 3200) == 1
    assert trace.count_allocated("drop_blocks", 3001, 3040) == N_BLOCKS
    assert trace.count_live("drop_blocks", 3001, 3040) == 0
    # Stacks share their outer frames with the ones before: all are there to the first line.
    for function in ("keep_blocks", "drop_blocks", "move_blocks", "drop_cycles"):
        assert trace.list_roots(function) == {"__main__.<module>"}
    counts = trace.replay.counts
    assert counts[COLLECTION_BEGIN] == counts[COLLECTION_END] > 0
    assert counts[COLLECTED] >= facts["collected"]
    # The interpreter's own count is the judge of the rest.
    live = [row[3] for row in trace.replay.live.values()]
    n_live = live.count(MEM) + live.count(OBJ) + trace.info.hidden_blocks
    assert abs(facts["blocks"] - n_live) < N_AT_EXIT


@each_python
def test_types_of_a_program_that_ends_at_once(python: Python, tmp_path: Path) -> None:
    """Types are read once a second, and before the end: of classes that the engine has not met
    before, and of texts that are shorter than their type says."""
    path = tmp_path / "trace.sgm"
    program = FOLDER / "heap" / "short_lived.py"
    status, _, errors = record("--profile", "memory", "-o", path, "--", python.executable, program)
    assert (status, errors) == (0, "")
    trace = Trace(path)
    trace.check_whole()
    assert trace.count_types("keep_photos")["__main__.Photo"] == 1500
    assert trace.count_types("keep_photos")["builtins.str"] == 1500
    assert trace.count_types("keep_late")["__main__.Late"] == 700


@some_pythons
def test_types_with_the_debug_allocator(
    python: Python, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It puts 16 bytes in front of each block and 8 behind, within the pool's."""
    monkeypatch.setenv("PYTHONMALLOC", "debug")
    path = tmp_path / "trace.sgm"
    program = FOLDER / "heap" / "short_lived.py"
    status, _, errors = record("--profile", "memory", "-o", path, "--", python.executable, program)
    assert (status, errors) == (0, "")
    trace = Trace(path)
    trace.check_whole()
    trace.check_frees()
    assert trace.count_types("keep_photos")["__main__.Photo"] == 1500


@some_pythons
def test_threads_in_the_memory_of_ended_ones(python: Python, tmp_path: Path) -> None:
    """They are threads of their own, also in what they allocate without the GIL."""
    path = tmp_path / "trace.sgm"
    with Target(python, "heap/successive_threads.py") as target:
        status, _, errors = record("--profile", "memory", "-o", path, "--duration", "1", target.pid)
    assert status == 0, errors
    events = Trace(path).events
    is_native = events["domain"] == NATIVE
    since_ns = events["time_ns"][is_native].min()
    is_other = (events["domain"] == OBJ) & (events["time_ns"] >= since_ns)
    natives = set(events["tid"][is_native].tolist())
    others = set(events["tid"][is_other].tolist()) - {0, target.pid}
    assert len(others) > 5
    assert len(others - natives) <= 2, "those of the first and the last moment"


@some_pythons
def test_coming_and_going_while_threads_allocate(python: Python, tmp_path: Path) -> None:
    """Each visit is a whole trace; the program's results stay, and it is left as it was."""
    with Target(python, "allocating_threads.py") as target:
        caught = read_caught_signals(target.pid)
        for i in range(4):
            path = tmp_path / f"{i}.sgm"
            status, _, errors = record(
                "--profile", "memory", "-o", path, "--duration", "0.3", target.pid
            )
            assert status == 0, errors
            trace = Trace(path)
            trace.check_whole()
            trace.check_frees()
            assert len(set(trace.events["tid"].tolist())) > 1
            assert (trace.info.n_lost > 0) == (" events were lost" in errors)
        wait_until(lambda: not _is_entered(target.pid), "the engine has left")
        assert read_caught_signals(target.pid) == caught
        assert target.finish()["wrong"] == 0


@cover("program", ["forking.py", "interpreters/churn.py", "nursery.py"])
def test_forks_and_interpreters(python: Python, program: str, tmp_path: Path) -> None:
    """Children go on without the trace; interpreters with a GIL of their own have a lane."""
    with Target(python, program, has_stdin=program == "nursery.py") as target:
        for i in range(2):
            path = tmp_path / f"{i}.sgm"
            with start_record(
                "--profile", "memory", "-o", path, "--duration", "0.3", target.pid
            ) as recorder:
                if program == "nursery.py":
                    wait_until(path.exists, "a trace")
                    target.ask()
                _, errors = recorder.communicate(timeout=PATIENCE_S)
            assert recorder.returncode == 0, errors
            trace = Trace(path)
            trace.check_whole()
            if program != "interpreters/churn.py":
                trace.check_frees()
        assert target.finish()["wrong"] == 0


@some_pythons
def test_the_program_ends_first(python: Python, tmp_path: Path) -> None:
    """What it recorded is sent as it ends; its exit is as ever."""
    path = tmp_path / "trace.sgm"
    with (
        Target(python, "allocating_threads.py") as target,
        start_record("--profile", "memory", "-o", path, target.pid) as recorder,
    ):
        wait_until(lambda: path.exists() and path.stat().st_size > 100_000, "a trace")
        assert target.finish()["wrong"] == 0
        recorder.communicate(timeout=PATIENCE_S)
    assert recorder.returncode == 0
    Trace(path).check_whole()


@some_pythons
def test_the_program_is_killed(python: Python, tmp_path: Path) -> None:
    """The file is whole as a file, and the recorder says that the trace is not."""
    path = tmp_path / "trace.sgm"
    with (
        Target(python, "allocating_threads.py") as target,
        start_record("--profile", "memory", "-o", path, target.pid) as recorder,
    ):
        wait_until(lambda: path.exists() and path.stat().st_size > 100_000, "a trace")
        os.kill(target.pid, signal.SIGKILL)
        _, errors = recorder.communicate(timeout=PATIENCE_S)
    assert b"the memory trace ends early" in errors
    trace = Trace(path)
    assert trace.file.is_whole
    assert not trace.info.is_ended
    trace.check_frees()


def test_the_recorder_is_killed(tmp_path: Path) -> None:
    """The chunks that it wrote are there, and the program goes on without the trace."""
    path = tmp_path / "trace.sgm"
    with Target(NEWEST, "allocating_threads.py") as target:
        with start_record("--profile", "memory", "-o", path, target.pid) as recorder:
            wait_until(lambda: path.exists() and path.stat().st_size > 100_000, "a trace")
            recorder.kill()
            recorder.communicate()
        file = SessionFile(path)
        assert not file.is_whole
        assert Replay().apply(file.list_events()).counts[OBJECT_ALLOC]
        wait_until(lambda: not _is_entered(target.pid), "the engine has left")
        again = tmp_path / "again.sgm"
        status, _, errors = record(
            "--profile", "memory", "-o", again, "--duration", "0.2", target.pid
        )
        assert status == 0, errors
        Trace(again).check_whole()
        assert target.finish()["wrong"] == 0


def test_a_full_disk(tmp_path: Path) -> None:
    """One line says so; the program goes on."""
    with Target(NEWEST, "allocating_threads.py") as target:
        status, _, errors = record(
            "--profile", "memory", "-o", "/dev/full", "--duration", "5", target.pid
        )
        assert status == 1
        assert "cannot write /dev/full: No space left on device" in errors
        assert target.finish()["wrong"] == 0


@pytest.mark.checklist(119)
def test_one_client_at_a_time(tmp_path: Path) -> None:
    """Checklist 119: a second one is refused in a sentence, and does not disturb the first."""
    path = tmp_path / "first.sgm"
    with Target(NEWEST, "allocating_threads.py") as target:
        with start_record("--profile", "memory", "-o", path, target.pid) as first:
            wait_until(lambda: path.exists() and path.stat().st_size > 100_000, "a trace")
            status, _, errors = record(
                "--profile", "memory", "-o", tmp_path / "second.sgm", "--duration", "1", target.pid
            )
            assert status == 1
            assert "another client is tracing the memory of this process" in errors
            first.send_signal(signal.SIGINT)
            first.communicate(timeout=PATIENCE_S)
        Trace(path).check_whole()
        assert target.finish()["wrong"] == 0


@pytest.mark.parametrize("has_begun", [False, True], ids=["requested", "begun"])
def test_a_client_that_has_left_does_not_keep_the_trace(has_begun: bool) -> None:
    """The next one gets its own as soon as the earlier trace has ended."""
    with Target(NEWEST, "allocating_threads.py") as target:
        with Session(target.pid, hz=0) as staying:
            for _ in range(6):
                with Session(target.pid, hz=0) as leaving:
                    _ask_for_trace(leaving)
                    if has_begun:
                        _wait_for_trace(leaving)
                with Session(target.pid, hz=0) as next_one:
                    assert next_one.ready
                    _ask_for_trace(next_one)
                    _wait_for_trace(next_one)
                    next_one.detach()
            staying.detach()
        assert target.finish()["wrong"] == 0


def _ask_for_trace(session: Session) -> None:
    session._connection.send(requests.encode_set_memory_trace(True))


def _wait_for_trace(session: Session) -> None:
    """Until it has begun."""

    def has_come() -> bool:
        session.read_for(0.02)
        return session.trace is not None

    wait_until(has_come, "a trace")
    assert session.trace is not None
    assert session.trace.problem == ""


def _is_entered(pid: int) -> bool:
    return any("stackglass" in name for name in _names(pid))


def _names(pid: int) -> list[str]:
    names = []
    for tid in read_tasks(pid):
        try:
            names.append(Path(f"/proc/{pid}/task/{tid}/comm").read_text())
        except OSError:  # it has ended
            continue
    return names
