"""``stackglass threads``: every thread and task of a process at one moment, with its stack."""

from __future__ import annotations

import argparse

from stackglass.clock import SYSTEM_CLOCK
from stackglass.threads.report import ProcessFacts, Report, build_leak_report, build_report
from stackglass.threads.session import Session
from stackglass.waits import examination

_DONE = 0
_COUNTS, _ALL = 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.usage = "%(prog)s [options] PID"
    parser.description = (
        "Print the threads and asyncio tasks of a Python process: state, what each waits for, and "
        "stack. Threads and tasks with the same stack are listed together. The process continues "
        "as it was."
    )
    examination.add_arguments(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--debug",
        type=int,
        choices=(_COUNTS, _ALL),
        help="print Go's text: 1 = number of threads and tasks by stack, which `go tool pprof` "
        "reads; 2 = each thread and task",
    )
    parser.add_argument(
        "--no-labels", action="store_true", help="--debug 2: leave labels out of the first lines"
    )
    parser.add_argument(
        "--leaks",
        action="store_true",
        help="print only threads and tasks that nothing can ever wake: no running code can reach "
        "what they wait for. The process stops for the search, some 0.5 s for a million objects "
        "and 2 s of CPU time at most, and needs up to 64 MB for a million meanwhile",
    )
    form.add_argument("--json", action="store_true", help="print a JSON object, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print one report, or several."""
    is_first = True
    with examination.catch_end(arguments) as is_stopped, examination.examine(arguments) as process:
        session = Session(process.connection, SYSTEM_CLOCK, process.patience_ns, process.explain)
        try:
            while True:
                dump = session.take(arguments.leaks)
                asleep_ns = process.list_asleep(dump.rows.time_mono_ns)
                facts = ProcessFacts(process.pid, process.command, asleep_ns)
                build = build_leak_report if arguments.leaks else build_report
                process.print(_format(build(dump, facts), arguments, is_first))
                is_first = False
                if arguments.watch is None or not session.listen(arguments.watch, is_stopped):
                    return _DONE
        finally:
            session.end()


def _format(report: Report, arguments: argparse.Namespace, is_first: bool) -> str:
    is_watching = arguments.watch is not None
    if arguments.json:
        from stackglass.threads.json_text import format_json

        return format_json(report, None if is_watching else 2)
    if arguments.debug is not None:
        from stackglass.threads.go_text import format_counts, format_dump

        is_counted = arguments.debug == _COUNTS
        text = (
            format_counts(report)
            if is_counted
            else format_dump(report, is_first, not arguments.no_labels)
        )
    else:
        from stackglass.threads.text import format_report

        text = format_report(report)
    return text + ("\n" if is_watching else "")
