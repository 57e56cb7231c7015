"""A process that a command examines, once or again and again until Ctrl+C.

::

    examine ─▶ attach ─▶ take ─▶ print ─▶ listen for --watch seconds ─┐
                          ▲──────────────────────────────────────────┘
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Iterator
from typing import Callable, NamedTuple

from stackglass.attach.client import Connection
from stackglass.attach.entry import attach
from stackglass.attach.proc import PROC
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import AttachError
from stackglass.record.duration import read_duration_ns
from stackglass.record.progress import Progress
from stackglass.waits.sleep_times import SleepTimes
from stackglass.waits.unresponsive import explain_silence

_DEFAULT_TIMEOUT_NS = 10 * 10**9


class Examination(NamedTuple):
    """A process that has been entered. For one thread."""

    pid: int
    command: str
    connection: Connection
    patience_ns: int  # for each answer
    progress: Progress
    sleeps: SleepTimes

    def explain(self, gil_wait_ns: int) -> AttachError:
        """Why there is no answer, of an engine that has waited so long for the GIL."""
        return explain_silence(self.pid, self.patience_ns, gil_wait_ns, SYSTEM_CLOCK)

    @property
    def is_numbered_alike(self) -> bool:
        """Threads of a process in another PID namespace have other numbers here."""
        return self.connection.hello.pid == self.pid

    def list_asleep(self, mono_ns: int) -> dict[int, int]:
        """For how long each thread has not run up to then, ns; without those that are not known."""
        return self.sleeps.list_asleep(mono_ns) if self.is_numbered_alike else {}

    def print(self, text: str) -> None:
        """Print a report, in place of the line about the progress."""
        self.progress.clear()
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # names may have letters that it lacks
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what ``examine`` and ``catch_end`` read: ``pid``, ``watch``, ``timeout``."""
    parser.add_argument("pid", type=int, metavar="PID", help="id of a running process")
    parser.add_argument(
        "--watch",
        type=read_duration_ns,
        metavar="SECONDS",
        help="repeat after this many seconds until Ctrl+C; with --json one object per line",
    )
    parser.add_argument(
        "--timeout",
        type=read_duration_ns,
        default=_DEFAULT_TIMEOUT_NS,
        metavar="SECONDS",
        help="stop if the process does not answer for this long, because C code holds the GIL "
        f"(default: {_DEFAULT_TIMEOUT_NS // 10**9})",
    )


@contextlib.contextmanager
def examine(arguments: argparse.Namespace) -> Iterator[Examination]:
    """Enter the process. Raises AttachError, WireError."""
    pid = arguments.pid
    progress = Progress(sys.stderr)
    sleeps = SleepTimes(pid, SYSTEM_CLOCK)  # before the attach wakes a thread
    with attach(pid, new_hz=0, on_progress=progress.show) as connection:
        command = " ".join(" ".join(PROC.read_command(pid)).split())
        try:
            yield Examination(pid, command, connection, arguments.timeout, progress, sleeps)
        finally:
            progress.clear()


@contextlib.contextmanager
def catch_end(arguments: argparse.Namespace) -> Iterator[Callable[[], bool]]:
    """Whether the user has asked for the end, with --watch; without, Ctrl+C is as usual."""
    if arguments.watch is None:
        yield lambda: False
        return
    from stackglass.record import signals  # here for start-up time

    with signals.catch_end() as is_stopped:
        yield is_stopped
