"""``stackglass threads`` and ``waits`` beside ``py-spy dump``: elapsed and CPU time, taking turns.

Options: ``--command PATH``, an installed ``stackglass``, once or several times (default: the script
of this checkout, by this Python without site-packages); ``--target PATH``, a Python for the
targets (default: all); ``--program NAME`` (default: all). The CPU time is that of the command and
its child processes, without the target. The start of Python alone is measured, too: no command in
Python takes less.

On a loaded machine, elapsed times say more with real-time priority (``chrt -r 1``), but not of a
program that is busy.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from peers import PY_SPY

from harness.pythons import pythons_with_gil
from harness.report import Table

N_TURNS = 20
ROOT = Path(__file__).parents[2]
INTERPRETER = getattr(sys, "_base_executable", sys.executable)
_PEER = "py-spy dump"
PROGRAMS = {
    "1 thread, asleep": "import time\ndef work(): time.sleep(9e6)\nprint(flush=True); work()",
    "1 thread, busy": "def work(n): return n if n < 2 else work(n - 1) + work(n - 2)\n"
    "print(flush=True)\nwhile True: work(15)",
    **{
        f"{n} threads": "import threading\nend = threading.Event()\ndef work(): end.wait()\n"
        f"for _ in range({n - 1}): threading.Thread(target=work, daemon=True).start()\n"
        "print(flush=True); work()"
        for n in (10, 200)
    },
}


@contextlib.contextmanager
def run_program(python: str, text: str) -> Iterator[str]:
    """Run a program. Yields its PID once it has begun."""
    with subprocess.Popen([python, "-c", text], stdout=subprocess.PIPE) as program:
        try:
            assert program.stdout is not None
            program.stdout.readline()
            time.sleep(0.2)  # until the last thread waits
            yield str(program.pid)
        finally:
            program.kill()


def time_command(words: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Return elapsed and CPU time of a command, in ms. Raises CalledProcessError."""
    nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    before = time.monotonic()
    pid = os.posix_spawn(words[0], words, environment, file_actions=nowhere)
    _, status, used = os.wait4(pid, 0)
    elapsed = time.monotonic() - before
    if status:
        raise subprocess.CalledProcessError(os.waitstatus_to_exitcode(status), words)
    return elapsed * 1e3, (used.ru_utime + used.ru_stime) * 1e3


def list_commands(installed: list[str], pid: str) -> dict[str, list[str]]:
    """Return the commands that take turns, by name, py-spy first."""
    scripts = {path: [path] for path in installed}
    scripts = scripts or {"checkout": [INTERPRETER, "-S", str(ROOT / "packaging" / "stackglass")]}
    named = {_PEER: [PY_SPY, "dump", "--pid", pid]}
    for name, script in scripts.items():
        start = script[:-1] or [str(Path(script[0]).with_name("python"))]
        named[f"{name}: python -c pass"] = [*start, "-c", "pass"]
        named[f"{name}: threads"] = [*script, "threads", pid]
        named[f"{name}: waits"] = [*script, "waits", pid]
    return named


def drop_refused(commands: dict[str, list[str]], environment: dict[str, str]) -> None:
    """Drop py-spy if it does not know this Python: its releases come months after Python's."""
    try:
        time_command(commands[_PEER], environment)
    except subprocess.CalledProcessError:
        del commands[_PEER]


def format_column(values: list[float], theirs: list[float] | None) -> str:
    """Format median (quartiles), and the ratio of medians if there is a peer."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    ratio = f"{middle / statistics.median(theirs):.2f}×" if theirs else "no py-spy"
    return f"{middle:.1f} ({low:.1f}–{high:.1f}) {ratio}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--command", action="append", default=[])
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--program", action="append", choices=list(PROGRAMS))
    arguments = parser.parse_args()
    environment = {**os.environ, "PYTHONPATH": "" if arguments.command else str(ROOT / "core")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    table = Table("", corner="ms, median (quartiles), ratio to py-spy")
    targets = arguments.target or [python.executable for python in pythons_with_gil()]
    for python in targets:
        for program in arguments.program or PROGRAMS:
            times: dict[str, list[tuple[float, float]]] = {}
            with run_program(python, PROGRAMS[program]) as pid:
                commands = list_commands(arguments.command, pid)
                drop_refused(commands, environment)
                for turn in range(1 + (3 if arguments.quick else N_TURNS)):
                    for name, words in commands.items():
                        took = time_command(words, environment)
                        if turn:  # the first one writes the bytecode
                            times.setdefault(name, []).append(took)
            for name, rows in times.items():
                row = f"{Path(python).name}, {program}: {name}"
                for at, column in enumerate(("elapsed", "CPU")):
                    theirs = [took[at] for took in times.get(_PEER, ())]
                    took_ms = [took[at] for took in rows]
                    table.put(row, column, format_column(took_ms, theirs or None))
    print("\n".join(table.format_lines()))
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


main()
