"""``stackglass attach PID``: the window, watching a process."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from stackglass.record.label_variables import add_variable_argument, read_variables
from stackglass.wire.rates import LEAST, MOST, Rates
from stackglass_viewer.app import App
from stackglass_viewer.launch import add_picture_arguments, launch, read_picture
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.settings.rate_presets import EVERYTHING

_NS_PER_MS = 1_000_000


def _read_rate(field: str, scale: int = 1) -> Callable[[str], int]:
    """Return the parser of an option that sets the rate ``field`` of ``Rates``.

    ``scale``: units of the rate in one unit of the option, as 1 000 000 ns in 1 ms.
    """
    least, most = getattr(LEAST, field) // scale, getattr(MOST, field) // scale

    def read(text: str) -> int:
        rate = int(text) if text.isascii() and text.isdecimal() else -1
        if rate and not least <= rate <= most:
            raise argparse.ArgumentTypeError(f"0 (off), or {least} to {most}")
        return rate * scale

    return read


def _pid(text: str) -> int:
    pid = int(text) if text.isascii() and text.isdecimal() else 0
    if pid <= 0:
        raise argparse.ArgumentTypeError("a process ID is a positive number")
    return pid


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Attach to a running Python process and watch it live."
    parser.add_argument("pid", type=_pid, metavar="PID")
    parser.add_argument(
        "--cpu-hz",
        type=_read_rate("cpu_hz"),
        metavar="N",
        help="samples per second of CPU time, 0 (off) to 10 000 (default: as last time)",
    )
    parser.add_argument(
        "--heap-rate",
        type=_read_rate("heap_rate"),
        metavar="BYTES",
        help="one heap sample for every BYTES allocated on average; 1 = every allocation, 0 = off "
        "(default: as last time)",
    )
    parser.add_argument(
        "--wall-hz",
        type=_read_rate("wall_hz"),
        metavar="N",
        help="wall samples: record the stack of every thread N times a second, waiting threads "
        f"included; at most {MOST.wall_hz}, 0 = off (default: as last time)",
    )
    parser.add_argument(
        "--native",
        dest="native_stacks",
        action="store_const",
        const=1,
        help="stacks with the frames of C, C++, Rust and Cython between those of Python (default: "
        "as last time)",
    )
    parser.add_argument(
        "--no-native",
        dest="native_stacks",
        action="store_const",
        const=0,
        help="stacks of Python, with the C function that is running, if any",
    )
    parser.add_argument(
        "--no-native-memory",
        action="store_true",
        help="leave out the memory that extension modules allocate outside Python's allocators; "
        "do not change their import tables",
    )
    parser.add_argument(
        "--block-rate",
        dest="block_rate_ns",
        type=_read_rate("block_rate_ns"),
        metavar="NS",
        help="record lock waits: every wait of at least NS nanoseconds, shorter ones sampled in "
        "proportion; 1 = every wait, 0 = off (default: as last time)",
    )
    parser.add_argument(
        "--mutex-fraction",
        type=_read_rate("mutex_fraction"),
        metavar="N",
        help="record the holders of contended locks: one in N releases that a thread waited for; "
        "1 = every one, 0 = off (default: as last time)",
    )
    parser.add_argument(
        "--gil-hz",
        type=_read_rate("gil_hz"),
        metavar="N",
        help="record the GIL's holder and waiters, N times a second; 0 = off (default: as last "
        "time)",
    )
    parser.add_argument(
        "--other-waits",
        dest="has_other",
        action="store_const",
        const=1,
        help="also record waits that are not for locks, at the rate of --block-rate: sleep, "
        "sockets, select, child processes (default: as last time)",
    )
    parser.add_argument(
        "--no-other-waits",
        action="store_const",
        const=0,
        dest="has_other",
        help="do not record waits that are not for locks",
    )
    parser.add_argument(
        "--stall-ms",
        dest="stall_ns",
        type=_read_rate("stall_ns", _NS_PER_MS),
        metavar="MS",
        help="record calls that block asyncio's event loop for at least MS milliseconds, "
        f"{LEAST.stall_ns // _NS_PER_MS} to {MOST.stall_ns // _NS_PER_MS}; 0 = off (default: as "
        "last time)",
    )
    parser.add_argument(
        "--children",
        action="store_true",
        help="also watch every Python process that PID has started or starts: a tab for each, "
        "and one for all of them together",
    )
    parser.add_argument(
        "--everything",
        action="store_true",
        help="use the preset Everything: CPU, wall clock, heap, locks, the GIL, stalls and other "
        "waits, at their usual rates; a rate given as well takes precedence",
    )
    add_variable_argument(parser)
    add_picture_arguments(parser)


def choose_rates(arguments: argparse.Namespace, last: Rates) -> Rates:
    """Return each rate from its own option, else from the preset, else from the last time.

    The preset does not choose between Python stacks and native stacks.
    """
    preset = EVERYTHING.rates._replace(native_stacks=last.native_stacks)
    usual = preset if arguments.everything else last
    chosen = {field: rate for field, rate in vars(arguments).items() if field in Rates._fields}
    return usual._replace(**{field: rate for field, rate in chosen.items() if rate is not None})


def run(arguments: argparse.Namespace) -> int:
    """Open the viewer. Raises UsageError, OutputError."""
    variables = read_variables(arguments.label_var)

    def begin(app: App) -> None:
        rates = choose_rates(arguments, app.preferences.rates)
        has_native = not arguments.no_native_memory
        target = Target(arguments.pid, rates, has_native, variables)
        app.attach_soon(target, has_children=arguments.children)

    return launch(begin, read_picture(arguments), arguments.view)
