"""Examination: a process that a command reports on, once or repeatedly until Ctrl+C.

::

    Examination: attach ─▶ take ─▶ print ─▶ listen for --watch seconds ─┐
                            ▲──────────────────────────────────────────┘
"""

from __future__ import annotations

import io
import sys

from stackglass.attach.child_commands import read_command_line
from stackglass.attach.entry import attach
from stackglass.clock import SYSTEM_CLOCK
from stackglass.record.duration import read_duration_ns
from stackglass.record.progress import Progress
from stackglass.waits.sleep_times import SleepTimes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from stackglass.errors import AttachError

_DEFAULT_TIMEOUT_NS = 10 * 10**9
_WATCH_NS = 10**9


class Examination:
    """A process that has been entered. For one thread; a context manager."""

    __slots__ = (
        "_is_for_people",
        "_sleeps",
        "command",
        "connection",
        "patience_ns",
        "pid",
        "progress",
    )

    def __init__(self, arguments: argparse.Namespace, load: Callable[[], None]) -> None:
        """Enter the process. Meanwhile ``load`` is called, to import what is needed next. Raises
        AttachError, WireError."""
        self.pid: int = arguments.pid
        self.patience_ns: int = arguments.timeout  # for each answer
        self._is_for_people = not (arguments.json or getattr(arguments, "debug", None))
        self.progress = Progress(sys.stderr)
        self.command = read_command_line(self.pid)
        self._sleeps = SleepTimes(self.pid, SYSTEM_CLOCK)  # before the attach wakes a thread
        try:
            self.connection = attach(
                self.pid, new_hz=0, on_progress=self.progress.show, meanwhile=load
            )
        except BaseException:
            self.progress.clear()
            raise

    def __enter__(self) -> Examination:
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.clear()
        self.connection.close()

    def explain(self, gil_wait_ns: int) -> AttachError:
        """The error for a missing answer of an engine that has waited this long for the GIL. For
        people, also prints the stacks that can be read without the engine."""
        from stackglass.waits.outside_report import format_outside_stacks
        from stackglass.waits.unresponsive import explain_silence

        stacks = format_outside_stacks(self.pid) if gil_wait_ns and self._is_for_people else ""
        if stacks:
            self.print(stacks)
        return explain_silence(self.pid, self.patience_ns, gil_wait_ns, SYSTEM_CLOCK)

    @property
    def is_numbered_alike(self) -> bool:
        """Whether threads have the same ids here as in the process; they differ if the process is
        in another PID namespace."""
        return self.connection.hello.pid == self.pid

    def list_asleep(self, mono_ns: int) -> dict[int, int]:
        """For how long each thread has not run up to ``mono_ns``, in ns, if that is known."""
        return self._sleeps.list_asleep(mono_ns) if self.is_numbered_alike else {}

    def print(self, text: str) -> None:
        """Print a report, in place of the progress line."""
        self.progress.clear()
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # the encoding may lack letters of names
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``Examination`` and ``catch_end`` read: ``pid``, ``watch``, ``timeout``."""
    parser.add_argument("pid", type=int, metavar="PID", help="id of a running process")
    parser.add_argument(
        "--watch",
        nargs="?",
        const=_WATCH_NS,
        type=read_duration_ns,
        metavar="SECONDS",
        help=f"repeat after this many seconds (default: {_WATCH_NS // 10**9}) until Ctrl+C; with "
        "--json one object per line",
    )
    parser.add_argument(
        "--timeout",
        type=read_duration_ns,
        default=_DEFAULT_TIMEOUT_NS,
        metavar="SECONDS",
        help="stop if the process does not answer for this long, because C code holds the GIL or "
        f"processors are busy (default: {_DEFAULT_TIMEOUT_NS // 10**9})",
    )


class _Ordinary:
    """A context in which Ctrl+C acts as usual."""

    __slots__ = ()

    def __enter__(self) -> Callable[[], bool]:
        return lambda: False

    def __exit__(self, *_: object) -> None:
        pass


def catch_end(arguments: argparse.Namespace) -> AbstractContextManager[Callable[[], bool]]:
    """A context that yields a function: whether the user has requested the end. Without --watch it
    returns False, and Ctrl+C acts as usual."""
    if arguments.watch is None:
        return _Ordinary()
    from stackglass.record import signals  # here for start-up time

    return signals.catch_end()
