"""``stackglass record``: a process, or a command, into a pprof file; no viewer, no packages."""

from __future__ import annotations

import argparse
import os
import sys
from typing import NamedTuple

import stackglass
from stackglass.attach.client import Connection
from stackglass.attach.entry import attach, encode_arguments
from stackglass.attach.library import find_library
from stackglass.attach.socket_directory import SocketDirectory
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import AttachError, OutputError, StackglassError, UsageError
from stackglass.record import signals
from stackglass.record.child import Child
from stackglass.record.meeting import Meeting
from stackglass.record.progress import Progress, describe
from stackglass.record.session import Session
from stackglass.wire import pprof, profile_file
from stackglass.wire.recording import Recording

TAKES_COMMAND = True

DEFAULT_HZ = 100
MAX_HZ = 10_000
_CLOCKS = ("auto", "perf", "perf+timer", "ticker", "timer")
_PROFILES = ("cpu",)
_FAILED = 1


class _Plan(NamedTuple):
    """What is to be recorded, and where it goes."""

    output: str
    duration_ns: int | None  # None = until something ends it
    cpu_hz: int | None  # None = 100, or as it is where an engine is already
    clock: str

    @property
    def new_hz(self) -> int:
        """The rate of an engine that starts for this recording."""
        return self.cpu_hz or DEFAULT_HZ


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] -o FILE (PID | -- COMMAND ARG…)"
    parser.description = (
        "Record where a Python process spends its CPU time, and write it as a pprof file. "
        "Ctrl+C ends a recording and keeps it. A command is recorded from its first line of "
        "Python until it ends, and its exit status is ours."
    )
    parser.add_argument("pid", nargs="?", type=int, metavar="PID", help="a process that runs")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="where the profile goes; - is standard output; a folder with several --profile",
    )
    parser.add_argument(
        "--profile",
        action="append",
        choices=_PROFILES,
        help="which profile (default: cpu); may be repeated",
    )
    parser.add_argument(
        "--duration", type=_read_seconds, metavar="SECONDS", help="end after so many seconds"
    )
    parser.add_argument(
        "--cpu-hz",
        type=_read_hz,
        metavar="N",
        help=f"samples a second of CPU time, 1 to {MAX_HZ} (default: {DEFAULT_HZ})",
    )
    parser.add_argument(
        "--clock", choices=_CLOCKS, default="auto", help="what triggers samples (default: auto)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Record. Returns 0, or the command's own exit status."""
    if (arguments.pid is None) == (not arguments.command):
        raise UsageError("record wants a PID, or -- and a command", "stackglass record --help")
    plan = _Plan(
        _choose_file(arguments.output, arguments.profile or ["cpu"]),
        arguments.duration,
        arguments.cpu_hz,
        arguments.clock,
    )
    profile_file.check_writable(plan.output)
    if arguments.command:
        return _record_command(arguments.command, plan)
    _record_process(arguments.pid, plan)
    return 0


def _record_process(pid: int, plan: _Plan) -> None:
    progress = Progress(sys.stderr)
    began_mono_ns = SYSTEM_CLOCK.mono_ns()
    recording = Recording(plan.new_hz, began_mono_ns)
    with attach(pid, hz=plan.cpu_hz, clock=plan.clock, on_progress=progress.show) as connection:
        session = Session(connection, recording, f"process {pid}", SYSTEM_CLOCK, progress)
        with signals.catch_end() as is_stopped:
            session.run(plan.duration_ns, is_stopped)
    if recording.ready is None:
        raise AttachError(session.why_ended or f"process {pid} was given up before it answered")
    _write(recording, plan.output, progress)
    if session.why_ended:
        _say(f"{session.why_ended}; {plan.output} holds what came before")


def _record_command(command: list[str], plan: _Plan) -> int:
    progress = Progress(sys.stderr)
    trouble: StackglassError | None = None
    with SocketDirectory(os.geteuid()) as directory, signals.block() as mask:
        child = Child(
            command,
            os.path.join(os.path.dirname(os.path.abspath(stackglass.__file__)), "bootstrap.py"),
            find_library(),
            encode_arguments(
                socket=directory.path("{process}.sock"),
                uid=os.geteuid(),
                hz=plan.new_hz,
                clock=plan.clock,
                wait=1,
            ),
            mask,
        )
        relay = signals.Relay(child.pid)
        relay.start()
        try:
            try:
                connection = Meeting(child, directory, plan.new_hz, plan.clock, SYSTEM_CLOCK).wait()
            finally:
                child.let_go()
            if connection is None:
                raise AttachError(f"{command[0]} ran no Python that could be recorded")
            with connection:
                _follow(child, connection, plan, progress)
        except StackglassError as error:
            trouble = error  # the command goes on; it is not its fault
        child.wait()
        relay.stop()
        status = child.reap()
    if trouble is not None:
        _say(str(trouble))
    return status or (_FAILED if trouble else 0)


def _follow(child: Child, connection: Connection, plan: _Plan, progress: Progress) -> None:
    """Record a child until its end, or as long as asked, and write the profile."""
    recording = Recording(plan.new_hz)
    # No line that moves: the terminal is the command's.
    session = Session(
        connection, recording, "", SYSTEM_CLOCK, Progress(sys.stderr, is_wanted=False)
    )
    session.run(plan.duration_ns, lambda: not child.is_running())
    if recording.ready is None:
        raise AttachError(session.why_ended or "the command ended before it could be recorded")
    _write(recording, plan.output, progress)


def _write(recording: Recording, path: str, progress: Progress) -> None:
    profile_file.write_file(path, pprof.pack(pprof.encode(recording.build())))
    if path != profile_file.STANDARD_OUTPUT:
        progress.say(f"{path}: {describe(recording)}")


def _say(text: str) -> None:
    print(f"stackglass: {text}", file=sys.stderr)


def _choose_file(output: str, profiles: list[str]) -> str:
    """The file for the one profile that there is; several asked for make ``output`` a folder."""
    if len(profiles) == 1:
        return output
    try:
        os.makedirs(output, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {output}: {error.strerror}") from error
    return os.path.join(output, f"{profiles[0]}.pb.gz")


def _read_hz(text: str) -> int:
    hz = int(text)
    if not 1 <= hz <= MAX_HZ:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and {MAX_HZ}")
    return hz


def _read_seconds(text: str) -> int:
    """Nanoseconds out of seconds."""
    duration_ns = float(text) * 1e9
    if not 0 < duration_ns < 2**63:
        raise argparse.ArgumentTypeError(f"{text} is no duration in seconds")
    return int(duration_ns)
