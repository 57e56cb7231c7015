"""``stackglass serve``: serves a process's profiles at ``/debug/pprof/``, from this process."""

from __future__ import annotations

import argparse
import sys

from stackglass.attach.client import Connection
from stackglass.attach.entry import attach
from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import AttachError
from stackglass.http.server import LOOPBACK, Server
from stackglass.record import signals
from stackglass.record.arguments import between
from stackglass.record.progress import Progress
from stackglass.record.rate_requests import RateRequest
from stackglass.served_process.attached_source import AttachedSource
from stackglass.served_process.keeper import Keeper
from stackglass.wire.rates import DEFAULT, MOST

DEFAULT_PORT = 6060
DEFAULTS = DEFAULT._replace(cpu_hz=0, gil_hz=0, stall_ns=0)
_RATE_OPTIONS = (
    ("--heap-rate", "BYTES", "heap_rate", "average bytes between heap samples"),
    ("--block-rate", "NS", "block_rate_ns", "record every wait of at least this long"),
    (
        "--mutex-fraction",
        "N",
        "mutex_fraction",
        "record one in N of the releases that a thread waited for",
    ),
    ("--gil-hz", "N", "gil_hz", "samples of the GIL's holder per second"),
)
_POLL_NS = 200_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Serve the profiles of a running Python process over HTTP, with the paths and parameters "
        "of Go's net/http/pprof. The server is this command; nothing is served from inside the "
        "process. The command ends with the process, or with Ctrl+C, and so do the rates that it "
        "requested."
    )
    parser.epilog = "Example: go tool pprof http://127.0.0.1:6060/debug/pprof/profile?seconds=5"
    parser.add_argument("pid", type=int, metavar="PID", help="id of a running process")
    parser.add_argument(
        "--port",
        type=int,
        default=DEFAULT_PORT,
        metavar="N",
        help=f"port to listen at; 0 = any that is free (default: {DEFAULT_PORT})",
    )
    parser.add_argument(
        "--host",
        default=LOOPBACK,
        metavar="ADDRESS",
        help=f"address to listen at (default: {LOOPBACK}); any other one opens the profiles to the "
        "network, without a password",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="host name that requests may use, besides addresses and localhost; may be repeated",
    )
    for word, unit, field, meaning in _RATE_OPTIONS:
        default = getattr(DEFAULTS, field)
        parser.add_argument(
            word,
            dest=field,
            type=between(0, getattr(MOST, field)),
            metavar=unit,
            help=f"{meaning}; 0 = off (default: {default})",
        )


def _read_rates(arguments: argparse.Namespace) -> RateRequest:
    """The rates to request; rates that the options name replace those in force."""
    asked = {field: getattr(arguments, field) for _, _, field, _ in _RATE_OPTIONS}
    named = {field: rate for field, rate in asked.items() if rate is not None}
    return RateRequest(DEFAULTS._replace(**named), frozenset(named))


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal. Returns 0. Raises AttachError when the process has ended."""
    pid = arguments.pid
    progress = Progress(sys.stderr)

    def connect() -> Connection:
        return attach(pid, hz=None, new_hz=0)

    keeper = Keeper(
        attach(pid, hz=None, new_hz=0, on_progress=progress.show),
        _read_rates(arguments),
        SYSTEM_CLOCK,
    )
    progress.clear()
    try:
        source = AttachedSource(connect, keeper, SYSTEM_CLOCK)
        listening = (arguments.port, arguments.host, arguments.allow_host)
        with signals.catch_end() as is_stopped, Server(source, *listening) as server:
            print(f"process {pid}: {server.url}", flush=True)
            while not is_stopped() and not keeper.has_ended:
                SYSTEM_CLOCK.sleep(_POLL_NS)
    finally:
        keeper.close()
    if keeper.why_ended:
        raise AttachError(f"the server has ended: {keeper.why_ended}")
    return 0
