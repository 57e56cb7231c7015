"""``stackglass record``: a process, or a command, into a pprof file; no viewer, no packages."""

from __future__ import annotations

import argparse
import os
import sys

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
from stackglass.record.outputs import write_outputs
from stackglass.record.plan import Plan, add_plan_arguments, make_plan
from stackglass.record.progress import Progress
from stackglass.record.session import Session
from stackglass.wire.contention_recording import ContentionKind
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.recording import Recording

TAKES_COMMAND = True

_FAILED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] -o FILE (PID | -- COMMAND ARG…)"
    parser.description = (
        "Record where a Python process spends its CPU time, who holds its memory and who allocates "
        "it, who waits for locks and the GIL and for whom, or what asyncio's tasks wait for and "
        "what keeps its loop, and write it as a pprof file. "
        "Ctrl+C ends a recording and keeps it. A command is recorded from its first line of "
        "Python until it ends, and its exit status is ours."
    )
    parser.add_argument("pid", nargs="?", type=int, metavar="PID", help="a process that runs")
    add_plan_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Record. Returns 0, or the command's own exit status."""
    if (arguments.pid is None) == (not arguments.command):
        raise UsageError("record wants a PID, or -- and a command", "stackglass record --help")
    plan = make_plan(arguments)
    if arguments.command:
        return _record_command(arguments.command, plan)
    _record_process(arguments.pid, plan)
    return 0


def _record_process(pid: int, plan: Plan) -> None:
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
            plan.contention,
            plan.outputs[0],
        )
        with signals.catch_end() as is_stopped:
            session.run(plan.duration_ns, is_stopped)
    if recording.ready is None:
        raise AttachError(session.why_ended or f"process {pid} was given up before it answered")
    _write(session, plan, progress)
    if session.why_ended:
        paths = " and ".join(output.path for output in plan.outputs)
        _say(f"{session.why_ended}; {paths} holds what came before")


def _record_command(command: list[str], plan: Plan) -> int:
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
                wait=1,
                **plan.list_arguments(),
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


def _follow(child: Child, connection: Connection, plan: Plan, progress: Progress) -> None:
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
        contention=plan.contention,
    )
    session.run(plan.duration_ns, lambda: not child.is_running())
    if recording.ready is None:
        raise AttachError(session.why_ended or "the command ended before it could be recorded")
    _write(session, plan, progress)


def _write(session: Session, plan: Plan, progress: Progress) -> None:
    recording = session.recording
    if plan.heap is not None and recording.heap.problem:
        raise AttachError(f"the heap cannot be profiled: {recording.heap.problem}")
    for kind in plan.contention.kinds if plan.contention is not None else ():
        problem = recording.contention.find_problem(kind)
        if problem:
            what = "the GIL" if kind is ContentionKind.GIL else "locks"
            raise AttachError(f"waiting for {what} cannot be profiled: {problem}")
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
