"""Where the engine cannot be had, the true cause is said, and no thread of it stays."""

from __future__ import annotations

import errno
import os
import signal
import time
from pathlib import Path

import pytest

from harness.matrix import each_python, some_pythons
from harness.pythons import Python
from harness.recorder import run_command
from harness.seccomp_filters import ALLOW, DENY, KILL, build_filter
from harness.session import PATIENCE_S, Session
from harness.targets import Target
from stackglass.attach.entry import attach
from stackglass.attach.errors import NoSuchProcessError, NotAllowedError
from stackglass.errors import AttachError
from stackglass.native import _core
from stackglass.wire import reader
from stackglass.wire.messages import Bye, Status

pytestmark = pytest.mark.attach


def refuse(target: Target) -> str:
    """The refusal; waits until no thread of the engine is there any more."""
    n_threads = len(os.listdir(f"/proc/{target.pid}/task"))
    with pytest.raises(AttachError) as refusal:
        Session(target.pid)
    wait_for_threads(target.pid, n_threads)
    return str(refusal.value)


def wait_for_threads(pid: int, n: int) -> None:
    """Until the process has no more than ``n`` threads."""
    deadline = time.monotonic() + PATIENCE_S / 4  # the engine waits 30 s for a first client
    while len(os.listdir(f"/proc/{pid}/task")) > n:
        assert time.monotonic() < deadline, "threads of the engine stay"
        time.sleep(0.01)


@each_python
@pytest.mark.parametrize("n", [3, 4])
def test_no_descriptors(python: Python, n: int) -> None:
    with Target(python, "confined.py", DESCRIPTORS=str(n)) as target:
        assert f"it may have at most {n} file descriptors (RLIMIT_NOFILE)" in refuse(target)
        target.finish()


@each_python
def test_no_address_space(python: Python) -> None:
    for megabytes in (0, 2, 4):
        with Target(python, "confined.py", ADDRESS_MB=str(megabytes)) as target:
            assert "RLIMIT_AS" in refuse(target)
            target.finish()


@each_python
def test_a_main_thread_that_has_ended_alone(python: Python) -> None:
    with Target(python, "ended_main.py") as target:
        with pytest.raises(NotAllowedError, match=r"main thread of .* has ended") as refusal:
            attach(target.pid)
        assert "pthread_exit" in str(refusal.value)
        target.finish()


@each_python
def test_commands_refuse_a_main_thread_that_has_ended_alone(python: Python, tmp_path: Path) -> None:
    with Target(python, "ended_main.py") as target:
        words = {"record": ("-o", tmp_path / "cpu.pb.gz"), "threads": (), "waits": ()}
        for command, more in words.items():
            status, out, err = run_command(command, target.pid, *more)
            assert (status, out, err.count("\n")) == (1, "", 1)
            assert "has ended (pthread_exit) while other threads run" in err
            assert "let the main thread wait for the others instead" in err
        target.finish()


def find_outcome(pid: int) -> str:
    """Why the engine could not serve a client; "" = it does."""
    try:
        with attach(pid) as connection:
            while True:
                frame = connection.receive(PATIENCE_S)
                message = reader.decode(frame) if frame else None
                if frame is None or isinstance(message, Bye):
                    return message.reason if isinstance(message, Bye) else "silence"
                if isinstance(message, Status) and connection.is_ready:
                    return message.problem
    except AttachError as error:
        return str(error)


@some_pythons
@pytest.mark.parametrize("megabytes", [7, 9, 22])
def test_scarce_address_space(python: Python, megabytes: int) -> None:
    """The engine is entered, and then there may be no memory for its tables or its messages: it
    names that, also if it has left before the greeting, and leaves no thread."""
    with Target(python, "confined.py", ADDRESS_MB=str(megabytes)) as target:
        for _ in range(3):
            outcome = find_outcome(target.pid)
            assert outcome == "" or "memory" in outcome or "RLIMIT_AS" in outcome
            wait_for_threads(target.pid, 1)
        target.finish()


@some_pythons
def test_no_socket(python: Python, monkeypatch: pytest.MonkeyPatch) -> None:
    """The filter that denies it cannot be read."""

    def deny(thread: int) -> tuple[bytes, ...]:
        raise PermissionError(errno.EACCES, "no CAP_SYS_ADMIN")

    monkeypatch.setattr(_core, "read_filters", deny)
    code = build_filter(["socket"], DENY, ALLOW)
    with Target(python, "filtered.py", FILTER=code.hex(), SOCKETS="1") as target:
        words = refuse(target)
        assert "cannot make its socket in" in words
        assert "a system call filter or a sandbox forbids it" in words
        target.finish()


@each_python
@pytest.mark.parametrize("call", ["mmap", "bind", "socket"])
def test_filter_ends_the_program(
    python: Python, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the library is loaded, or by a thread of the engine. The filter is not looked at."""

    def deny(thread: int) -> tuple[bytes, ...]:
        raise PermissionError(errno.EACCES, "no CAP_SYS_ADMIN")

    monkeypatch.setattr(_core, "read_filters", deny)
    code = build_filter([call], KILL, ALLOW)
    with Target(python, "filtered.py", FILTER=code.hex(), SOCKETS="1") as target:
        with pytest.raises(NoSuchProcessError, match="ended while it was being entered") as end:
            Session(target.pid)
        assert "SIGSYS: a system call filter (seccomp) forbade a call" in str(end.value)
        assert target.process.wait(PATIENCE_S) == -signal.SIGSYS
