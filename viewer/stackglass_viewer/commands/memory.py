"""``stackglass memory FILE``: what a memory trace holds, and what stands out in it."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from stackglass_viewer.commands.report import DONE
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.memory_trace.opening import open_trace
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.reports.memory_rates import describe_rates, write_rates
from stackglass_viewer.reports.memory_report import (
    describe_head,
    describe_lifetimes,
    describe_live,
    report_leaks,
    report_lifetimes,
    report_live,
)
from stackglass_viewer.reports.memory_text import (
    write_head,
    write_lifetimes,
    write_live,
    write_types,
)
from stackglass_viewer.reports.pprof_flags import parse as parse
from stackglass_viewer.reports.trace_choice import find_moment, parse_time

_ROWS = 20
_QUIET_S = 0.5  # no progress is shown for the first half second
_STEP_S = 0.1  # between two updates of the progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Print what a memory trace holds: a session file of `stackglass record --profile memory`, "
        "or a trace of a Go program that ran with GODEBUG=traceallocfree=1. The first lines say "
        "what stands out; without an option, the peak follows."
    )
    parser.add_argument("file", metavar="FILE", help="a memory trace")
    parser.add_argument(
        "--peak", action="store_true", help="what lived when most was in use, by site"
    )
    parser.add_argument(
        "--at",
        type=parse_time,
        metavar="T",
        help="what lived at a time since the trace began: 1.5 (seconds), 200ms",
    )
    parser.add_argument(
        "--leaks", action="store_true", help="what was allocated in the trace and lives at its end"
    )
    parser.add_argument(
        "--types", action="store_true", help="by type: at the peak, or at --at, or of --leaks"
    )
    parser.add_argument(
        "--lifetimes",
        action="store_true",
        help="how long blocks lived; short-lived garbage by site",
    )
    parser.add_argument(
        "--rate",
        action="store_true",
        help="bytes and objects allocated per second, by type and by line of code",
    )
    parser.add_argument(
        "-n", "--rows", type=int, default=_ROWS, metavar="N", help="rows of a table; 0 = all"
    )
    parser.add_argument("--json", action="store_true", help="exact numbers, all rows, as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Open, replay, print. Raises ContentError, UsageError."""
    trace = open_trace(arguments.file, _make_progress())
    try:
        if arguments.json:
            print(json.dumps(_describe(trace, arguments)))
        else:
            for line in _write(trace, arguments):
                print(make_printable(line))
    except MemoryError:
        raise ContentError(f"there is not enough memory to add up {trace.name}") from None
    finally:
        trace.close()
    return DONE


def _describe(trace: MemoryTrace, arguments: argparse.Namespace) -> dict[str, Any]:
    document = describe_head(trace)
    if arguments.at is not None:
        moment = find_moment(trace, arguments.at)
        document["at"] = describe_live(trace, report_live(trace, moment, "Live"))
    if arguments.leaks:
        document["leaks"] = describe_live(trace, report_leaks(trace))
    if arguments.lifetimes:
        document["lifetimes"] = describe_lifetimes(report_lifetimes(trace))
    if arguments.rate:
        document["rates"] = describe_rates(trace)
    if _wants_peak(arguments):
        document["at_peak"] = describe_live(trace, report_live(trace, trace.index.peak, "Peak"))
    return document


def _write(trace: MemoryTrace, arguments: argparse.Namespace) -> Iterator[str]:
    yield from write_head(trace)
    reports = []
    if _wants_peak(arguments):
        reports.append(report_live(trace, trace.index.peak, "Live at the peak"))
    if arguments.at is not None:
        reports.append(report_live(trace, find_moment(trace, arguments.at), "Live"))
    if arguments.leaks:
        reports.append(report_leaks(trace))
    for report in reports:
        if arguments.types:
            yield from write_types(trace, report, arguments.rows)
        else:
            yield from write_live(trace, report, arguments.rows)
    if arguments.lifetimes:
        yield from write_lifetimes(report_lifetimes(trace), arguments.rows)
    if arguments.rate:
        yield from write_rates(trace, arguments.rows)


def _wants_peak(arguments: argparse.Namespace) -> bool:
    """Whether to print the peak: on request, or unless the options choose another moment, or only
    lifetimes or rates."""
    has_moment = arguments.at is not None or arguments.leaks
    has_other = arguments.lifetimes or arguments.rate
    return bool(arguments.peak or not (has_moment or (has_other and not arguments.types)))


def _make_progress() -> Callable[[float], bool]:
    """Return a callback that shows progress on a terminal if opening takes long.

    It takes the share that is done, and always returns True: go on.
    """
    is_terminal = sys.stderr.isatty()
    began = last = time.monotonic()

    def progress(share: float) -> bool:
        nonlocal last
        now = time.monotonic()
        if is_terminal and now - began > _QUIET_S and (now - last > _STEP_S or share >= 1):
            last = now
            end = "\r\033[K" if share >= 1 else ""
            print(f"\rreading: {100 * share:.0f}%{end}", end="", file=sys.stderr, flush=True)
        return True

    return progress
