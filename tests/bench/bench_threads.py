"""``stackglass threads``: its time, compared with ``py-spy dump``, and how long it holds the GIL.

The command, py-spy and a Python that does nothing take turns on one process: no command in Python
takes less than the last one. The command runs as when it is installed: with cached bytecode, and
without the finder of an editable installation. The hold is the longest slice of each dump, as the
engine reports it: CPU time, and elapsed time, which includes other processes' time on the
processor.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from peers import PY_SPY

from harness.pythons import Python, pythons_with_gil
from harness.report import Table
from harness.targets import Target
from harness.thread_dumps import dump_session
from stackglass.wire.messages import ThreadDump

N_REPEATS = 20
TASKS = (0, 1_000, 10_000)
# Threads, frames of each; tasks, coroutines in the chain of each.
CROWDS = ((1_000, 25, 0, 0), (0, 0, 10_000, 2), (0, 0, 10_000, 4), (1_000, 25, 10_000, 2))
CORE = Path(__file__).parents[2] / "core"
INTERPRETER = getattr(sys, "_base_executable", sys.executable)


def build_environment(bytecode: str) -> dict[str, str]:
    """Return the environment of an installed command; ``bytecode``: folder for its bytecode."""
    environment = dict(os.environ, PYTHONPATH=str(CORE), PYTHONPYCACHEPREFIX=bytecode)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def time_command(environment: dict[str, str], *command: str) -> float:
    """Return the seconds of a command, or NaN if it fails."""
    before = time.monotonic()
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    return time.monotonic() - before if done.returncode == 0 else float("nan")


def measure_command(python: Python, n_repeats: int) -> tuple[str, str, str]:
    """Return medians in ms, with ratios: the command, py-spy and a Python that does nothing."""
    times: list[list[float]] = []
    with (
        Target(python, "awaiting.py", has_stdin=True) as target,
        tempfile.TemporaryDirectory() as bytecode,
    ):
        pid, environment = str(target.pid), build_environment(bytecode)
        commands = (
            (INTERPRETER, "-m", "stackglass", "threads", pid),
            (PY_SPY, "dump", "--pid", pid),
            (INTERPRETER, "-c", "pass"),
        )
        for _ in range(1 + n_repeats):  # the first one writes the bytecode
            times.append([time_command(environment, *command) for command in commands])
    own, theirs, least = (statistics.median(column) for column in zip(*times[1:], strict=True))
    return (
        f"{own * 1e3:.0f} ({own / theirs:.1f}×)",
        f"{theirs * 1e3:.0f}",
        f"{least * 1e3:.0f} ({least / theirs:.1f}×)",
    )


def measure_hold(python: Python, n_tasks: int, n_repeats: int) -> str:
    """Measure dumps of tasks that asyncio.sleep suspends, besides some of all kinds."""
    with Target(python, "awaiting.py", has_stdin=True) as target:
        target.ask(f"many {n_tasks}")
        with dump_session(target.pid) as session:
            return describe_hold([session.take().rows for _ in range(n_repeats)])


def measure_crowd(python: Python, crowd: tuple[int, int, int, int], n_repeats: int) -> str:
    n_threads, depth, n_tasks, chain = map(str, crowd)
    target = Target(
        python,
        "many_waiting.py",
        N_THREADS=n_threads,
        DEPTH=depth,
        N_TASKS=n_tasks,
        CHAIN=chain,
    )
    with target, dump_session(target.pid) as session:
        return describe_hold([session.take().rows for _ in range(n_repeats)])


def describe_hold(dumps: list[ThreadDump]) -> str:
    """Return slices and the longest hold in ms: CPU time (median, most), elapsed (median)."""
    hold_ms = statistics.median(rows.longest_hold_ns for rows in dumps) / 1e6
    cpu_ms = [rows.longest_cpu_ns / 1e6 for rows in dumps]
    return (
        f"{max(rows.n_slices for rows in dumps)} × {statistics.median(cpu_ms):.1f} "
        f"({max(cpu_ms):.1f}; elapsed {hold_ms:.1f})"
    )


def main() -> None:
    is_quick = "--quick" in sys.argv
    n_repeats = 3 if is_quick else N_REPEATS
    table = Table("", corner="ms, medians")
    for python in pythons_with_gil():
        own, theirs, least = measure_command(python, n_repeats)
        table.put(python.label, "stackglass threads", own)
        table.put(python.label, "py-spy dump", theirs)
        table.put(python.label, "python -c pass", least)
        for n_tasks in TASKS[:2] if is_quick else TASKS:
            hold = measure_hold(python, n_tasks, n_repeats)
            table.put(python.label, f"slices × hold, {n_tasks} tasks", hold)
        for crowd in CROWDS[:0] if is_quick else CROWDS:
            hold = measure_crowd(python, crowd, n_repeats)
            table.put(python.label, "{} threads, {} deep; {} tasks, {} long".format(*crowd), hold)
    print("\n".join(table.format_lines()))


main()
