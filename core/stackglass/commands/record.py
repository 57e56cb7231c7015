"""``stackglass record``: records a process, or a command, into profile files; needs no viewer."""

from __future__ import annotations

import argparse
import contextlib
import sys

from stackglass.attach.entry import Way, attach
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import AttachError, UsageError
from stackglass.record import report, signals
from stackglass.record.arguments import add_plan_arguments, make_plan
from stackglass.record.command_recording import record_command
from stackglass.record.flight_plan import SIGNAL
from stackglass.record.flight_recording import FlightRecording
from stackglass.record.memory_file import MemoryFile
from stackglass.record.memory_sink import open_memory
from stackglass.record.outputs import CPU
from stackglass.record.plan import Plan
from stackglass.record.progress import Progress, describe_idle
from stackglass.record.session import RecordingSession
from stackglass.symbols.symboliser import Symboliser
from stackglass.wire.recording import Recording

TAKES_COMMAND = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] -o FILE (PID | -- COMMAND ARG…)"
    parser.description = (
        "Record a profile of a Python process and write it as a pprof file: CPU time, memory in "
        "use and allocations, waits for locks and their holders, the GIL, asyncio's tasks and "
        "stalls of its event loop. Ctrl+C ends a recording and keeps it. A command is recorded "
        "from its first line of Python until it ends, and its exit status is returned."
    )
    parser.epilog = (
        f"Exit status: 0 = recorded, {report.PARTLY} = some of the profiles recorded, 1 = none "
        "recorded, 2 = wrong usage. With a command: the command's own, unless that is 0."
    )
    parser.add_argument("pid", nargs="?", type=int, metavar="PID", help="id of a running process")
    add_plan_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Record. Returns 0, report.PARTLY, or the command's own exit status, which is below 0 if a
    signal ended the command."""
    if (arguments.pid is None) == (not arguments.command):
        raise UsageError("record needs a PID, or -- and a command", "stackglass record --help")
    plan = make_plan(arguments)
    if arguments.command:
        return record_command(arguments.command, plan)
    has_signal = plan.window is not None and plan.window.find(SIGNAL) is not None
    with signals.count_requests(has_signal) as requests:
        return _record_process(arguments.pid, plan, requests)


def _record_process(pid: int, plan: Plan, requests: signals.Counter) -> int:
    """Record a running process. Returns 0, or report.PARTLY."""
    plan = plan.name_process(str(pid))
    progress = Progress(sys.stderr)
    symbols = Symboliser(pid)
    with contextlib.ExitStack() as until_written:
        began_mono_ns = SYSTEM_CLOCK.mono_ns()
        with attach(
            pid,
            hz=plan.cpu_hz,
            new_hz=plan.new_hz,
            clock=plan.clock,
            stack_depth=plan.stack_depth,
            on_progress=progress.show,
        ) as connection:
            ending = until_written.enter_context(signals.catch_end())
            # An engine that was there before sends nothing from before this connection.
            is_found = connection.way == Way.FOUND
            recording = Recording(
                plan.new_hz,
                SYSTEM_CLOCK.mono_ns() if is_found else began_mono_ns,
                plan.has_native,
                symbols.name,
                symbols.locate,
            )
            progress.title = f"process {pid}"
            with open_memory(plan, connection) as memory:
                session = RecordingSession(connection, recording, plan, SYSTEM_CLOCK, progress)
                session.memory = memory
                session.run(lambda: _turn(memory, requests) or ending())
        if recording.ready is None:
            raise AttachError(session.why_ended or f"process {pid} did not answer")
        paths = " and ".join(output.path for output in report.list_recorded(plan, recording))
        ending.hold(f"still writing {paths}; interrupt again to give up")
        status = report.write(session, plan, progress)
    _report_rest(session, plan, symbols)
    return status


def _report_rest(session: RecordingSession, plan: Plan, symbols: Symboliser) -> None:
    """Report what is notable about files that are written."""
    recorded = report.list_recorded(plan, session.recording)
    has_cpu = any(output.profile == CPU for output in recorded)
    idle = describe_idle(session.recording) if has_cpu else ""
    if idle:
        report.say(idle)
    for problem in symbols.list_problems():
        report.say(problem)
    if session.why_ended and plan.window is not None and not plan.has_tables:
        report.say(session.why_ended)
    elif session.why_ended:
        paths = " and ".join(output.path for output in recorded)
        report.say(f"{session.why_ended}; {paths} holds what was recorded before")


def _turn(memory: MemoryFile | FlightRecording | None, requests: signals.Counter) -> bool:
    """Give a flight recorder its turn between messages. Returns False: the recording goes on."""
    if isinstance(memory, FlightRecording):
        memory.turn(requests.take())
    return False
