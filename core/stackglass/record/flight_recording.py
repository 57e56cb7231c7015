"""Flight recording: keeps the window of a memory trace, and writes it when a trigger fires.

The first file has the name that was given; later ones a number: ``trace.sgm``, ``trace-2.sgm`` …
"""

from __future__ import annotations

import contextlib
import os
import threading
from typing import Callable

from stackglass.attach.errors import ConnectionLostError
from stackglass.clock import Clock
from stackglass.errors import OutputError, StackglassError
from stackglass.record.flight_plan import EXIT, KILLED, Window
from stackglass.record.flight_triggers import (
    DeadlockTrigger,
    WaitTriggers,
    format_bytes,
    list_rss,
)
from stackglass.wire.flight_window import CapturedWindow, Contents, FlightWindow
from stackglass.wire.profile_file import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stackglass.attach.client import Connection
    from stackglass.wire.messages import Message
    from stackglass.wire.session_file import ByteSink

MOST_BY_CONDITION = 8
"""Limit for files that conditions of the process cause; requests and its end always cause one."""
_POLL_NS = 100_000_000
_NO_MEMORY = "the flight recorder has no memory for what lives in the process"


class FlightRecording:
    """The flight recorder of one process, for one thread. Another thread writes the file, while the
    window goes on. A context manager that waits for that thread."""

    __slots__ = (
        "_clock",
        "_deadlock",
        "_failure",
        "_has_said_problem",
        "_n_by_condition",
        "_n_files",
        "_path",
        "_polled_ns",
        "_rss",
        "_say",
        "_send",
        "_waits",
        "_window",
        "_writer",
        "window",
    )

    def __init__(
        self,
        path: str,
        window: Window,
        connection: Connection,
        clock: Clock,
        say: Callable[[str], None],
    ) -> None:
        """``say`` gets a line about each file, on any thread."""
        self.window = window
        self._path = path
        self._window = FlightWindow(window.span_ns, window.most_bytes)
        self._rss = list_rss(connection.pid, window)
        self._waits = WaitTriggers(window)
        self._deadlock = DeadlockTrigger(window)
        self._clock = clock
        self._say = say
        self._send = connection.send
        self._polled_ns = 0
        self._writer: threading.Thread | None = None
        self._n_files = 0
        self._n_by_condition = 0
        self._failure: OutputError | None = None
        self._has_said_problem = False

    def __enter__(self) -> FlightRecording:
        return self

    def __exit__(self, *_: object) -> None:
        self._join()

    def add(self, frame: bytes, message: Message | None) -> None:
        """Add a message, as received and as decoded. Raises WireError, OutputError if there is no
        memory."""
        if self._window.n_bytes > 2 * self.window.most_bytes:
            self._join()  # the disk is slower than the process
        elif self._writer is not None and not self._writer.is_alive():
            self._join()
        try:
            self._window.add(frame, message)
        except MemoryError:
            raise OutputError(_NO_MEMORY) from None
        for cause in (self._waits.see(frame, message), self._deadlock.see(message)):
            if cause:
                self._write_for(cause)
        if self._waits.problem and not self._has_said_problem:
            self._has_said_problem = True
            self._say(f"waits and stalls cannot trigger a file: {self._waits.problem}")

    def turn(self, is_requested: bool = False) -> None:
        """Write if a condition is met, or in any case if that is requested. To be called several
        times a second. Raises WireError, OutputError as ``add``."""
        if is_requested:
            self._write("requested")
        now_ns = self._clock.mono_ns()
        if not self._window.has_begun or now_ns - self._polled_ns < _POLL_NS:
            return
        self._polled_ns = now_ns
        for trigger in self._rss:
            cause = trigger.find_cause()
            if cause:
                self._write_for(cause)
        for request in self._deadlock.list_requests(now_ns):
            # If the engine has gone, the session receives what it had sent, and then the reason.
            with contextlib.suppress(ConnectionLostError):
                self._send(request)

    def write_into(
        self, file: ByteSink, finish: Callable[[Contents | StackglassError], None]
    ) -> bool:
        """Begin to write the window into ``file``, which needs no seek. ``finish`` is called on the
        thread that writes, with the contents or the error.

        Returns False if the trace has not begun. Raises WireError, OutputError as ``add``.
        """
        self._join()
        if not self._window.has_begun:
            return False
        self._window.freeze()

        def write(capture: CapturedWindow) -> None:
            try:
                contents = capture.write(file)
            except StackglassError as error:
                finish(error)
            except MemoryError:
                finish(OutputError("the flight recorder has no memory to write its window"))
            else:
                finish(contents)

        self._begin(write, self._window.capture())
        return True

    def flush(self) -> None:
        """Wait until no file is being written. Raises WireError, OutputError as ``add``."""
        self._join()

    def disarm(self) -> None:
        """Let no trigger fire from now on."""
        self.window = self.window._replace(triggers=())
        self._rss = []
        self._waits = WaitTriggers(self.window)
        self._deadlock = DeadlockTrigger(self.window)

    def finish(self, is_killed: bool = False) -> None:
        """Write if the end of the recording is a trigger. Raises WireError; OutputError, also if an
        earlier file could not be written."""
        if self.window.find(EXIT) is not None:
            self._write("the recording has ended")
        elif is_killed and self.window.find(KILLED) is not None:
            self._write("the process was killed")
        self._join()
        if not self._n_files and self._window.has_begun and self.window.triggers:
            self._say(f"no trigger has fired: {self._path} was not written")
        if self._failure is not None:
            raise self._failure

    def _write_for(self, cause: str) -> None:
        if self._n_by_condition == MOST_BY_CONDITION:
            return
        self._n_by_condition += 1
        self._write(cause)
        if self._n_by_condition == MOST_BY_CONDITION:
            self._say(f"no further file for a condition: {MOST_BY_CONDITION} files are the limit")

    def _write(self, cause: str) -> None:
        """Begin to write the next file."""
        self._join()
        if not self._window.has_begun:
            self._say(f"nothing is written ({cause}): the trace has not begun")
            return
        self._n_files += 1
        path = self._path
        if self._n_files > 1:
            stem, ending = os.path.splitext(path)
            path = f"{stem}-{self._n_files}{ending}"
        self._window.freeze()
        is_shortened = self._window.is_shortened
        self._begin(
            lambda capture: self._write_file(path, capture, cause, is_shortened),
            self._window.capture(),
        )

    def _begin(self, write: Callable[[CapturedWindow], None], capture: CapturedWindow) -> None:
        self._writer = threading.Thread(target=write, args=(capture,), name="flight recorder")
        self._writer.start()

    def _write_file(
        self, path: str, capture: CapturedWindow, cause: str, is_shortened: bool
    ) -> None:
        try:
            with replace_file(path) as file:
                contents = capture.write(file)
        except OutputError as error:
            self._failure = error
            self._say(str(error))
            return
        except MemoryError:
            self._failure = OutputError(f"cannot write {path}: the flight recorder has no memory")
            self._say(str(self._failure))
            return
        span_s = (contents.end_ns - contents.begin_ns) / 1e9
        shortened = ", all that fits into the window's size" if is_shortened else ""
        if contents.n_live is None:
            span = f"all {span_s:.1f} s since the trace began, {contents.n_events} events"
        else:
            span = (
                f"the last {span_s:.1f} s{shortened}, {contents.n_events} events "
                f"after {contents.n_live} blocks that lived before"
            )
        self._say(f"{path}: {cause}; {span}, {format_bytes(contents.n_bytes)}")

    def _join(self) -> None:
        """Wait for the writing thread, and let the window go on. Raises WireError, OutputError as
        ``add``."""
        if self._writer is None:
            return
        self._writer.join()
        self._writer = None
        try:
            self._window.thaw()
        except MemoryError:
            raise OutputError(_NO_MEMORY) from None
