"""Children that start while the command ends, and connections to children that fail."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import cast

import pytest

from stackglass.attach.client import Connection
from stackglass.attach.errors import ConnectionLostError
from stackglass.attach.socket_directory import SocketDirectory
from stackglass.clock import SYSTEM_CLOCK
from stackglass.record import child_connection
from stackglass.record.child import Child, ChildHello
from stackglass.record.children import Children
from stackglass.record.command_recording import _start_beside
from stackglass.record.process_recording import ProcessRecording


class EndingCommand:
    """A Python reports itself after the last look of the watching thread."""

    def __init__(self) -> None:
        self.hellos: list[ChildHello] = []
        self.watch: Children | None = None
        self.is_refusing = False

    def list_hellos(self) -> list[ChildHello]:
        return self.hellos

    def wait_for_hello(self, _timeout_s: float) -> None:
        assert self.watch is not None
        if self.watch._is_stopped.wait(10.0):
            self.hellos = [ChildHello(4711, "")]

    def refuse_hellos(self) -> None:
        self.is_refusing = True

    def release(self, pid: int | None = None) -> None:
        assert self.is_refusing, "another Python could report itself"
        assert pid is None
        self.hellos = []


def test_a_child_that_starts_when_the_recording_is_over_does_not_wait(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = EndingCommand()
    with SocketDirectory(os.geteuid()) as directory:
        nothing = cast(ProcessRecording, None)
        command.watch = Children(cast(Child, command), directory, nothing, SYSTEM_CLOCK)
        command.watch.start()
        assert command.watch.finish() == 0
    assert command.hellos == []
    said = capsys.readouterr().err
    assert said == "stackglass: 1 child process started when the recording was over\n"


def test_a_connection_that_is_not_greeted_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    def lose(_timeout_s: float) -> None:
        raise ConnectionLostError("the engine has left")

    made = cast(Connection, SimpleNamespace(greet=lose, close=lambda: closed.append(True)))
    monkeypatch.setattr(child_connection, "connect", lambda *_: made)
    with SocketDirectory(os.geteuid()) as directory, pytest.raises(ConnectionLostError):
        child_connection.connect_child(os.getpid(), directory, SYSTEM_CLOCK)
    assert closed == [True]


def test_a_window_that_cannot_be_opened_costs_the_recording_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def start(pid: int) -> None:
        raise OSError(12, "Cannot allocate memory")

    _start_beside(start, 42)
    said = capsys.readouterr().err
    assert said == "stackglass: the window cannot be opened: Cannot allocate memory\n"
