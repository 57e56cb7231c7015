"""``stackglass waits``: prints which threads wait for which locks, their holders, and deadlocks."""

from __future__ import annotations

from stackglass.clock import SYSTEM_CLOCK
from stackglass.waits import examination
from stackglass.waits.examination import Examination
from stackglass.waits.sleep_times import exposes_sleeps, list_running

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from stackglass.waits.report import WaitsReport
    from stackglass.waits.session import WaitsSnapshot

DEADLOCKED = 3
"""The exit status for a deadlock."""
_DONE = 0


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
    examination.add_arguments(parser)
    parser.add_argument(
        "--all",
        action="store_true",
        help="also print the stacks of all other threads",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print a report, or with --watch several. Returns 0, or DEADLOCKED if the last one has a
    deadlock."""
    before: WaitsSnapshot | None = None
    with examination.catch_end(arguments) as is_stopped, Examination(arguments, _load) as process:
        from stackglass.waits.session import WaitsSession

        session = WaitsSession(
            process.connection,
            SYSTEM_CLOCK,
            process.patience_ns,
            process.explain,
            process.progress.show,
        )
        try:
            session.request()
            # Imported while the engine takes the snapshot.
            from stackglass.waits.report import WaitingProcess, build_report

            format_one = _load_format(arguments)
            session.begin()
            while True:
                before, snapshot = session.take_settled(before)
                facts = WaitingProcess(
                    process.pid,
                    process.command,
                    session.ready,
                    has_earlier=exposes_sleeps(process.pid),
                    asleep_ns=process.list_asleep(snapshot.waits.time_mono_ns),
                    running=list_running(process.pid) if process.is_numbered_alike else [],
                )
                report = build_report(snapshot, before, session.definitions, session.locks, facts)
                process.print(format_one(report))
                before = snapshot
                if arguments.watch is None or not session.listen(arguments.watch, is_stopped):
                    return DEADLOCKED if report.cycles else _DONE
        finally:
            session.end()


def _load() -> None:
    import stackglass.waits.session  # noqa: F401 - imported while the process is entered


def _load_format(arguments: argparse.Namespace) -> Callable[[WaitsReport], str]:
    """How to print a report."""
    is_watching = arguments.watch is not None
    if arguments.json:
        from stackglass.waits.json_text import format_json

        return lambda report: format_json(report, None if is_watching else 2)
    from stackglass.waits.text import format_report

    return lambda report: format_report(report, arguments.all) + ("\n" if is_watching else "")
