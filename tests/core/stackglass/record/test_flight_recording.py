"""Flight recording: what happens while the process ends. Its files are tried in conformance/."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stackglass.attach.errors import ConnectionLostError
from stackglass.errors import OutputError
from stackglass.record.flight_plan import DEADLOCK, KILLED, Trigger, Window
from stackglass.record.flight_recording import FlightRecording
from stackglass.wire.flight_window import FlightWindow
from stackglass.wire.messages import MemoryInfo


class FakeClock:
    def __init__(self) -> None:
        self.now_ns = 0

    def mono_ns(self) -> int:
        return self.now_ns


class FakeConnection:
    """An engine that is killed before a request arrives."""

    pid = os.getpid()

    def __init__(self) -> None:
        self.n_sent = 0

    def send(self, framed: bytes) -> None:
        self.n_sent += 1
        raise ConnectionLostError("process 1 has ended (SIGKILL)")


def test_a_request_to_a_killed_engine_does_not_end_the_recording() -> None:
    """Else its last window, which the trigger is for, would not be written."""
    connection, clock = FakeConnection(), FakeClock()
    window = Window(10**9, triggers=(Trigger(KILLED), Trigger(DEADLOCK)))
    said: list[str] = []
    flight = FlightRecording("trace.sgm", window, connection, clock, said.append)  # type: ignore[arg-type]
    flight.add(b"", MemoryInfo(start_mono_ns=1))
    clock.now_ns = 2 * 10**9
    flight.turn()
    assert connection.n_sent == 1


def test_memory_that_runs_out_behind_a_file_is_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the file is written, the window goes on to forget what has become too old."""

    def run_out(_: FlightWindow) -> None:
        raise MemoryError

    monkeypatch.setattr(FlightWindow, "thaw", run_out)
    path = str(tmp_path / "trace.sgm")
    said: list[str] = []
    flight = FlightRecording(path, Window(10**9), FakeConnection(), FakeClock(), said.append)  # type: ignore[arg-type]
    flight.add(b"", MemoryInfo(start_mono_ns=1))
    flight.turn(is_requested=True)
    with pytest.raises(OutputError, match="no memory for what lives"):
        flight.flush()
    assert len(said) == 1
