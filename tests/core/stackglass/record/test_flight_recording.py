"""Flight recording: what happens while the process ends. Its files are tried in conformance/."""

from __future__ import annotations

import os

from stackglass.attach.errors import ConnectionLostError
from stackglass.record.flight_plan import DEADLOCK, KILLED, Trigger, Window
from stackglass.record.flight_recording import FlightRecording
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
