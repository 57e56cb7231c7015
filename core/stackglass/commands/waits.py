"""``stackglass waits``: prints which threads wait for which locks, their holders, and deadlocks."""

from __future__ import annotations

import argparse
import io
import sys
from typing import Callable

from stackglass.attach.entry import attach
from stackglass.attach.proc import PROC
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import AttachError
from stackglass.record import signals
from stackglass.record.progress import Progress
from stackglass.waits.json_text import format_json
from stackglass.waits.report import ProcessFacts, WaitsReport, build_report
from stackglass.waits.session import Session, Snapshot
from stackglass.waits.sleep_times import SleepTimes, exposes_sleeps, list_running
from stackglass.waits.text import format_report
from stackglass.waits.unresponsive import explain_silence

DEADLOCKED = 3
"""The exit status for a deadlock."""
_DONE = 0
_DEFAULT_TIMEOUT_S = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.usage = "%(prog)s [options] PID"
    parser.description = (
        "Print the threads of a Python process that wait for locks: which lock, for how long, its "
        "holder, and the stacks of both; deadlocks first. This works for a process that hangs "
        "already. The process continues as it was."
    )
    parser.epilog = (
        f"Exit status: 0 = no deadlock, {DEADLOCKED} = a deadlock, 1 = the process could not be "
        "examined, 2 = wrong usage."
    )
    parser.add_argument("pid", type=int, metavar="PID", help="id of a running process")
    parser.add_argument(
        "--all",
        action="store_true",
        help="also print the stacks of all other threads",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object, for programs")
    parser.add_argument(
        "--watch",
        type=_read_seconds,
        metavar="SECONDS",
        help="repeat after this many seconds until Ctrl+C; with --json one object per line",
    )
    parser.add_argument(
        "--timeout",
        type=_read_seconds,
        default=_DEFAULT_TIMEOUT_S,
        metavar="SECONDS",
        help="stop if the process does not answer for this long, because C code holds the GIL "
        f"(default: {_DEFAULT_TIMEOUT_S:g})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Report. Returns 0, or DEADLOCKED if the last report has a deadlock."""
    if arguments.watch is None:
        return _report(arguments, lambda session: False)
    with signals.catch_end() as is_stopped:
        return _report(
            arguments, lambda session: session.listen(int(arguments.watch * 1e9), is_stopped)
        )


def _report(arguments: argparse.Namespace, repeat: Callable[[Session], bool]) -> int:
    """Print a report, and another one each time that ``repeat`` returns true."""
    pid, patience_ns = arguments.pid, int(arguments.timeout * 1e9)
    progress = Progress(sys.stderr)
    sleeps = SleepTimes(pid, SYSTEM_CLOCK)  # before the attach wakes a thread

    def explain(gil_wait_ns: int) -> AttachError:
        return explain_silence(pid, patience_ns, gil_wait_ns, SYSTEM_CLOCK)

    with attach(pid, new_hz=0, on_progress=progress.show) as connection:
        command = " ".join(" ".join(PROC.read_command(pid)).split())
        # Thread ids of another PID namespace are other numbers here.
        is_numbered_alike = connection.hello.pid == pid
        session = Session(connection, SYSTEM_CLOCK, patience_ns, explain, progress.show)
        before: Snapshot | None = None
        try:
            session.begin()
            while True:
                before, snapshot = session.take_settled(before)
                process = ProcessFacts(pid, command, session.ready, has_earlier=exposes_sleeps(pid))
                if is_numbered_alike:
                    process = process._replace(
                        asleep_ns=sleeps.list_asleep(snapshot.waits.time_mono_ns),
                        running=list_running(pid),
                    )
                report = build_report(snapshot, before, session.definitions, session.locks, process)
                progress.clear()
                _print(report, arguments)
                before = snapshot
                if not repeat(session):
                    return DEADLOCKED if report.circles else _DONE
        finally:
            progress.clear()
            session.end()


def _print(report: WaitsReport, arguments: argparse.Namespace) -> None:
    is_watching = arguments.watch is not None
    if arguments.json:
        text = format_json(report, None if is_watching else 2)
    else:
        text = format_report(report, arguments.all) + ("\n" if is_watching else "")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal may lack the letters of a name
    print(text, flush=True)


def _read_seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{text} is no duration in seconds")
    return seconds


_read_seconds.__name__ = "number"  # argparse names the type in its message for a text that is none
