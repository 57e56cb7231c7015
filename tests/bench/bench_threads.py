"""All threads and tasks: the command beside ``py-spy dump``, and how long the GIL is held for it.

The command and py-spy take turns on one process. The hold is the longest of each dump's slices, as
the engine reports it: elapsed time, so it contains what other processes took of the processor.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from harness.pythons import Python, pythons_with_gil
from harness.report import Table
from harness.targets import Target
from harness.thread_dumps import dump_session

N_REPEATS = 9
TASKS = (0, 1_000, 10_000)
PY_SPY = shutil.which("py-spy", path=str(Path(sys.executable).parent)) or "py-spy"


def time_command(*command: str) -> float:
    """Seconds, or not a number where it cannot."""
    before = time.monotonic()
    done = subprocess.run(command, capture_output=True, check=False)
    return time.monotonic() - before if done.returncode == 0 else float("nan")


def measure_command(python: Python, n_repeats: int) -> tuple[str, str]:
    """Milliseconds of both, medians; and their ratio."""
    own, theirs = [], []
    with Target(python, "awaiting.py", has_stdin=True) as target:
        pid = str(target.pid)
        for _ in range(n_repeats):
            own.append(time_command(sys.executable, "-m", "stackglass", "threads", pid))
            theirs.append(time_command(PY_SPY, "dump", "--pid", pid))
    median, beside = statistics.median(own), statistics.median(theirs)
    return f"{median * 1e3:.0f} ({median / beside:.1f}×)", f"{beside * 1e3:.0f}"


def measure_hold(python: Python, n_tasks: int, n_repeats: int) -> str:
    """Slices, and the median of the longest holds in milliseconds."""
    with Target(python, "awaiting.py", has_stdin=True) as target:
        target.ask(f"many {n_tasks}")
        with dump_session(target.pid) as session:
            dumps = [session.take().rows for _ in range(n_repeats)]
    hold_ms = statistics.median(rows.longest_hold_ns for rows in dumps) / 1e6
    return f"{max(rows.n_slices for rows in dumps)} × {hold_ms:.1f}"


def main() -> None:
    is_quick = "--quick" in sys.argv
    n_repeats = 3 if is_quick else N_REPEATS
    table = Table("", corner="ms, medians")
    for python in pythons_with_gil():
        own, theirs = measure_command(python, n_repeats)
        table.put(python.label, "stackglass threads", own)
        table.put(python.label, "py-spy dump", theirs)
        for n_tasks in TASKS[:2] if is_quick else TASKS:
            hold = measure_hold(python, n_tasks, n_repeats)
            table.put(python.label, f"slices × hold, {n_tasks} tasks", hold)
    print("\n".join(table.format_lines()))


main()
