"""The options of ``stackglass record``: which profiles, at which rates, and where they go."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Callable

from stackglass.errors import UsageError
from stackglass.named_tuple import NamedTuple
from stackglass.record.duration import read_duration_ns
from stackglass.record.flight_plan import (
    DEADLOCK,
    STALL,
    WAIT,
    Window,
    make_window,
    read_span_ns,
    read_trigger,
    read_window_bytes,
)
from stackglass.record.label_variables import add_variable_argument, read_variables
from stackglass.record.outputs import CPU, HEAP_KINDS, MEMORY, PROFILES, WALL, choose_outputs
from stackglass.record.plan import DEFAULT_STACK_DEPTH, Plan
from stackglass.record.rate_requests import RateRequest
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.profile_file import STANDARD_OUTPUT
from stackglass.wire.rates import DEFAULT, LEAST, MOST, OFF
from stackglass.wire.recorded_profiles import THREADCREATE

_CLOCKS = ("auto", "perf", "perf+timer", "ticker", "timer", "outside")
_LEAST_STACK_DEPTH, _MAX_STACK_DEPTH = 16, 1024
_HEAP = tuple(HEAP_KINDS)
_WITH_LEGACY = tuple(name for name in PROFILES if name not in (WALL, MEMORY))
_WITH_TEXT = tuple(name for name in _WITH_LEGACY if name != CPU)
_WITH_DEPTH = tuple(name for name in PROFILES if name not in (CPU, WALL, THREADCREATE))


class _RateOption(NamedTuple):
    """An option that sets a rate; ``profiles`` are recorded at it."""

    option: str
    field: str  # of Rates
    profiles: tuple[str, ...]
    metavar: str
    help: str  # with the places {least}, {most} and {default}
    scale: int = 1  # the option's value times this is the rate


_RATE_OPTIONS = (
    _RateOption(
        "--cpu-hz",
        "cpu_hz",
        (CPU, WALL, MEMORY),
        "N",
        "cpu, wall and memory: samples per second of CPU time, {least} to {most} (default: "
        "{default})",
    ),
    _RateOption(
        "--wall-hz",
        "wall_hz",
        (WALL, MEMORY),
        "N",
        "wall and memory: samples of each thread per second, {least} to {most} (default: "
        "{default})",
    ),
    _RateOption(
        "--heap-rate",
        "heap_rate",
        _HEAP,
        "BYTES",
        "heap and allocs: average bytes between samples (default: {default}); 1 = every allocation",
    ),
    _RateOption(
        "--block-rate",
        "block_rate_ns",
        ("block", "tasks"),
        "NS",
        "block and tasks: record every wait of at least this many nanoseconds, shorter ones "
        "sampled in proportion (default: {default}); 1 = every wait",
    ),
    _RateOption(
        "--mutex-fraction",
        "mutex_fraction",
        ("mutex",),
        "N",
        "mutex: record one in N of the releases that a thread waited for (default: {default}); "
        "1 = all",
    ),
    _RateOption(
        "--gil-hz",
        "gil_hz",
        ("gil",),
        "N",
        "gil: samples of the GIL's holder and waiters per second, {least} to {most} "
        "(default: {default})",
    ),
    _RateOption(
        "--stall-ms",
        "stall_ns",
        ("stalls",),
        "MS",
        "stalls: report what blocks asyncio's event loop for at least this many milliseconds, "
        "{least} to {most} (default: {default})",
        scale=1_000_000,
    ),
)


_TRIGGER_RATES = ((WAIT, "block_rate_ns"), (STALL, "stall_ns"))
"""Triggers that a recorded event fires, each with the rate (field of Rates) of these events."""


def add_plan_arguments(parser: argparse.ArgumentParser, *, is_output_required: bool = True) -> None:
    """Declare the options that ``make_plan`` reads."""
    parser.add_argument(
        "-o",
        "--output",
        required=is_output_required,
        metavar="FILE",
        help="output file, or - for standard output; FILE is a folder if --profile is given "
        "several times, if a folder has this name, or if it ends with a slash; {pid} and {profile} "
        "in FILE are replaced",
    )
    parser.add_argument(
        "--children",
        action="store_true",
        help="of a command: also record the Python processes that it starts and forks, each into "
        "files of its own ({pid} in FILE, or a folder)",
    )
    parser.add_argument(
        "--profile",
        action="append",
        choices=PROFILES,
        help="profile to record (default: cpu); may be repeated",
    )
    parser.add_argument(
        "--duration", type=read_duration_ns, metavar="SECONDS", help="stop after this many seconds"
    )
    _add_window_arguments(parser)
    for option in _RATE_OPTIONS:
        _add_rate_option(parser, option)
    parser.add_argument(
        "--other-waits",
        action="store_true",
        help="block: also record other blocking calls, with a label: sleep, sockets, select, child "
        "processes",
    )
    parser.add_argument(
        "--native",
        action="store_true",
        help="cpu, heap and allocs: also frames of C, C++, Rust and Cython functions, in the order "
        "of the calls",
    )
    add_variable_argument(parser)
    parser.add_argument(
        "--gc", action="store_true", help="heap and allocs: run a full collection before writing"
    )
    parser.add_argument(
        "--as-of-gc",
        action="store_true",
        help="heap and allocs: as of the last full collection (Go's view) instead of now",
    )
    parser.add_argument(
        "--no-native-memory",
        action="store_true",
        help="heap, allocs and memory: leave out memory that extension modules allocate without "
        "Python's allocators, and do not change their import tables",
    )
    parser.add_argument(
        "--no-states",
        action="store_true",
        help="memory: leave out what each thread did over time: running, waiting, awaiting",
    )
    parser.add_argument(
        "--text",
        action="store_true",
        help="all but cpu, wall and memory: write text (Go's debug=1), which go tool pprof reads",
    )
    parser.add_argument(
        "--legacy",
        action="store_true",
        help="all but wall and memory: write the format from before protobuf: binary for cpu, as "
        "gperftools does, text for all others, as --text does",
    )
    parser.add_argument(
        "--stack-depth",
        type=between(_LEAST_STACK_DEPTH, _MAX_STACK_DEPTH),
        metavar="N",
        help="all but cpu, wall and threadcreate: frames kept of a stack, "
        f"{_LEAST_STACK_DEPTH} to {_MAX_STACK_DEPTH} (default: {DEFAULT_STACK_DEPTH}); "
        "only if this recording starts the engine",
    )
    parser.add_argument(
        "--clock", choices=_CLOCKS, default="auto", help="what triggers samples (default: auto)"
    )


def _add_window_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--window",
        type=read_span_ns,
        metavar="DURATION",
        help="memory: keep only the last DURATION (30s, 2m), and what was in use at its beginning; "
        "write a file each time a trigger fires: FILE, FILE-2, FILE-3 … (a flight recorder)",
    )
    parser.add_argument(
        "--window-size",
        type=read_window_bytes,
        metavar="SIZE",
        help="with --window: keep no more than this, and less time if need be (default: 64MiB)",
    )
    parser.add_argument(
        "--trigger",
        action="append",
        type=read_trigger,
        metavar="WHEN",
        help="with --window: exit = the process or the recording ends, however it ends; killed = a "
        "signal ends the process; signal = the recorder receives SIGUSR1; deadlock = threads wait "
        "for each other's locks for ever; 'rss>2GiB' = resident memory is more than this; "
        "'wait>1s' = a wait for a lock took longer; 'stall>1s' = an event loop stood still for "
        "longer; quote the > for the shell; may be repeated (default: exit, signal)",
    )


def _add_rate_option(parser: argparse.ArgumentParser, option: _RateOption) -> None:
    least, most, default = (
        getattr(rates, option.field) // option.scale for rates in (LEAST, MOST, DEFAULT)
    )
    parser.add_argument(
        option.option,
        dest=option.field,
        type=between(least, most),
        metavar=option.metavar,
        help=option.help.format(least=least, most=most, default=default),
    )


def make_plan(arguments: argparse.Namespace) -> Plan:
    """The recording that the options describe.

    Raises UsageError for options that contradict each other or that none of the profiles uses, and
    OutputError if a file cannot be written.
    """
    profiles = arguments.profile or [CPU]
    window = make_window(arguments.window, arguments.window_size, arguments.trigger)
    _check_options(arguments, set(profiles))
    if window is not None and arguments.output == STANDARD_OUTPUT:
        raise UsageError("--window writes files, maybe several", "name a file: -o trace.sgm")
    if arguments.gc and arguments.command and arguments.duration is None:
        raise UsageError(
            "--gc needs a program that still runs when the recording ends", "give --duration"
        )
    if arguments.children and not arguments.command:
        raise UsageError("--children is for a command", "stackglass record -o DIR -- COMMAND ARG…")
    text = _WITH_TEXT if arguments.text else ()
    outputs = choose_outputs(
        arguments.output,
        profiles,
        legacy=_WITH_LEGACY if arguments.legacy else text,
        has_other=arguments.other_waits,
        has_children=arguments.children,
    )
    return Plan(
        outputs=tuple(outputs),
        request=_make_request(arguments, set(profiles), window),
        duration_ns=arguments.duration,
        clock=arguments.clock,
        view=HeapView.AS_OF_FULL if arguments.as_of_gc else HeapView.LIVE,
        is_collecting=arguments.gc,
        stack_depth=arguments.stack_depth or DEFAULT_STACK_DEPTH,
        has_children=arguments.children,
        window=window,
    )


def _make_request(
    arguments: argparse.Namespace, profiles: set[str], window: Window | None
) -> RateRequest:
    named = {
        option.field: getattr(arguments, option.field) * option.scale
        for option in _RATE_OPTIONS
        if getattr(arguments, option.field)
    }
    with_rates = profiles - {MEMORY} if arguments.no_states else profiles
    rates = choose_rates(with_rates, named, window)
    rates["has_other"] = int(arguments.other_waits)
    rates["native_stacks"] = int(arguments.native)
    return RateRequest(
        rates=OFF._replace(**rates),
        named=frozenset(named),
        has_native=not arguments.no_native_memory,
        variables=read_variables(arguments.label_var),
        has_memory=MEMORY in profiles,
        limited=find_limited_rates(window),
    )


def find_limited_rates(window: Window | None) -> frozenset[str]:
    """The rates, by field, that a trigger of the window limits. At a higher rate the engine would
    not report every event that must fire the trigger."""
    return frozenset(field for name, field in _TRIGGER_RATES if window and window.find(name))


def choose_rates(
    profiles: set[str], named: dict[str, int], window: Window | None
) -> dict[str, int]:
    """The rates, by field, that profiles and triggers need: a named rate, otherwise the default.
    A trigger's limit lowers either."""
    rates = dict(named)
    for option in _RATE_OPTIONS:
        if profiles.intersection(option.profiles):
            rates.setdefault(option.field, getattr(DEFAULT, option.field))
    for name, field in _TRIGGER_RATES:
        trigger = window.find(name) if window else None
        if trigger is not None:
            rates[field] = min(rates.get(field, trigger.limit), trigger.limit)
    if window is not None and window.find(DEADLOCK):
        # The trigger needs holders to be watched; at this rate hardly any release is recorded.
        rates.setdefault("mutex_fraction", MOST.mutex_fraction)
    return rates


def _check_options(arguments: argparse.Namespace, profiles: set[str]) -> None:
    """Raises UsageError for an option that none of the profiles uses.

    ``--clock`` is not checked: the engine keeps it for clients that connect later.
    """
    for option, users in _list_users(arguments):
        if not profiles.intersection(users):
            raise UsageError(
                f"{option} is for the profile {_join(users)}",
                f"add {_join([f'--profile {name}' for name in users])}",
            )
    for rate in _RATE_OPTIONS:
        is_named = getattr(arguments, rate.field)
        if arguments.no_states and is_named and profiles.intersection(rate.profiles) == {MEMORY}:
            raise UsageError(
                f"{rate.option} samples the states that --no-states leaves out",
                "leave out one of the two options",
            )


def _list_users(arguments: argparse.Namespace) -> list[tuple[str, tuple[str, ...]]]:
    """The options that were given, each with the profiles that use it."""
    options = [
        ("--gc", arguments.gc, _HEAP),
        ("--as-of-gc", arguments.as_of_gc, _HEAP),
        ("--no-native-memory", arguments.no_native_memory, (*_HEAP, MEMORY)),
        ("--window", arguments.window, (MEMORY,)),
        ("--no-states", arguments.no_states, (MEMORY,)),
        ("--other-waits", arguments.other_waits, ("block",)),
        ("--native", arguments.native, (CPU, *_HEAP)),
        ("--label-var", arguments.label_var, (CPU, WALL, "tasks", "stalls")),
        ("--stack-depth", arguments.stack_depth, _WITH_DEPTH),
        ("--text", arguments.text, _WITH_TEXT),
        ("--legacy", arguments.legacy, _WITH_LEGACY),
        *((rate.option, getattr(arguments, rate.field), rate.profiles) for rate in _RATE_OPTIONS),
    ]
    return [(option, users) for option, is_given, users in options if is_given]


def _join(words: Sequence[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def between(least: int, most: int) -> Callable[[str], int]:
    """A type for argparse: a whole number from ``least`` to ``most``."""

    def read(text: str) -> int:
        number = int(text)
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text} is not between {least} and {most}")
        return number

    read.__name__ = "number"  # argparse says "invalid number value" for a text that is no number
    return read
