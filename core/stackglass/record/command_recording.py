"""Recording of a command: starts it, records its Pythons, forwards signals, and writes the files.

The main thread records the first Python. With ``plan.has_children`` a thread of ``Children``
records each further one. The command never depends on the recording: an error is reported when the
command has ended.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Callable

from stackglass.attach.client import Connection
from stackglass.attach.entry import encode_arguments
from stackglass.attach.library import find_library
from stackglass.attach.socket_directory import SocketDirectory
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import AttachError, StackglassError
from stackglass.record import report, signals
from stackglass.record.child import Child, Startup
from stackglass.record.child_connection import ChildConnection
from stackglass.record.children import Children
from stackglass.record.flight_plan import SIGNAL
from stackglass.record.lenient_output import write_text
from stackglass.record.plan import Plan
from stackglass.record.process_recording import ProcessRecording
from stackglass.record.progress import Progress

FAILED = 1
_BOOTSTRAP = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bootstrap.py"
)


def record_command(
    command: list[str],
    plan: Plan,
    write_signal: signal.Signals | None = None,
    on_start: Callable[[int], None] | None = None,
) -> int:
    """Run a command and record it. Returns its exit status (below 0, minus the signal that ended
    it); if that is 0, the recording's: 0, FAILED or report.PARTLY.

    On ``write_signal`` the recorder writes what was recorded so far, unless the command handles
    that signal: then it is forwarded, as the other signals are. With None no signal does this; a
    flight recorder with the trigger ``signal`` has WRITING. ``on_start`` is called with the PID of
    the first Python before its first line runs, or later if the engine has to enter from outside.
    Raises StackglassError if the command cannot be started.
    """
    progress = Progress(sys.stderr)
    if plan.window is not None and plan.window.find(SIGNAL) and write_signal is None:
        write_signal = signals.WRITING
    trouble: StackglassError | None = None
    outcome = 0
    with SocketDirectory(os.geteuid()) as directory, signals.block() as mask:
        child = _start(command, plan, directory, mask)
        so_far = signals.Counter()
        relay = signals.Relay(child.pid, write_signal, so_far.add)
        relay.start()
        recording = ProcessRecording(plan, progress, so_far)
        children = Children(child, directory, recording, SYSTEM_CLOCK)
        try:
            outcome = _record_first(command, child, directory, recording, children, on_start)
        except StackglassError as error:
            trouble = error  # printed at the command's end
        except BrokenPipeError:
            outcome = FAILED  # the reader of `-o -` has gone
        child.wait()
        outcome = children.finish() or outcome
        relay.stop()
        status = child.reap()
        directory.remove_stale()  # a process that ends by a signal or os._exit leaves its socket
    if trouble is not None:
        report.say(str(trouble))
    if status is None:
        report.say("the command has ended; its exit status is not known")
        status = FAILED
    write_text(sys.stdout, "")  # drops what could not be written, else the exit status would be 120
    return status or (FAILED if trouble else outcome)


def _start(
    command: list[str], plan: Plan, directory: SocketDirectory, mask: set[signal.Signals]
) -> Child:
    startup = Startup(
        _BOOTSTRAP,
        find_library(),
        encode_arguments(
            socket=directory.path("{process}.sock"),
            uid=os.geteuid(),
            wait=1,
            **plan.list_arguments(),
        ),
    )
    return Child(command, startup, mask, has_children=plan.has_children)


def _record_first(
    command: list[str],
    child: Child,
    directory: SocketDirectory,
    recording: ProcessRecording,
    children: Children,
    on_start: Callable[[int], None] | None,
) -> int:
    """Record the first Python, and begin to watch for further ones. Returns 0 or report.PARTLY.
    Raises StackglassError."""
    connection: Connection | None = None
    try:
        connection = ChildConnection(child, directory, recording.plan, SYSTEM_CLOCK).wait()
        if connection is not None and on_start is not None:
            _start_beside(on_start, connection.pid)
    finally:
        child.release(connection.pid if connection is not None else None)
        if recording.plan.has_children:
            children.start()
    if connection is None:
        raise AttachError(f"{command[0]} started no Python that can be recorded")
    outcome = recording.run(connection, lambda: not child.is_running())
    if outcome is None:
        raise AttachError("the command ended before it could be recorded")
    return outcome


def _start_beside(on_start: Callable[[int], None], pid: int) -> None:
    """Call ``on_start``. The command and its recording go on if it cannot start its program."""
    try:
        on_start(pid)
    except OSError as error:
        report.say(f"the window cannot be opened: {error.strerror or error}")
