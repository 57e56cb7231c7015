"""``stackglass attach PID``: the window, watching a process."""

from __future__ import annotations

import argparse

from stackglass_viewer.app import App
from stackglass_viewer.launch import add_picture_arguments, launch, read_picture

_MAX_HZ = 10_000


def _rate(text: str) -> int:
    rate_hz = int(text)
    if not 0 <= rate_hz <= _MAX_HZ:
        raise argparse.ArgumentTypeError(f"0 (off) to {_MAX_HZ}")
    return rate_hz


def _heap_rate(text: str) -> int:
    rate = int(text)
    if not 0 <= rate < 2**63:
        raise argparse.ArgumentTypeError("0 (off), 1 (everything), or bytes")
    return rate


def _pid(text: str) -> int:
    pid = int(text)
    if pid <= 0:
        raise argparse.ArgumentTypeError("a process id is above 0")
    return pid


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Attach to a running Python process and watch it live."
    parser.add_argument("pid", type=_pid, metavar="PID")
    parser.add_argument(
        "--cpu-hz",
        type=_rate,
        metavar="N",
        help="samples per second of CPU time, 0 (off) to 10 000 (default: as last time)",
    )
    parser.add_argument(
        "--heap-rate",
        type=_heap_rate,
        metavar="BYTES",
        help="one sample of the heap for so many bytes on average; 1 = every allocation, 0 = off "
        "(default: as last time)",
    )
    parser.add_argument(
        "--no-native-memory",
        action="store_true",
        help="the heap without what extension modules get past Python's allocators; their import "
        "tables are left as they are",
    )
    add_picture_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    def begin(app: App) -> None:
        app.attach(
            arguments.pid,
            arguments.cpu_hz,
            arguments.heap_rate,
            has_native=not arguments.no_native_memory,
        )

    return launch(begin, read_picture(arguments), arguments.view)
