"""``stackglass threads``: prints every thread, task and greenlet at one moment, with its stack."""

from __future__ import annotations

from stackglass.clock import SYSTEM_CLOCK
from stackglass.waits import examination
from stackglass.waits.examination import Examination

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from stackglass.threads.report import Report

_DONE = 0
_COUNTS, _ALL = 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.usage = "%(prog)s [options] PID"
    parser.description = (
        "Print the threads, asyncio tasks and greenlets of a Python process: state, what each "
        "waits for, and stack. Those with the same stack are listed together. The process "
        "continues as it was."
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
    """Print a report, or with --watch several. Returns 0."""
    is_first = True
    with examination.catch_end(arguments) as is_stopped, Examination(arguments, _load) as process:
        from stackglass.threads.session import DumpSession

        session = DumpSession(
            process.connection, SYSTEM_CLOCK, process.patience_ns, process.explain
        )
        try:
            session.request(arguments.leaks)
            # Imported while the engine takes the dump.
            from stackglass.threads.report import DumpedProcess, build_leak_report, build_report

            format_one = _load_format(arguments)
            while True:
                dump = session.take(arguments.leaks)
                asleep_ns = process.list_asleep(dump.rows.time_mono_ns)
                facts = DumpedProcess(process.pid, process.command, asleep_ns)
                build = build_leak_report if arguments.leaks else build_report
                process.print(format_one(build(dump, facts), is_first))
                is_first = False
                if arguments.watch is None or not session.listen(arguments.watch, is_stopped):
                    return _DONE
        finally:
            session.end()


def _load() -> None:
    import stackglass.threads.session  # noqa: F401 - imported while the process is entered


def _load_format(arguments: argparse.Namespace) -> Callable[[Report, bool], str]:
    """How to print a report, given whether it is the first one."""
    is_watching = arguments.watch is not None
    end = "\n" if is_watching else ""
    if arguments.json:
        from stackglass.threads.json_text import format_json

        return lambda report, _: format_json(report, None if is_watching else 2)
    if arguments.debug == _COUNTS:
        from stackglass.threads.go_text import format_counts

        return lambda report, _: format_counts(report) + end
    if arguments.debug == _ALL:
        from stackglass.threads.go_text import format_dump

        has_labels = not arguments.no_labels
        return lambda report, is_first: format_dump(report, is_first, has_labels) + end
    from stackglass.threads.text import format_report

    return lambda report, _: format_report(report) + end
