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
from stackglass.errors import AttachError, StackglassError, UsageError
from stackglass.record import signals
from stackglass.record.child import Child
from stackglass.record.meeting import Meeting
from stackglass.record.outputs import CPU, PROFILES, Output, choose_outputs, write_outputs
from stackglass.record.progress import Progress
from stackglass.record.session import DEFAULT_HEAP_RATE, HeapWish, Session
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.recording import Recording

TAKES_COMMAND = True

DEFAULT_HZ = 100
MAX_HZ = 10_000
_CLOCKS = ("auto", "perf", "perf+timer", "ticker", "timer")
_MAX_HEAP_RATE = 1 << 40
_FAILED = 1


class _Plan(NamedTuple):
    """What is to be recorded, and where it goes."""

    outputs: list[Output]
    duration_ns: int | None  # None = until something ends it
    cpu_hz: int | None  # None = 100, or as it is where an engine is already
    clock: str
    heap: HeapWish | None  # None = no profile of the heap
    view: HeapView

    @property
    def new_hz(self) -> int:
        """The rate of an engine that starts for this recording."""
        has_cpu = any(output.profile == CPU for output in self.outputs)
        return self.cpu_hz or DEFAULT_HZ if has_cpu else 0

    @property
    def new_heap_rate(self) -> int:
        """Likewise."""
        return self.heap.rate or DEFAULT_HEAP_RATE if self.heap is not None else 0

    @property
    def has_native(self) -> bool:
        """Whether memory past Python's allocators is part of it."""
        return self.heap is not None and self.heap.has_native


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] -o FILE (PID | -- COMMAND ARG…)"
    parser.description = (
        "Record where a Python process spends its CPU time, or who holds its memory and who "
        "allocates it, and write it as a pprof file. "
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
        choices=PROFILES,
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
        "--heap-rate",
        type=_read_heap_rate,
        metavar="BYTES",
        help=f"heap and allocs: sample one byte in so many (default: {DEFAULT_HEAP_RATE}); "
        "1 = every allocation",
    )
    parser.add_argument(
        "--gc", action="store_true", help="heap and allocs: run a full collection at the end"
    )
    parser.add_argument(
        "--as-of-gc",
        action="store_true",
        help="heap and allocs: as of the last full collection (Go's view), not live now",
    )
    parser.add_argument(
        "--text",
        action="store_true",
        help="heap and allocs: as text, as Go's debug=1, which go tool pprof reads too",
    )
    parser.add_argument(
        "--no-native-memory",
        action="store_true",
        help="heap and allocs: without what extension modules get past Python's allocators; their "
        "import tables are left as they are",
    )
    parser.add_argument(
        "--clock", choices=_CLOCKS, default="auto", help="what triggers samples (default: auto)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Record. Returns 0, or the command's own exit status."""
    if (arguments.pid is None) == (not arguments.command):
        raise UsageError("record wants a PID, or -- and a command", "stackglass record --help")
    plan = _make_plan(arguments)
    if arguments.command:
        return _record_command(arguments.command, plan)
    _record_process(arguments.pid, plan)
    return 0


def _make_plan(arguments: argparse.Namespace) -> _Plan:
    profiles = arguments.profile or [CPU]
    has_heap = set(profiles) != {CPU}
    if not has_heap and (
        arguments.heap_rate
        or arguments.gc
        or arguments.as_of_gc
        or arguments.text
        or arguments.no_native_memory
    ):
        raise UsageError(
            "--heap-rate, --gc, --as-of-gc, --text and --no-native-memory are for profiles of the "
            "heap",
            "add --profile heap or --profile allocs",
        )
    if arguments.gc and arguments.command and arguments.duration is None:
        raise UsageError(
            "--gc needs a program that still runs when the recording ends", "give --duration"
        )
    return _Plan(
        choose_outputs(arguments.output, profiles, arguments.text),
        arguments.duration,
        arguments.cpu_hz,
        arguments.clock,
        HeapWish(arguments.heap_rate, arguments.gc, not arguments.no_native_memory)
        if has_heap
        else None,
        HeapView.AS_OF_FULL if arguments.as_of_gc else HeapView.LIVE,
    )


def _record_process(pid: int, plan: _Plan) -> None:
    progress = Progress(sys.stderr)
    began_mono_ns = SYSTEM_CLOCK.mono_ns()
    recording = Recording(plan.new_hz, began_mono_ns, plan.has_native)
    with attach(
        pid, hz=plan.cpu_hz, new_hz=plan.new_hz, clock=plan.clock, on_progress=progress.show
    ) as connection:
        session = Session(
            connection,
            recording,
            f"process {pid}",
            SYSTEM_CLOCK,
            progress,
            plan.heap,
            plan.new_hz,
        )
        with signals.catch_end() as is_stopped:
            session.run(plan.duration_ns, is_stopped)
    if recording.ready is None:
        raise AttachError(session.why_ended or f"process {pid} was given up before it answered")
    _write(session, plan, progress)
    if session.why_ended:
        paths = " and ".join(output.path for output in plan.outputs)
        _say(f"{session.why_ended}; {paths} holds what came before")


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
                heap=plan.new_heap_rate,
                native=int(plan.has_native),
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
    recording = Recording(plan.new_hz, has_native_memory=plan.has_native)
    # No line that moves: the terminal is the command's.
    session = Session(
        connection,
        recording,
        "",
        SYSTEM_CLOCK,
        Progress(sys.stderr, is_wanted=False),
        plan.heap,
    )
    session.run(plan.duration_ns, lambda: not child.is_running())
    if recording.ready is None:
        raise AttachError(session.why_ended or "the command ended before it could be recorded")
    _write(session, plan, progress)


def _write(session: Session, plan: _Plan, progress: Progress) -> None:
    recording = session.recording
    if plan.heap is not None and recording.heap.problem:
        raise AttachError(f"the heap cannot be profiled: {recording.heap.problem}")
    write_outputs(plan.outputs, recording, plan.view, progress)
    if plan.heap is None:
        return
    if plan.heap.is_collecting and not session.is_collected:
        _say("the collection that was to come first was not done in time")
    status = recording.heap.status
    if plan.view is HeapView.AS_OF_FULL and (status is None or not status.n_full):
        _say("there was no full collection yet: what is written is the heap as it is now")


def _say(text: str) -> None:
    print(f"stackglass: {text}", file=sys.stderr)


def _read_heap_rate(text: str) -> int:
    rate = int(text)
    if not 1 <= rate <= _MAX_HEAP_RATE:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and {_MAX_HEAP_RATE}")
    return rate


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
