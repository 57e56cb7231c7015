"""``stackglass threads``: every thread and task of a process at one moment, with its stack."""

from __future__ import annotations

import argparse
import io
import sys
from typing import Callable

from stackglass.attach.entry import attach
from stackglass.attach.proc import PROC
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import AttachError
from stackglass.record.progress import Progress
from stackglass.threads.report import ProcessFacts, Report, build_report
from stackglass.threads.session import Session
from stackglass.waits.sleep_times import SleepTimes
from stackglass.waits.unresponsive import explain_silence

_DONE = 0
_DEFAULT_TIMEOUT_S = 10.0
_COUNTS, _ALL = 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.usage = "%(prog)s [options] PID"
    parser.description = (
        "Print the threads and asyncio tasks of a Python process: state, what each waits for, and "
        "stack. Threads and tasks with the same stack are listed together. The process continues "
        "as it was."
    )
    parser.add_argument("pid", type=int, metavar="PID", help="id of a running process")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--debug",
        type=int,
        choices=(_COUNTS, _ALL),
        help="print Go's text: 1 = number of threads and tasks by stack, which `go tool pprof` "
        "reads; 2 = each thread and task",
    )
    form.add_argument("--json", action="store_true", help="print a JSON object, for programs")
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
    """Print one report, or several."""
    if arguments.watch is None:
        return _print_reports(arguments, lambda session: False)
    from stackglass.record import signals

    with signals.catch_end() as is_stopped:
        return _print_reports(
            arguments, lambda session: session.listen(int(arguments.watch * 1e9), is_stopped)
        )


def _print_reports(arguments: argparse.Namespace, goes_on: Callable[[Session], bool]) -> int:
    pid, patience_ns = arguments.pid, int(arguments.timeout * 1e9)
    progress = Progress(sys.stderr)
    sleeps = SleepTimes(pid, SYSTEM_CLOCK)  # before the attach wakes a thread

    def explain(gil_wait_ns: int) -> AttachError:
        return explain_silence(pid, patience_ns, gil_wait_ns, SYSTEM_CLOCK)

    with attach(pid, new_hz=0, on_progress=progress.show) as connection:
        command = " ".join(" ".join(PROC.read_command(pid)).split())
        is_numbered_alike = connection.hello.pid == pid  # else it counts its threads otherwise
        session = Session(connection, SYSTEM_CLOCK, patience_ns, explain)
        is_first = True
        try:
            while True:
                dump = session.take()
                process = ProcessFacts(pid, command)
                if is_numbered_alike:
                    asleep_ns = sleeps.list_asleep(dump.rows.time_mono_ns)
                    process = process._replace(asleep_ns=asleep_ns)
                progress.clear()
                _print(_format(build_report(dump, process), arguments, is_first))
                is_first = False
                if not goes_on(session):
                    return _DONE
        finally:
            progress.clear()
            session.end()


def _format(report: Report, arguments: argparse.Namespace, is_first: bool) -> str:
    is_watching = arguments.watch is not None
    if arguments.json:
        from stackglass.threads.json_text import format_json

        return format_json(report, None if is_watching else 2)
    if arguments.debug is not None:
        from stackglass.threads.go_text import format_counts, format_dump

        is_counted = arguments.debug == _COUNTS
        text = format_counts(report) if is_counted else format_dump(report, is_first)
    else:
        from stackglass.threads.text import format_report

        text = format_report(report)
    return text + ("\n" if is_watching else "")


def _print(text: str) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # names may be written in anything
    print(text, flush=True)


def _read_seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < 1e9:
        raise argparse.ArgumentTypeError(f"{text} is no duration in seconds")
    return seconds


_read_seconds.__name__ = "number"  # argparse's word for what is none
