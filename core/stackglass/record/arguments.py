"""The words of ``stackglass record``: which profiles, at which rates, and where they go."""

from __future__ import annotations

import argparse
from typing import Callable, NamedTuple

from stackglass.errors import UsageError
from stackglass.record.outputs import CPU, HEAP_KINDS, PROFILES, Output, choose_outputs
from stackglass.record.rate_requests import (
    DEFAULT_BLOCK_RATE_NS,
    DEFAULT_GIL_HZ,
    DEFAULT_HEAP_RATE,
    DEFAULT_MUTEX_FRACTION,
    DEFAULT_STALL_NS,
    ContentionWish,
    HeapWish,
)
from stackglass.wire.contention_profile import PROFILES as CONTENTION_KINDS
from stackglass.wire.heap_recording import HeapView

DEFAULT_HZ = 100
MAX_HZ = 10_000
_CLOCKS = ("auto", "perf", "perf+timer", "ticker", "timer", "outside")
_MAX_HEAP_RATE = 1 << 40
_MAX_BLOCK_RATE_NS = 10**15
_MAX_FRACTION = 10**9
_MAX_GIL_HZ = 1000
_LEAST_STALL_MS, _MAX_STALL_MS = 10, 60_000
_NS_A_MS = 1_000_000


_PROFILES_OF_WORDS = {
    "block_rate": ("block", "tasks"),
    "other_waits": ("block",),
    "mutex_fraction": ("mutex",),
    "gil_hz": ("gil",),
    "stall_ms": ("stalls",),
}


class Plan(NamedTuple):
    """What is to be recorded, and where it goes."""

    outputs: list[Output]
    duration_ns: int | None  # None = until something ends it
    cpu_hz: int | None  # None = 100, or as it is where an engine is already
    clock: str
    heap: HeapWish | None  # None = no profile of the heap
    view: HeapView
    contention: ContentionWish | None  # None = none of these

    @property
    def new_hz(self) -> int:
        """The rate of an engine that starts for this recording."""
        has_cpu = any(output.profile == CPU for output in self.outputs)
        return self.cpu_hz or DEFAULT_HZ if has_cpu else 0

    @property
    def has_native(self) -> bool:
        """Whether memory past Python's allocators is part of it."""
        return self.heap is not None and self.heap.has_native

    def list_arguments(self) -> dict[str, int | str]:
        """What an engine is told that starts for this recording."""
        return {
            "hz": self.new_hz,
            "heap": self.heap.new_rate if self.heap is not None else 0,
            "native": int(self.has_native),
            **(self.contention or ContentionWish()).list_arguments(),
            "clock": self.clock,
        }


def add_plan_arguments(parser: argparse.ArgumentParser) -> None:
    """The words that ``make_plan`` understands."""
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="output file; - is standard output; a folder if --profile is given several times",
    )
    parser.add_argument(
        "--profile",
        action="append",
        choices=PROFILES,
        help="profile to record (default: cpu); may be repeated",
    )
    parser.add_argument(
        "--duration", type=_read_seconds, metavar="SECONDS", help="stop after this many seconds"
    )
    parser.add_argument(
        "--cpu-hz",
        type=_between(1, MAX_HZ),
        metavar="N",
        help=f"samples per second of CPU time, 1 to {MAX_HZ} (default: {DEFAULT_HZ})",
    )
    _add_heap_arguments(parser)
    _add_contention_arguments(parser)
    parser.add_argument(
        "--text",
        action="store_true",
        help="all but cpu: write text (Go's debug=1), which go tool pprof reads too",
    )
    parser.add_argument(
        "--clock", choices=_CLOCKS, default="auto", help="what triggers samples (default: auto)"
    )


def _add_heap_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--heap-rate",
        type=_between(1, _MAX_HEAP_RATE),
        metavar="BYTES",
        help=f"heap and allocs: average bytes between samples (default: {DEFAULT_HEAP_RATE}); "
        "1 = every allocation",
    )
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
        help="heap and allocs: leave out memory that extension modules allocate without Python's "
        "allocators, and do not change their import tables",
    )


def _add_contention_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--block-rate",
        type=_between(1, _MAX_BLOCK_RATE_NS),
        metavar="NS",
        help="block and tasks: record every wait of at least this many nanoseconds, shorter ones "
        f"sampled in proportion (default: {DEFAULT_BLOCK_RATE_NS}); 1 = every wait",
    )
    parser.add_argument(
        "--other-waits",
        action="store_true",
        help="block: also record other blocking calls, with a label: sleep, sockets, select, child "
        "processes",
    )
    parser.add_argument(
        "--mutex-fraction",
        type=_between(1, _MAX_FRACTION),
        metavar="N",
        help="mutex: record one in N of the releases that a thread waited for "
        f"(default: {DEFAULT_MUTEX_FRACTION}); 1 = all",
    )
    parser.add_argument(
        "--gil-hz",
        type=_between(1, _MAX_GIL_HZ),
        metavar="N",
        help="gil: samples of the GIL's holder and waiters per second, "
        f"1 to {_MAX_GIL_HZ} (default: {DEFAULT_GIL_HZ})",
    )
    parser.add_argument(
        "--stall-ms",
        type=_between(_LEAST_STALL_MS, _MAX_STALL_MS),
        metavar="MS",
        help="stalls: report what blocks asyncio's event loop for at least this many milliseconds, "
        f"{_LEAST_STALL_MS} to {_MAX_STALL_MS} (default: {DEFAULT_STALL_NS // _NS_A_MS})",
    )


def make_plan(arguments: argparse.Namespace) -> Plan:
    """What the words ask for. Raises UsageError, and OutputError if it cannot be written."""
    profiles = arguments.profile or [CPU]
    _check_words(arguments, set(profiles))
    if arguments.gc and arguments.command and arguments.duration is None:
        raise UsageError(
            "--gc needs a program that still runs when the recording ends", "give --duration"
        )
    return Plan(
        choose_outputs(arguments.output, profiles, arguments.text, arguments.other_waits),
        arguments.duration,
        arguments.cpu_hz,
        arguments.clock,
        HeapWish(arguments.heap_rate, arguments.gc, not arguments.no_native_memory)
        if HEAP_KINDS.keys() & profiles
        else None,
        HeapView.AS_OF_FULL if arguments.as_of_gc else HeapView.LIVE,
        ContentionWish(
            has_block="block" in profiles,
            has_mutex="mutex" in profiles,
            has_gil="gil" in profiles,
            has_tasks="tasks" in profiles,
            has_stalls="stalls" in profiles,
            has_other=arguments.other_waits,
            block_rate_ns=arguments.block_rate,
            mutex_fraction=arguments.mutex_fraction,
            gil_hz=arguments.gil_hz,
            stall_ns=arguments.stall_ms and arguments.stall_ms * _NS_A_MS,
        )
        if CONTENTION_KINDS.keys() & profiles
        else None,
    )


def _check_words(arguments: argparse.Namespace, profiles: set[str]) -> None:
    """Words that would change nothing are a mistake."""
    for_heap = ("heap_rate", "gc", "as_of_gc", "no_native_memory")
    if not HEAP_KINDS.keys() & profiles and any(getattr(arguments, word) for word in for_heap):
        raise UsageError(
            "--heap-rate, --gc, --as-of-gc and --no-native-memory are for profiles of the heap",
            "add --profile heap or --profile allocs",
        )
    for word, wanted in _PROFILES_OF_WORDS.items():
        if getattr(arguments, word) and not profiles.intersection(wanted):
            raise UsageError(
                f"--{word.replace('_', '-')} is for the profile {' or '.join(wanted)}",
                f"add --profile {wanted[0]}",
            )
    if arguments.text and profiles == {CPU}:
        others = ", ".join(f"--profile {name}" for name in PROFILES if name != CPU)
        raise UsageError("--text is not for the profile cpu", f"add one of {others}")


def _between(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text)
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"{text} is not between {least} and {most}")
        return number

    read.__name__ = "number"  # argparse's word for what is none
    return read


def _read_seconds(text: str) -> int:
    """Nanoseconds out of seconds."""
    duration_ns = float(text) * 1e9
    if not 0 < duration_ns < 2**63:
        raise argparse.ArgumentTypeError(f"{text} is no duration in seconds")
    return int(duration_ns)
