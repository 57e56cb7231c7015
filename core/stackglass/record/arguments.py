"""The options of ``stackglass record``: which profiles, at which rates, and where they go."""

from __future__ import annotations

import argparse
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
from stackglass.wire.rates import DEFAULT, LEAST, MOST, OFF, Rates

_CLOCKS = ("auto", "perf", "perf+timer", "ticker", "timer", "outside")
_LEAST_STACK_DEPTH, _MAX_STACK_DEPTH = 16, 1024
_HEAP = tuple(HEAP_KINDS)
_HEAP_SWITCHES = ("gc", "as_of_gc")


class _RateOption(NamedTuple):
    """An option that sets a rate; ``profiles`` are recorded at it."""

    option: str
    field: str  # of Rates
    profiles: tuple[str, ...]
    metavar: str
    help: str  # {least}, {most}, {default}
    scale: int = 1  # of the rate, per unit of the option


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
"""Triggers that fire by events, and the field of the rate at which these are recorded."""


def add_plan_arguments(parser: argparse.ArgumentParser, *, is_output_required: bool = True) -> None:
    """Declare the options that ``make_plan`` reads."""
    parser.add_argument(
        "-o",
        "--output",
        required=is_output_required,
        metavar="FILE",
        help="output file; - is standard output; a folder if --profile is given several times, if "
        "it is one, or if it ends with a slash; {pid} and {profile} in it are replaced",
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
        help="cpu, heap and allocs: also frames of C, C++, Rust and Cython, between the Python "
        "frames that they run under",
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
        help="write the formats from before protobuf: binary for cpu, as gperftools does, text for "
        "all others",
    )
    parser.add_argument(
        "--stack-depth",
        type=between(_LEAST_STACK_DEPTH, _MAX_STACK_DEPTH),
        metavar="N",
        help="all but cpu and wall: frames kept of a stack, "
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
        help="memory: a flight recorder: keep only the last DURATION (30s, 2m) and what lived when "
        "it began, and write it when a trigger fires; later files are FILE-2, FILE-3 …",
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
        "for each other's locks for ever; rss>2GiB; wait>1s = a wait for a lock took longer; "
        "stall>1s = an event loop stood still for longer; may be repeated (default: exit, signal)",
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
    """The recording that the options describe. Raises UsageError, and OutputError if it cannot be
    written."""
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
    outputs = choose_outputs(
        arguments.output,
        profiles,
        _list_legacy(arguments),
        arguments.other_waits,
        arguments.children,
    )
    return Plan(
        tuple(outputs),
        _make_request(arguments, set(profiles), window),
        arguments.duration,
        arguments.clock,
        HeapView.AS_OF_FULL if arguments.as_of_gc else HeapView.LIVE,
        arguments.gc,
        arguments.stack_depth or DEFAULT_STACK_DEPTH,
        arguments.children,
        window,
    )


def _list_legacy(arguments: argparse.Namespace) -> list[str]:
    """The profiles that are to have their form from before protobuf."""
    with_legacy = [name for name in PROFILES if name not in (WALL, MEMORY)]
    if arguments.legacy:
        return with_legacy
    return [name for name in with_legacy if name != CPU] if arguments.text else []


def _make_request(
    arguments: argparse.Namespace, profiles: set[str], window: Window | None
) -> RateRequest:
    named = {
        option.field: getattr(arguments, option.field) * option.scale
        for option in _RATE_OPTIONS
        if getattr(arguments, option.field)
    }
    sampled = profiles - {MEMORY} if arguments.no_states else profiles
    rates = choose_rates(sampled, named, window)
    rates["has_other"] = int(arguments.other_waits)
    rates["native_stacks"] = int(arguments.native)
    return RateRequest(
        Rates(**{**OFF._asdict(), **rates}),
        frozenset(named),
        not arguments.no_native_memory,
        read_variables(arguments.label_var),
        MEMORY in profiles,
        list_limited(window),
    )


def list_limited(window: Window | None) -> frozenset[str]:
    """The rates, by field, that may be no higher than a trigger's limit: it would not fire."""
    return frozenset(field for name, field in _TRIGGER_RATES if window and window.find(name))


def choose_rates(
    profiles: set[str], named: dict[str, int], window: Window | None
) -> dict[str, int]:
    """The rates, by field, that profiles and triggers need. ``named`` ones go before the defaults;
    a trigger lowers a rate to its own limit."""
    rates = dict(named)
    for option in _RATE_OPTIONS:
        if profiles.intersection(option.profiles):
            rates.setdefault(option.field, getattr(DEFAULT, option.field))
    for name, field in _TRIGGER_RATES:
        trigger = window.find(name) if window else None
        if trigger is not None:
            rates[field] = min(rates.get(field, trigger.limit), trigger.limit)
    if window is not None and window.find(DEADLOCK):
        rates.setdefault("mutex_fraction", MOST.mutex_fraction)  # watched, and hardly sampled
    return rates


def _check_options(arguments: argparse.Namespace, profiles: set[str]) -> None:
    """Raises UsageError for an option that would change nothing."""
    used = {
        f"--{name.replace('_', '-')}": _HEAP for name in _HEAP_SWITCHES if getattr(arguments, name)
    }
    if arguments.no_native_memory:
        used["--no-native-memory"] = (*_HEAP, MEMORY)
    if arguments.window:
        used["--window"] = (MEMORY,)
    if arguments.no_states:
        used["--no-states"] = (MEMORY,)
    if arguments.other_waits:
        used["--other-waits"] = ("block",)
    if arguments.native:
        used["--native"] = (CPU, *_HEAP)
    if arguments.label_var:
        used["--label-var"] = (CPU, WALL, "tasks", "stalls")
    for rate in _RATE_OPTIONS:
        if getattr(arguments, rate.field):
            used[rate.option] = rate.profiles
    for option, wanted in used.items():
        if not profiles.intersection(wanted):
            raise UsageError(
                f"{option} is for the profile {' or '.join(wanted)}",
                f"add {' or '.join(f'--profile {name}' for name in wanted)}",
            )
    sampled = " and ".join(sorted(profiles)) if profiles <= {CPU, WALL} else ""
    if arguments.stack_depth and sampled:
        raise UsageError(f"--stack-depth is not for the profile {sampled}", "add another --profile")
    if arguments.text and sampled:
        others = ", ".join(
            f"--profile {name}" for name in PROFILES if name not in (CPU, WALL, MEMORY)
        )
        raise UsageError(f"--text is not for the profile {sampled}", f"add one of {others}")
    without = " and ".join(sorted(profiles))
    if arguments.legacy and profiles <= {WALL, MEMORY}:
        raise UsageError(f"--legacy is not for the profile {without}", "add another --profile")
    if arguments.text and profiles <= {CPU, WALL, MEMORY}:
        raise UsageError(f"--text is not for the profile {without}", "add another --profile")


def between(least: int, most: int) -> Callable[[str], int]:
    """What argparse calls for a whole number within these limits."""

    def read(text: str) -> int:
        number = int(text)
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text} is not between {least} and {most}")
        return number

    read.__name__ = "number"  # argparse names the type in its message for a text that is none
    return read
