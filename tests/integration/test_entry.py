"""Attaching as a whole, with a stand-in for the engine: which way in is taken, and what is left."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.compiled import compile_library, find_compiler
from harness.pythons import Python, find_pythons
from harness.targets import FOLDER, start_in_state
from stackglass.attach import entry, entry_script, injection, library
from stackglass.attach.client import Connection
from stackglass.attach.entry import Way, attach
from stackglass.attach.errors import (
    InjectionError,
    NotAllowedError,
    NotPythonError,
    ReplacedError,
    TracedError,
    UnsupportedPythonError,
)
from stackglass.attach.proc import PROC
from stackglass.attach.remote_exec import RemoteExec
from stackglass.attach.socket_directory import list_folders

pytestmark = [
    pytest.mark.attach,
    pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler"),
]

PYTHONS = find_pythons().present
NEW = [python for python in PYTHONS if python.minor >= 14]
HELLO_PID = 7  # what fake_engine.c says
NOBODY_UID = 65534
PATIENCE_S = 20.0

# Enters the stand-in, which is no extension module.
BOOTSTRAP = """
import ctypes

def enter_if_wanted(library, arguments, wanted):
    return ctypes.CDLL(library).stackglass_enter(arguments, len(arguments))
"""


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, runtime: Path) -> Path:
    """The stand-in takes the engine's place, and a folder of the test's the socket directory's."""
    path = compile_library("fake_engine.c")
    monkeypatch.setattr(entry, "find_library", lambda: path)
    monkeypatch.setattr(library, "find_library", lambda: path)
    (tmp_path / "bootstrap.py").write_text(BOOTSTRAP)
    monkeypatch.setattr(entry_script, "_BOOTSTRAP", str(tmp_path / "bootstrap.py"))
    return runtime / "stackglass"


def await_no_sockets(folder: Path) -> None:
    """Until nothing is left there but copies of the library, which every process can use."""
    deadline = time.monotonic() + PATIENCE_S
    while any(not name.startswith("_core-") for name in os.listdir(folder)):
        assert time.monotonic() < deadline, os.listdir(folder)
        time.sleep(0.001)


def check(connection: Connection, pid: int) -> None:
    assert connection.pid == pid
    assert connection.hello.pid == HELLO_PID
    assert not connection.is_ready
    assert connection.receive(1.0) is not None  # the Hello


@pytest.mark.parametrize("python", PYTHONS, ids=lambda one: one.label)
def test_a_sleeper_is_entered_by_ptrace(python: Python, stand_in: Path) -> None:
    said: list[str] = []
    with start_in_state(python, "sleep") as target:
        with attach(target.pid, on_progress=said.append) as connection:
            assert connection.way == Way.PTRACE
            check(connection, target.pid)
        assert said == [f"entering process {target.pid} (Python {python.version})"]
        await_no_sockets(stand_in)  # the script neither
        target.finish()


def test_another_program_of_the_same_process_is_entered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first attempt came to an end as the process executed it."""
    inject, n_attempts = injection.inject, 0

    def inject_later(pid: int, *words: Any, **named: Any) -> injection.Injection:
        nonlocal n_attempts
        n_attempts += 1
        if n_attempts == 1:
            raise ReplacedError(f"process {pid} began another program")
        return inject(pid, *words, **named)

    monkeypatch.setattr(injection, "inject", inject_later)
    with start_in_state(PYTHONS[0], "sleep") as target:
        with attach(target.pid) as connection:
            check(connection, target.pid)
        target.finish()
    assert n_attempts == 2


@pytest.mark.skipif(not NEW, reason="no Python from 3.14 on")
def test_a_busy_new_python_is_asked(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "_HEAD_START_NS", int(PATIENCE_S * 1e9))  # ptrace never wins
    with start_in_state(NEW[-1], "busy") as target:
        ways: set[str] = set()
        deadline = time.monotonic() + PATIENCE_S
        while Way.REMOTE_EXEC not in ways:  # a thread that just waits is not asked
            assert time.monotonic() < deadline, ways
            with attach(target.pid, timeout_s=PATIENCE_S) as connection:
                check(connection, target.pid)
                ways.add(connection.way)
            await_no_sockets(stand_in)
        target.finish()


@pytest.mark.skipif(not NEW, reason="no Python from 3.14 on")
def test_the_second_way_fails_as_the_first_succeeds(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the engine, which came by the request, has taken the last of the address space."""
    entered: list[Path] = []

    def find_no_memory(pid: int, *_: object, **__: object) -> injection.Injection:
        deadline = time.monotonic() + PATIENCE_S / 8
        while not entered and time.monotonic() < deadline:
            entered.extend(stand_in.glob(f"{pid}-*.sock"))
            time.sleep(0.001)
        raise InjectionError("there is no memory for a stack")

    monkeypatch.setattr(entry, "_HEAD_START_NS", 0)
    monkeypatch.setattr(injection, "inject", find_no_memory)
    with start_in_state(NEW[-1], "busy") as target:
        deadline = time.monotonic() + PATIENCE_S
        while not entered:  # a thread that just waits is not asked
            assert time.monotonic() < deadline
            with contextlib.ExitStack() as stack:
                try:
                    connection = stack.enter_context(attach(target.pid, timeout_s=PATIENCE_S))
                except InjectionError:
                    assert not entered
                else:
                    check(connection, target.pid)
                    assert connection.way == Way.REMOTE_EXEC
                    entered.append(stand_in)
            await_no_sockets(stand_in)
        target.finish()


@pytest.mark.skipif(not NEW, reason="no Python from 3.14 on")
def test_a_script_that_was_asked_for_stays_if_the_entry_fails(
    stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread may be about to open it, and would print that it is not there."""

    def find_no_memory(*_: object, **__: object) -> injection.Injection:
        raise InjectionError("there is no memory for a stack")

    def end_taken(request: RemoteExec, *_: object) -> None:
        request.was_taken = True
        request._memory.close()

    monkeypatch.setattr(injection, "inject", find_no_memory)
    monkeypatch.setattr(RemoteExec, "ask", lambda *_: False)
    monkeypatch.setattr(RemoteExec, "__exit__", end_taken)
    with start_in_state(NEW[-1], "busy") as target:
        with pytest.raises(InjectionError):
            attach(target.pid)
        (script,) = stand_in.glob(f"{target.pid}-*.py")
        assert "unlink" in script.read_text()
        script.unlink()
        target.finish()


@pytest.mark.skipif(not NEW, reason="no Python from 3.14 on")
def test_disabled_remote_debugging_only_means_ptrace(tmp_path: Path) -> None:
    words = [NEW[-1].executable, "-X", "disable-remote-debug", str(FOLDER / "busy.py")]
    with subprocess.Popen([*words, str(tmp_path / "stop")], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            with attach(process.pid) as connection:
                assert connection.way == Way.PTRACE
                check(connection, process.pid)
        finally:
            process.kill()


def test_an_engine_that_is_there_is_joined() -> None:
    with start_in_state(PYTHONS[-1], "sleep") as target:
        with attach(target.pid) as first:
            check(first, target.pid)
            with pytest.raises(Exception, match="does not answer"):
                # The stand-in serves one client; that it was found is what counts.
                attach(target.pid, timeout_s=0.2)
        target.finish()


def test_an_engine_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "encode_arguments", lambda **fields: b"x=" + b"y" * 5000 + b"\0\0")
    with start_in_state(PYTHONS[0], "sleep") as target:
        with pytest.raises(InjectionError, match="Argument list too long"):
            attach(target.pid)
        target.finish()


def test_a_stale_socket_is_no_obstacle(stand_in: Path) -> None:
    with start_in_state(PYTHONS[-1], "sleep") as target:
        name = f"{target.pid}-{PROC.read_stat(target.pid).start_time}.sock"
        stand_in.mkdir(mode=0o700)
        (stand_in / name).touch()
        (stand_in / "1-1.sock").touch()
        with attach(target.pid) as connection:
            check(connection, target.pid)
            assert os.listdir(stand_in) == [name]
        target.finish()


@contextlib.contextmanager
def running(*words: str, uid: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, user=uid)
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline()
            yield process
        finally:
            process.kill()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root attaches to others")
@pytest.mark.skipif(not os.access("/usr/bin/python3", os.X_OK), reason="no Python for everybody")
def test_root_enters_another_users_process_with_a_copy_they_can_read() -> None:
    """The stand-in lies where only root can read."""
    program = "print('ready', flush=True); input()"
    assert not library.is_open_to_all(library.find_library())
    with (
        running("/usr/bin/python3", "-c", program, uid=NOBODY_UID) as process,
        attach(process.pid) as connection,
    ):
        check(connection, process.pid)
    place = Path(list_folders(NOBODY_UID)[0])
    for left in place.iterdir():
        left.unlink()
    place.rmdir()


def test_another_program_is_refused() -> None:
    with (
        running("/bin/sh", "-c", "echo ready; read line") as process,
        pytest.raises(NotPythonError, match="is not a Python program"),
    ):
        attach(process.pid)


def test_ourselves_are_refused() -> None:
    with pytest.raises(NotAllowedError, match="this program itself"):
        attach(os.getpid())


# As a debugger does, or another one of us: for so many seconds.
TRACER = """
import ctypes, sys, time
libc = ctypes.CDLL(None, use_errno=True)
assert libc.ptrace(0x4206, int(sys.argv[1]), None, None) == 0  # PTRACE_SEIZE
print("ready", flush=True)
time.sleep(float(sys.argv[2]))
"""


def test_one_that_is_traced_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "_RIVAL_NS", 50_000_000)
    with (
        start_in_state(PYTHONS[-1], "sleep") as target,
        running(sys.executable, "-c", TRACER, str(target.pid), "600") as process,
        pytest.raises(TracedError, match=f"already traced by process {process.pid}"),
    ):
        attach(target.pid)


def test_one_that_is_traced_for_a_moment_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "_RIVAL_NS", int(PATIENCE_S * 1e9))
    with start_in_state(PYTHONS[0], "sleep") as target:
        with (
            running(sys.executable, "-c", TRACER, str(target.pid), "0.1"),
            attach(target.pid, timeout_s=PATIENCE_S) as connection,
        ):
            check(connection, target.pid)
        target.finish()


@pytest.mark.skipif(
    not any(one.is_free_threaded for one in PYTHONS), reason="no free-threaded Python"
)
def test_a_free_threaded_build_is_refused() -> None:
    python = next(one for one in PYTHONS if one.is_free_threaded)
    with (
        start_in_state(python, "sleep") as target,
        pytest.raises(UnsupportedPythonError, match="free-threaded"),
    ):
        attach(target.pid)
