"""``stackglass record``: a process, or a command, into a pprof file; no viewer, no packages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable

import stackglass
from stackglass.attach.client import Connection
from stackglass.attach.entry import Way, attach, encode_arguments
from stackglass.attach.library import find_library
from stackglass.attach.socket_directory import SocketDirectory
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import AttachError, StackglassError, UsageError
from stackglass.record import signals
from stackglass.record.arguments import add_plan_arguments, make_plan
from stackglass.record.child import Child
from stackglass.record.child_connection import ChildConnection
from stackglass.record.outputs import CPU, HEAP_KINDS, Output, write_outputs
from stackglass.record.plan import Plan
from stackglass.record.progress import Progress, describe_unfollowed
from stackglass.record.session import Session
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.recording import Recording

TAKES_COMMAND = True

_FAILED = 1
PARTLY = 4
"""The exit status if some of the profiles could not be recorded, and the others were."""
_NOTABLE_NS = 1_000_000_000
_NOTABLE_SHARE = 10
"""A recording that misses its duration by more than this, and by more than a tenth, says so."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] -o FILE (PID | -- COMMAND ARG…)"
    parser.description = (
        "Record a profile of a Python process and write it as a pprof file: CPU time, memory in "
        "use and allocations, waits for locks and their holders, the GIL, asyncio's tasks and "
        "stalls of its event loop. Ctrl+C ends a recording and keeps it. A command is recorded "
        "from its first line of Python until it ends, and its exit status is returned."
    )
    parser.epilog = (
        f"Exit status: 0 = recorded, {PARTLY} = some of the profiles recorded, 1 = none recorded, "
        "2 = wrong usage. With a command: the command's own, unless that is 0."
    )
    parser.add_argument("pid", nargs="?", type=int, metavar="PID", help="id of a running process")
    add_plan_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Record. Returns 0, PARTLY, or the command's own exit status."""
    if (arguments.pid is None) == (not arguments.command):
        raise UsageError("record needs a PID, or -- and a command", "stackglass record --help")
    plan = make_plan(arguments)
    if arguments.command:
        return _record_command(arguments.command, plan)
    return _record_process(arguments.pid, plan)


def _record_process(pid: int, plan: Plan) -> int:
    """Returns 0, or PARTLY."""
    progress = Progress(sys.stderr)
    began_mono_ns = SYSTEM_CLOCK.mono_ns()
    with attach(
        pid, hz=plan.cpu_hz, new_hz=plan.new_hz, clock=plan.clock, on_progress=progress.show
    ) as connection:
        # An engine that was there sends nothing from before this connection.
        is_found = connection.way == Way.FOUND.value
        connected_mono_ns = SYSTEM_CLOCK.mono_ns() if is_found else began_mono_ns
        recording = Recording(plan.new_hz, connected_mono_ns, plan.has_native)
        session = Session(connection, recording, plan, SYSTEM_CLOCK, progress, f"process {pid}")
        with signals.catch_end() as is_stopped:
            session.run(is_stopped)
    if recording.ready is None:
        raise AttachError(session.why_ended or f"process {pid} did not answer")
    status = _write(session, plan, progress)
    if session.why_ended:
        recorded = [output for output in plan.outputs if not output.find_problem(recording)]
        paths = " and ".join(output.path for output in recorded)
        _say(f"{session.why_ended}; {paths} holds what was recorded before")
    return status


def _record_command(command: list[str], plan: Plan) -> int:
    progress = Progress(sys.stderr)
    trouble: StackglassError | None = None
    outcome = 0
    with SocketDirectory(os.geteuid()) as directory, signals.block() as mask:
        child = Child(
            command,
            os.path.join(os.path.dirname(os.path.abspath(stackglass.__file__)), "bootstrap.py"),
            find_library(),
            encode_arguments(
                socket=directory.path("{process}.sock"),
                uid=os.geteuid(),
                wait=1,
                **plan.list_arguments(),
            ),
            mask,
        )
        relay = signals.Relay(child.pid)
        relay.start()
        try:
            try:
                connection = ChildConnection(child, directory, plan, SYSTEM_CLOCK).wait()
            finally:
                child.release()
            if connection is None:
                raise AttachError(f"{command[0]} started no Python that can be recorded")
            with connection:
                outcome = _follow(child, connection, plan, progress)
        except StackglassError as error:
            trouble = error  # printed at its end: the command runs on
        child.wait()
        relay.stop()
        status = child.reap()
    if trouble is not None:
        _say(str(trouble))
    return status or (_FAILED if trouble else outcome)


def _follow(child: Child, connection: Connection, plan: Plan, progress: Progress) -> int:
    """Record a child until it ends, or for the duration, and write the profile. Returns 0, or
    PARTLY."""
    recording = Recording(plan.new_hz, has_native_memory=plan.has_native)
    # No progress line: the terminal is the command's.
    silent = Progress(sys.stderr, is_wanted=False)
    session = Session(connection, recording, plan, SYSTEM_CLOCK, silent)
    session.run(lambda: not child.is_running())
    if recording.ready is None:
        raise AttachError(session.why_ended or "the command ended before it could be recorded")
    return _write(session, plan, progress)


def _write(session: Session, plan: Plan, progress: Progress) -> int:
    """Write the profiles that were recorded, and report those that were refused. Returns 0, or
    PARTLY.

    Raises AttachError if all were refused, OutputError.
    """
    recording = session.recording
    recorded = [output for output in plan.outputs if not output.find_problem(recording)]
    refusal = _describe_refused(plan.outputs, recording)
    if not recorded:
        raise AttachError(f"not recorded: {refusal}")
    write_outputs(recorded, recording, plan.view, progress)
    if refusal:
        _say(f"not recorded: {refusal}")
    if plan.duration_ns is not None and session.is_over:
        _report_covered(plan.duration_ns, recorded, recording)
    if recording.why_cpu_stopped and any(output.profile == CPU for output in recorded):
        _say(f"the CPU profile ends before the recording: {recording.why_cpu_stopped}")
    if any(output.profile in HEAP_KINDS for output in recorded):
        for line in describe_unfollowed(recording):
            _say(line)
    _report_collections(session, plan)
    return PARTLY if refusal else 0


def _describe_refused(outputs: Iterable[Output], recording: Recording) -> str:
    """``gil (why), block and mutex (why)``; empty = none."""
    profiles: dict[str, list[str]] = {}
    for output in outputs:
        problem = output.find_problem(recording)
        if problem:
            profiles.setdefault(problem, []).append(output.profile)
    return ", ".join(f"{' and '.join(names)} ({why})" for why, names in profiles.items())


def _report_covered(asked_ns: int, recorded: list[Output], recording: Recording) -> None:
    """Report profiles that were recorded for notably more or less time than requested."""
    covered = {output.profile: output.find_covered(recording) for output in recorded}
    least_ns = max(_NOTABLE_NS, asked_ns // _NOTABLE_SHARE)
    if any(abs(ns - asked_ns) > least_ns for ns in covered.values()):
        times = ", ".join(f"{profile} {ns / 1e9:.1f} s" for profile, ns in covered.items())
        _say(f"recorded, of {asked_ns / 1e9:g} s: {times}")


def _report_collections(session: Session, plan: Plan) -> None:
    recording = session.recording
    if not plan.has_heap or recording.heap.problem:
        return
    if plan.is_collecting and not session.is_collected:
        _say("--gc: the collection did not finish in time; the heap is written without it")
    status = recording.heap.status
    if plan.view is HeapView.AS_OF_FULL and (status is None or not status.n_full):
        _say("--as-of-gc: no full collection was seen; the heap is written as it is now")


def _say(text: str) -> None:
    print(f"stackglass: {text}", file=sys.stderr)
