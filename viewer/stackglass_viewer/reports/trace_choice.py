"""Options that choose a moment or a span of a memory trace."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence

from stackglass.errors import UsageError
from stackglass_viewer.model.memory_trace import any_file
from stackglass_viewer.model.memory_trace.any_file import TakeProfile
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.memory_trace.trace_profiles import (
    profile_leaks,
    profile_live,
    profile_peak,
    profile_span,
)
from stackglass_viewer.model.profile.profile import Profile

_TIME = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(ns|us|µs|ms|s|min)?")
_NS_PER = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9}
_MOST_DIGITS = 24


def parse_time(text: str) -> int:
    """Return a time in ns, from ``1.5``, ``1.5s`` or ``200ms``. Raises ArgumentTypeError."""
    found = _TIME.fullmatch(text.strip())
    if found is None or len(text) > _MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 1.5, 200ms or 2min")
    return round(float(found[1]) * _NS_PER[found[2] or "s"])


def parse_span(text: str) -> tuple[int, int]:
    """Return two times, from ``1.5:2``; either may be left out. Raises ArgumentTypeError."""
    begin, colon, end = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"{text!r} is not a span of time such as 1.5:2.5")
    first, last = parse_time(begin or "0"), parse_time(end) if end else 1 << 62
    if last < first:
        raise argparse.ArgumentTypeError(f"{text!r} ends before it begins")
    return first, last


def add_trace_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options for the moment or span of a memory trace."""
    group = parser.add_argument_group("memory traces (times in seconds since they began)")
    one = group.add_mutually_exclusive_group()
    one.add_argument(
        "--peak", action="store_true", help="what lived when most was in use (the default)"
    )
    one.add_argument("--at", type=parse_time, metavar="T", help="what lived at a time: 1.5, 200ms")
    one.add_argument(
        "--span", type=parse_span, metavar="A:B", help="what was allocated between two times"
    )
    one.add_argument(
        "--leaks", action="store_true", help="what was allocated in the trace and lives at its end"
    )


def check_traces(files: Sequence[str]) -> None:
    """Raise UsageError for a file that is no memory trace. A missing file passes: opening it
    reports the error."""
    for file in files:
        is_missing = "://" not in file and not os.path.lexists(file)
        if file == "-" or not (is_missing or any_file.is_trace_file(file)):
            raise UsageError(f"{file} is not a memory trace, and has no moments and spans")


def has_trace_choice(arguments: argparse.Namespace) -> bool:
    """Whether an option of ``add_trace_arguments`` is given."""
    return bool(
        arguments.peak or arguments.leaks or arguments.at is not None or arguments.span is not None
    )


def choose_profile(arguments: argparse.Namespace) -> TakeProfile:
    """Return a function that reads the profile of the options from a trace."""

    def take(trace: MemoryTrace) -> Profile:
        begin = Moment(0, trace.index.begin_ns)
        if arguments.at is not None:
            return profile_live(trace, find_moment(trace, arguments.at))
        if arguments.span is not None:
            first, last = arguments.span
            lasts_ns = trace.index.end.time_ns - trace.index.begin_ns
            _check_time(first, lasts_ns)
            return profile_span(
                trace,
                find_moment(trace, first - 1) if first else begin,
                find_moment(trace, min(last, lasts_ns)),
            )
        if arguments.leaks:
            return profile_leaks(trace, begin, trace.index.end)
        return profile_peak(trace)

    return take


def find_moment(trace: MemoryTrace, time_ns: int) -> Moment:
    """Return the moment ``time_ns`` after a trace began. Raises UsageError if the trace is
    shorter."""
    _check_time(time_ns, trace.index.end.time_ns - trace.index.begin_ns)
    return trace.find_moment(trace.index.begin_ns + time_ns)


def _check_time(time_ns: int, lasts_ns: int) -> None:
    if time_ns > lasts_ns:
        raise UsageError(
            f"the trace ends {lasts_ns / 1e9:.6f} s after it began, before {time_ns / 1e9:g} s"
        )
