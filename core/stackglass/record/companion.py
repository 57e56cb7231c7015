"""Companion: the process that keeps the flight recorder of a program that records itself.

::

    program ──posix_spawn──▶ main ──fork──▶ companion, which the program need not reap
       └─ waits for main's exit                 ├─ the engine's socket ─▶ window
                                                └─ the program's link  ◀─ write, reports, stop

``api/flight_recorder.py`` starts ``main`` with two connected sockets and nothing else. The
companion has a process group of its own, which is never in the foreground, so the keys of a
terminal do not reach it. It ends when the engine or the program has ended.
"""

from __future__ import annotations

import _socket
import contextlib
import os
import signal
import sys

from stackglass.attach.client import Connection
from stackglass.attach.errors import ConnectionLostError
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import EngineError, StackglassError
from stackglass.record import signals
from stackglass.record.companion_plan import read_plan
from stackglass.record.flight_plan import SIGNAL, Window
from stackglass.record.flight_recording import FlightRecording
from stackglass.record.plan import Plan
from stackglass.record.progress import Progress
from stackglass.record.session import RecordingSession
from stackglass.wire import flight_link, requests
from stackglass.wire.flight_link import ENGINE_DESCRIPTOR, LINK_DESCRIPTOR, FlightLink
from stackglass.wire.recording import Recording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stackglass.wire.flight_window import Contents

_ANSWER_S = 10.0
_PATIENCE_NS = 3_000_000_000
"""How long a file waits for the engine to send what happened before it was requested."""
_DYING_NS = 5_000_000_000
"""If the program ends, the engine's socket ends within this time after the link."""
_OOM_SCORE = b"-500"


def main(words: list[str]) -> None:
    """Become the companion that ``words`` describe (``companion_plan``)."""
    if os.fork():
        os._exit(0)
    _leave_program()
    with FlightLink(_socket.socket(fileno=LINK_DESCRIPTOR)) as link:
        try:
            _record(link, words)
        except StackglassError as error:
            with contextlib.suppress(EngineError):  # the program has ended
                link.send(flight_link.REFUSED, str(error).encode())


def _leave_program() -> None:
    """Give up what belongs to the program: its process group, folder, descriptors, signals."""
    # Not setsid: Linux schedules a session of its own as a group of its own (autogroup), which on a
    # crowded machine may begin to run seconds late, while the program waits in ``start``.
    os.setpgid(0, 0)
    os.chdir("/")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A supervisor sends these to all processes of a service that it stops, and a terminal that
        # hangs up sends SIGHUP to the stopped ones of its session. The companion has yet to record
        # the program's end, and then ends itself.
        signal.signal(number, signal.SIG_IGN)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > LINK_DESCRIPTOR:
            with contextlib.suppress(OSError):  # the listing's own
                os.close(int(name))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "wb") as file:
        file.write(_OOM_SCORE)  # needs CAP_SYS_RESOURCE


def _record(link: FlightLink, words: list[str]) -> None:
    pid, plan = read_plan(words)
    assert plan.window is not None
    connected = _socket.socket(fileno=ENGINE_DESCRIPTOR)
    connected.setblocking(False)
    has_signal = plan.window.find(SIGNAL) is not None
    with Connection(pid, connected, "own") as connection:
        connection.greet(_ANSWER_S)
        with signals.count_requests(has_signal) as asked:
            Companion(link, connection, plan, plan.window).run(asked)


class Companion:
    """The recorder of one program. For one thread, but for ``_finish`` and ``_say``."""

    __slots__ = (
        "_alone_ns",
        "_due_ns",
        "_flight",
        "_has_started",
        "_is_writing",
        "_link",
        "_reports",
        "_send",
        "_session",
    )

    def __init__(
        self, link: FlightLink, connection: Connection, plan: Plan, window: Window
    ) -> None:
        path = plan.memory.path if plan.memory else ""
        self._link = link
        self._send = connection.send
        self._reports: list[str] = []
        self._has_started = False
        self._is_writing = False
        self._alone_ns = 0  # since when the link is closed; 0 = it is not
        self._due_ns = 0  # a request to write, with the events up to this time; 0 = none
        self._flight = FlightRecording(path, window, connection, SYSTEM_CLOCK, self._say)
        recording = Recording(plan.new_hz, SYSTEM_CLOCK.mono_ns())
        self._session = RecordingSession(
            connection, recording, plan, SYSTEM_CLOCK, Progress(sys.stderr, is_wanted=False)
        )
        self._session.memory = self._flight

    def run(self, asked: signals.Counter) -> None:
        """Record until the program or its engine has ended, or the program requests the stop.

        Raises EngineError if there is nothing to record.
        """
        with self._flight:
            self._session.run(lambda: self._turn(asked))
        memory = self._session.recording.memory
        if not self._has_started:
            why = memory.problem if memory is not None else ""
            raise EngineError(why or self._session.why_ended or "the engine recorded nothing")

    def _turn(self, asked: signals.Counter) -> bool:
        """Take one turn. Returns whether the recording is over."""
        self._flight.turn(asked.take())
        memory = self._session.recording.memory
        if memory is None:
            return False
        if memory.problem:
            return True
        if self._alone_ns:
            return self._leave_late()
        try:
            if not self._has_started:
                self._has_started = True
                self._link.send(flight_link.STARTED, str(os.getpid()).encode())
            return self._answer()
        except EngineError:
            self._alone_ns = SYSTEM_CLOCK.mono_ns()
            return False

    def _leave_late(self) -> bool:
        """Whether to stop, when the program has closed its end of the link. Either the program has
        ended, which the engine's socket shows soon, or it wants no recorder any more."""
        if SYSTEM_CLOCK.mono_ns() < self._alone_ns + _DYING_NS:
            return False
        self._flight.disarm()
        return True

    def _answer(self) -> bool:
        """Read and execute a request, if there is one. Returns whether to stop."""
        if self._is_writing:
            return False
        if self._due_ns:
            self._write_when_due()
            return False
        message = self._link.receive(0.0)
        word, content = message or ("", b"")
        if word == flight_link.STOP:
            self._flight.disarm()
            return True
        if word == flight_link.REPORTS:
            for line in list(self._reports):
                self._link.send(flight_link.REPORT, line.encode())
            self._link.send(flight_link.WRITTEN)
        elif word == flight_link.WRITE:
            self._due_ns = int(content)
            self._write_when_due()
        return False

    def _write_when_due(self) -> None:
        """Write the window once it has the events up to the request, or after a while."""
        memory = self._session.recording.memory
        is_there = memory is not None and memory.time_mono_ns >= self._due_ns
        if not is_there and SYSTEM_CLOCK.mono_ns() < self._due_ns + _PATIENCE_NS:
            # Makes the engine send what it has. An engine that has gone has sent everything.
            with contextlib.suppress(ConnectionLostError):
                self._send(requests.encode_set_memory_trace(True))
            return
        self._due_ns = 0
        self._is_writing = True
        if not self._flight.write_into(_LinkFile(self._link), self._finish):
            self._finish(EngineError("the trace has not begun"))

    def _finish(self, result: Contents | StackglassError) -> None:
        with contextlib.suppress(EngineError):  # the program has ended
            if isinstance(result, StackglassError):
                self._link.send(flight_link.FAILED, str(result).encode())
            else:
                self._link.send(flight_link.WRITTEN)
        self._is_writing = False

    def _say(self, line: str) -> None:
        self._reports.append(line)


class _LinkFile:
    """A file whose bytes go to the program."""

    __slots__ = ("_link",)

    def __init__(self, link: FlightLink) -> None:
        self._link = link

    def write(self, content: memoryview, /) -> int:
        self._link.send(flight_link.DATA, bytes(content))
        return len(content)
