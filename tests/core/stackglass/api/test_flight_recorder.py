"""Flight recorder: what is refused before anything is started; the rest is in conformance/."""

from __future__ import annotations

import _socket
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import stackglass
from stackglass.api import companion_process
from stackglass.errors import EngineError, OutputError
from stackglass.wire import flight_link
from stackglass.wire.flight_link import FlightLink


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_age_s": 0}, "min_age_s is 0"),
        ({"max_bytes": 1000}, "max_bytes is 1000"),
        ({"triggers": "killed"}, "lists of names"),
        ({"profiles": "cpu"}, "lists of names"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stackglass.FlightRecorder(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options", [{"min_age_s": "10"}, {"max_bytes": "10 MiB"}, {"max_bytes": 1e7}]
)
def test_options_that_are_no_numbers(options: dict[str, object]) -> None:
    (name,) = options
    with pytest.raises(TypeError, match=f"{name} is a (whole )?number"):
        stackglass.FlightRecorder(**options)  # type: ignore[arg-type]


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="there is no folder"):
        stackglass.FlightRecorder(path=tmp_path / "nowhere" / "crash.sgm")


@pytest.mark.parametrize("executable", ["", "/usr/bin/env", "/nowhere/python3"])
def test_another_program_is_not_started_as_an_interpreter(
    executable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """uWSGI and frozen programs name themselves: they would run again."""
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(EngineError, match=r"sys\.executable is no interpreter"):
        companion_process.find_interpreter("a process is started", "none")


def test_a_filter_that_forbids_processes_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """As systemd's SystemCallFilter does; the engine's socket is closed."""

    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("posix.posix_spawn", refuse)
    read_end, write_end = os.pipe()
    with pytest.raises(EngineError, match="cannot be started: Operation not permitted"):
        companion_process.launch(write_end, ["1"])
    assert os.read(read_end, 1) == b""
    os.close(read_end)


def test_a_companion_that_was_adopted_is_reaped() -> None:
    pid = os.posix_spawn("/bin/true", ["true"], {})
    companion_process.reap(pid, companion_process.read_start(pid))
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, 0)


def test_a_child_with_the_number_of_a_companion_that_has_ended_is_left_alone() -> None:
    pid = os.posix_spawn("/bin/true", ["true"], {})
    companion_process.reap(pid, b"1")
    assert os.waitpid(pid, 0) == (pid, 0)


def test_a_companion_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(companion_process, "_REAP_S", 0.0)
    pid = os.posix_spawn("/bin/sleep", ["sleep", "600"], {})
    companion_process.reap(pid, companion_process.read_start(pid))
    os.kill(pid, signal.SIGKILL)
    assert os.waitpid(pid, 0)[0] == pid


class InterruptedLock:
    """A lock with a signal handler that runs right after it is taken, and just before its end."""

    def __init__(self, handle: Callable[[], None]) -> None:
        self._handle = handle
        self._is_held = False

    def acquire(self, blocking: bool = True) -> bool:
        assert not (blocking and self._is_held), "the thread would wait for itself"
        self._is_held = True
        self._handle()
        return True

    def release(self) -> None:
        self._handle()
        self._is_held = False

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


def test_a_handler_may_stop_at_any_moment_of_a_request() -> None:
    """It is refused as long as the request has the lock, and does not wait for it."""
    recorder = stackglass.FlightRecorder()
    link, companion = (FlightLink(end) for end in _socket.socketpair())
    refused = []

    def stop() -> None:
        with pytest.raises(EngineError, match="in this very thread"):
            recorder.stop()
        refused.append(True)

    recorder._link, recorder._pid = link, os.getpid()
    recorder._writing = InterruptedLock(stop)  # type: ignore[assignment]
    with link, companion:
        companion.send(flight_link.WRITTEN)
        assert recorder.reports() == []
    assert refused == [True, True]


def test_a_handler_may_stop_at_any_moment_of_a_stop() -> None:
    """The interrupted one goes on to the end."""
    recorder = stackglass.FlightRecorder()
    link, companion = (FlightLink(end) for end in _socket.socketpair())
    recorder._link, recorder._pid = link, os.getpid()
    recorder.companion_pid = os.getpid()  # no child of this process: nothing to reap
    recorder._writing = InterruptedLock(recorder.stop)  # type: ignore[assignment]
    with link, companion:
        companion.close()
        recorder.stop()
    assert not recorder.enabled()
    assert recorder.companion_pid == 0


def test_why_an_interrupted_call_failed_is_not_the_next_ones_reason() -> None:
    recorder = stackglass.FlightRecorder()
    link, companion = (FlightLink(end) for end in _socket.socketpair())
    recorder._link, recorder._pid = link, os.getpid()
    recorder._is_unread = True
    with link, companion:
        companion.send(flight_link.FAILED, b"no memory")
        companion.send(flight_link.REPORT, b"written")
        companion.send(flight_link.WRITTEN)
        assert recorder.reports() == ["written"]
