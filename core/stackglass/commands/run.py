"""``stackglass run``: runs a program, and records it from its first line to its end."""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from functools import partial

from stackglass.commands import catalogue
from stackglass.errors import UsageError
from stackglass.record.arguments import add_plan_arguments, make_plan
from stackglass.record.command_recording import record_command
from stackglass.record.program import find_command, name_program

_SIGNALS = {"USR1": signal.SIGUSR1, "USR2": signal.SIGUSR2, "none": None}
_EPILOG = """\
Without -o the files are called NAME.PID.PROFILE.pb.gz. {pid} and {profile} in -o stand for these.
The exit status is the program's own; if that is 0: 4 = some of the profiles could not be recorded,
1 = none.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s [options] (SCRIPT | -m MODULE | -c CODE | COMMAND) ARG…"
    parser.description = (
        "Run a Python program with the engine in it from its first line, and write its profiles "
        "when it ends. The program runs as it would without: its arguments, streams, signals, "
        "tracebacks and exit status are its own. A command that PATH finds works too: pytest, "
        "gunicorn, sh."
    )
    parser.epilog = _EPILOG
    add_plan_arguments(parser, is_output_required=False)
    parser.add_argument(
        "--signal",
        type=_read_signal,
        choices=_SIGNALS,
        default="USR1",
        help="signal to this command that writes what was recorded so far; if the program handles "
        "it, the program gets it instead (default: USR1)",
    )
    parser.add_argument(
        "--view",
        action="store_true",
        help="also open the viewer on the program as it starts; with --children also on child "
        "processes",
    )
    # Everything from the program on is its own; `parse` has cut off what begins with -- or -m.
    parser.add_argument("command", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def _read_signal(text: str) -> str:
    """The choice that another spelling means, such as SIGUSR1 or usr1; other text as it is."""
    name = text.upper()
    name = name[3:] if name.startswith("SIG") else name
    return name if name in _SIGNALS else text


def parse(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
    """The options, and ``command``: the program's words as they are."""
    for at, word in enumerate(words):
        if word in ("--", "-m", "-c"):
            arguments = parser.parse_args(words[:at])
            if arguments.command:
                break  # the word is an argument of the program
            arguments.command = words[at + 1 :] if word == "--" else words[at:]
            return arguments
    return parser.parse_args(words)


def run(arguments: argparse.Namespace) -> int:
    """Run the program. Returns its exit status (below 0, minus the signal that ended it); if that
    is 0, the recording's."""
    words: list[str] = arguments.command
    if not words:
        raise UsageError("run needs a program", "stackglass run --help")
    command = find_command(words)
    if not arguments.output:
        arguments.output = f"{name_program(words)}.{{pid}}.{{profile}}"
    plan = make_plan(arguments)
    if arguments.view:
        catalogue.check_installed("attach")
    write_signal = _SIGNALS[arguments.signal]
    open_viewer = partial(_open_viewer, plan.has_children) if arguments.view else None
    return record_command(command, plan, write_signal, open_viewer)


def _open_viewer(has_children: bool, pid: int) -> None:
    """Start the viewer in a session of its own, so that Ctrl+C ends the program but not the viewer.
    The viewer does not keep standard output open: a pipe's reader waits for its last writer."""
    options = ["--children"] if has_children else []
    subprocess.Popen(
        [sys.executable, "-m", "stackglass", "attach", *options, str(pid)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, ()),
    )
