"""``stackglass attach PID``: the window, watching a process."""

from __future__ import annotations

import argparse

from stackglass_viewer.app import App
from stackglass_viewer.launch import add_picture_arguments, launch, read_picture
from stackglass_viewer.presenter.live.capture import Target
from stackglass_viewer.presenter.settings.rate_presets import EVERYTHING, Rates

_MAX_HZ = 10_000
_LEAST_STALL_MS, _MAX_STALL_MS = 10, 60_000
_NS_A_MS = 1_000_000


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


def _block_rate(text: str) -> int:
    rate_ns = int(text)
    if not 0 <= rate_ns < 2**31:
        raise argparse.ArgumentTypeError("0 (off), 1 (every wait), or nanoseconds")
    return rate_ns


def _fraction(text: str) -> int:
    fraction = int(text)
    if not 0 <= fraction < 2**31:
        raise argparse.ArgumentTypeError("0 (off), 1 (every release), or N (one release in N)")
    return fraction


def _stall_ms(text: str) -> int:
    stall_ms = int(text)
    if stall_ms and not _LEAST_STALL_MS <= stall_ms <= _MAX_STALL_MS:
        raise argparse.ArgumentTypeError(f"0 (off), or {_LEAST_STALL_MS} to {_MAX_STALL_MS}")
    return stall_ms


def _pid(text: str) -> int:
    pid = int(text)
    if pid <= 0:
        raise argparse.ArgumentTypeError("a process ID is a positive number")
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
        help="one heap sample for every BYTES allocated on average; 1 = every allocation, 0 = off "
        "(default: as last time)",
    )
    parser.add_argument(
        "--no-native-memory",
        action="store_true",
        help="leave out the memory that extension modules allocate outside Python's allocators; "
        "do not change their import tables",
    )
    parser.add_argument(
        "--block-rate",
        type=_block_rate,
        metavar="NS",
        help="record lock waits: every wait of at least NS nanoseconds, shorter ones sampled in "
        "proportion; 1 = every wait, 0 = off (default: as last time)",
    )
    parser.add_argument(
        "--mutex-fraction",
        type=_fraction,
        metavar="N",
        help="record the holders of contended locks: one in N releases that a thread waited for; "
        "1 = every one, 0 = off (default: as last time)",
    )
    parser.add_argument(
        "--gil-hz",
        type=_rate,
        metavar="N",
        help="record the GIL's holder and waiters, N times a second; 0 = off (default: as last "
        "time)",
    )
    parser.add_argument(
        "--other-waits",
        action="store_const",
        const=1,
        help="also record waits that are not for locks, at the rate of --block-rate: sleep, "
        "sockets, select, child processes (default: as last time)",
    )
    parser.add_argument(
        "--no-other-waits",
        action="store_const",
        const=0,
        dest="other_waits",
        help="do not record them",
    )
    parser.add_argument(
        "--stall-ms",
        type=_stall_ms,
        metavar="MS",
        help="record calls that block asyncio's event loop for at least MS milliseconds, "
        f"{_LEAST_STALL_MS} to {_MAX_STALL_MS}; 0 = off (default: as last time)",
    )
    parser.add_argument(
        "--everything",
        action="store_true",
        help="use the preset Everything: CPU, heap, locks, the GIL, stalls and other waits, at "
        "their usual rates; a rate given as well takes precedence",
    )
    add_picture_arguments(parser)


def choose_rates(arguments: argparse.Namespace, last: Rates) -> Rates:
    """What the command line says, else the preset that it names, else as last time."""
    usual = EVERYTHING.rates if arguments.everything else last
    return Rates(
        usual.cpu_hz if arguments.cpu_hz is None else arguments.cpu_hz,
        usual.heap_rate if arguments.heap_rate is None else arguments.heap_rate,
        usual.contention.with_wanted(
            arguments.block_rate,
            arguments.mutex_fraction,
            arguments.gil_hz,
            arguments.other_waits,
            None if arguments.stall_ms is None else arguments.stall_ms * _NS_A_MS,
        ),
    )


def run(arguments: argparse.Namespace) -> int:
    def begin(app: App) -> None:
        rates = choose_rates(arguments, app.preferences.rates)
        app.attach(Target(arguments.pid, rates, has_native=not arguments.no_native_memory))

    return launch(begin, read_picture(arguments), arguments.view)
