"""Recording of one process that a command has started, from its connection to its files."""

from __future__ import annotations

import sys
import threading
from typing import Callable

from stackglass.attach.client import Connection
from stackglass.attach.proc import PROC
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import StackglassError
from stackglass.record import report
from stackglass.record.flight_recording import FlightRecording
from stackglass.record.memory_sink import open_memory
from stackglass.record.plan import Plan
from stackglass.record.progress import Progress
from stackglass.record.session import RecordingSession
from stackglass.record.signals import Counter
from stackglass.symbols.symboliser import Symboliser
from stackglass.wire.recording import Recording


class ProcessRecording:
    """Records processes by one plan. Any thread; a thread for each process."""

    __slots__ = ("_guard", "_names", "_progress", "_so_far", "plan")

    def __init__(self, plan: Plan, progress: Progress, so_far: Counter) -> None:
        """Each time that ``so_far`` grows, the files are written as well."""
        self.plan = plan
        self._progress = progress
        self._so_far = so_far
        self._guard = threading.Lock()  # of _names, and of what is written to the terminal
        self._names: dict[int, int] = {}  # PID: programs that it has run

    def run(self, connection: Connection, is_stopped: Callable[[], bool]) -> int | None:
        """Record until the process has ended, ``is_stopped`` is true, or the duration is over, and
        write the files. Returns 0, or report.PARTLY; None if the process ended before its engine
        was ready.

        Raises AttachError if all profiles were refused, OutputError.
        """
        plan = self.plan.name_process(self._name(connection.pid))
        symbols = Symboliser(connection.pid)
        recording = Recording(
            plan.new_hz,
            has_native_memory=plan.has_native,
            name_native=symbols.name,
            locate_native=symbols.locate,
        )
        # No progress line: the terminal is the command's.
        silent = Progress(sys.stderr, is_wanted=False)
        with connection, open_memory(plan, connection) as memory:
            session = RecordingSession(connection, recording, plan, SYSTEM_CLOCK, silent)
            session.memory = memory
            n_written = self._so_far.count

            def is_over() -> bool:
                nonlocal n_written
                is_requested = self._so_far.count != n_written
                n_written = self._so_far.count
                if isinstance(memory, FlightRecording):
                    memory.turn(is_requested)
                elif is_requested:
                    self._write_so_far(session, plan)
                return is_stopped()

            session.run(is_over)
            _report_unrecorded(session, plan, connection.pid)
        if recording.ready is None:
            return None
        with self._guard:
            status = report.write(session, plan, self._progress)
            for problem in symbols.list_problems():
                report.say(problem)
            return status

    def _write_so_far(self, session: RecordingSession, plan: Plan) -> None:
        """Write what is recorded so far. If that fails, the recording goes on to its end."""
        if session.recording.ready is None:
            return
        try:
            with self._guard:
                report.write(session, plan, self._progress)
        except StackglassError as error:
            report.say(str(error))

    def _name(self, pid: int) -> str:
        """The PID, with a number if it has run another program before: exec keeps the PID."""
        with self._guard:
            count = self._names[pid] = self._names.get(pid, 0) + 1
        return str(pid) if count == 1 else f"{pid}-{count}"


def _report_unrecorded(session: RecordingSession, plan: Plan, pid: int) -> None:
    """Report a process that runs on although its engine has gone without a Bye."""
    is_sudden = bool(session.why_ended) and session.recording.bye is None
    if is_sudden and not plan.has_children and not PROC.has_ended(pid):
        report.say(
            f"{session.why_ended}, which runs on unrecorded; if it has replaced itself "
            "(os.exec…), --children records what it runs now, too"
        )
