"""``stackglass ps``: the Python processes of this machine, and whether each can be attached to."""

from __future__ import annotations

import sys

from stackglass.attach.processes import ProcessInfo, list_processes
from stackglass.named_tuple import NamedTuple
from stackglass.terminal_text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

_UNITS = ("B", "K", "M", "G", "T")
_MIN_COMMAND_WIDTH = 20


class _Row(NamedTuple):
    pid: str
    python: str
    owner: str
    memory: str
    command: str


_TITLES = _Row("PID", "PYTHON", "OWNER", "MEMORY", "COMMAND")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "List the Python processes of this machine, and whether each can be attached to."
    )
    parser.add_argument("--json", action="store_true", help="print a JSON array, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print the processes. Returns 0."""
    processes = list_processes()
    if arguments.json:
        print(format_json(processes))
    elif processes:
        print(format_table(processes, _find_width() if sys.stdout.isatty() else 0))
    else:
        print("no Python process is running but this one")
    return 0


def _find_width() -> int:
    import shutil  # here for start-up time

    return shutil.get_terminal_size().columns


def format_json(processes: list[ProcessInfo]) -> str:
    """A JSON array with an object for each process."""
    import json  # here for start-up time

    rows = [
        {
            "pid": process.pid,
            "python": process.python,
            "command": process.command,
            "owner": process.owner,
            "rss_bytes": process.rss_bytes,
            "attachable": process.attachable,
            "reason": _explain(process),
        }
        for process in processes
    ]
    return json.dumps(rows, indent=2)


def format_table(processes: list[ProcessInfo], width: int) -> str:
    """Aligned columns, cut to ``width`` characters (0 = not cut). Below a process that cannot be
    attached to, a line says why, and what helps."""
    rows = [_TITLES, *map(_make_row, processes)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_Row._fields) - 1)]
    lines = []
    for row, process in zip(rows, [None, *processes]):
        head = "  ".join(
            (
                row.pid.rjust(widths[0]),
                row.python.ljust(widths[1]),
                row.owner.ljust(widths[2]),
                row.memory.rjust(widths[3]),
            )
        )
        lines.append(f"{head}  {_cut(row.command, width - len(head) - 2 if width else 0)}")
        if process is not None and not process.attachable:
            lines.append(f"{' ' * widths[0]}  cannot be attached to: {_explain(process)}")
    return "\n".join(lines)


def abbreviate_bytes(size_bytes: int) -> str:
    """Up to three digits and a unit: 512B, 4.2M, 118M."""
    value = float(size_bytes)
    for unit in _UNITS:
        if value < 999.5 or unit == _UNITS[-1]:
            break
        value /= 1024
    return f"{value:.1f}{unit}" if value < 9.95 and unit != "B" else f"{value:.0f}{unit}"


def _make_row(process: ProcessInfo) -> _Row:
    return _Row(
        str(process.pid),
        process.python or "?",
        process.owner,
        abbreviate_bytes(process.rss_bytes),
        clean(process.command),
    )


def _explain(process: ProcessInfo) -> str:
    """Why the process cannot be attached to, and what helps; "" = it can be attached to."""
    return f"{process.reason}: {process.remedy}" if process.remedy else process.reason


def _cut(text: str, width: int) -> str:
    if width <= 0 or len(text) <= max(width, _MIN_COMMAND_WIDTH):
        return text
    return text[: max(width, _MIN_COMMAND_WIDTH) - 1] + "…"
