"""Cost of recording a memory trace, compared with memray: Python objects, and eight C threads.

    packaging/target_packages memray
    python tests/bench/run_all.py memory_recording [--quick]

Both record every allocation and free, also those of Python's own allocators, into a file. The
programs run alone, with Stackglass and with memray in turns, each in a process of its own, and
measure themselves, without start and end of the profilers. A row has medians over the turns.
"added" is the time that Stackglass adds over the time that memray adds. Goals: at most half of it,
and at most half of memray's file. memray makes threads wait until their events are written.
Stackglass never does, and loses events that it cannot write in time: such a row says how many, and
is no comparison. Pythons without memray are measured alone.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from harness.compiled import compile_library
from harness.pythons import Python, list_memray_environment, pythons_with_gil
from harness.report import Table

LOAD = Path(__file__).resolve().parent / "recording_load.py"
PROGRAMS = ("objects", "native")
MINORS = range(11, 15)
N_TURNS = 5
N_QUICK_TURNS = 2
_MB = 1e6


class Run(NamedTuple):
    """One run of a program."""

    wall_s: float
    cpu_s: float  # of the whole process
    file_bytes: int
    lost: float  # events that were lost, in percent


def list_commands(python: Python, path: Path) -> dict[str, list[str]]:
    """Return the command lines in front of the program, by profiler."""
    recorder = (sys.executable, "-m", "stackglass", "record", "--profile", "memory", "--no-states")
    commands = {
        "alone": [python.executable],
        "Stackglass": [*recorder, "-o", str(path), "--", python.executable],
    }
    if list_memray_environment(python):
        options = ("run", "--trace-python-allocators", "--quiet", "--force", "--output", str(path))
        commands["memray"] = [python.executable, "-m", "memray", *options]
    return commands


def time_program(python: Python, command: list[str], program: str, path: Path) -> Run:
    words = [str(LOAD), compile_library("native_allocations.c"), program]
    done = subprocess.run(
        [*command, *words],
        env={**os.environ, **list_memray_environment(python)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    wall_s, cpu_s = map(float, done.stdout.split())
    size = path.stat().st_size if path.exists() else 0
    path.unlink(missing_ok=True)
    lost = re.search(r"events were lost \(<?(.+)%\)", done.stderr)
    return Run(wall_s, cpu_s, size, float(lost[1]) if lost else 0.0)


def measure(python: Python, program: str, n_turns: int, path: Path) -> dict[str, Run]:
    """Measure a program. Returns medians by profiler."""
    runs: dict[str, list[Run]] = {}
    for _ in range(n_turns):
        for name, command in list_commands(python, path).items():
            runs.setdefault(name, []).append(time_program(python, command, program, path))
    return {
        name: Run(
            statistics.median(run.wall_s for run in turns),
            statistics.median(run.cpu_s for run in turns),
            round(statistics.median(run.file_bytes for run in turns)),
            max(run.lost for run in turns),
        )
        for name, turns in runs.items()
    }


def put_row(table: Table, row: str, runs: dict[str, Run]) -> None:
    alone = runs["alone"]
    table.put(row, "alone", f"{alone.wall_s:.2f} s")
    for name, run in runs.items():
        if name != "alone":
            times = f"{run.wall_s / alone.wall_s:.2f}× (CPU {run.cpu_s / alone.cpu_s:.2f}×)"
            lost = f", lost {run.lost:g} %" if run.lost else ""
            table.put(row, name, f"{times}, {run.file_bytes / _MB:.1f} MB{lost}")
    if "memray" in runs:
        traced, beside = runs["Stackglass"], runs["memray"]
        wall = (traced.wall_s - alone.wall_s) / (beside.wall_s - alone.wall_s)
        cpu = (traced.cpu_s - alone.cpu_s) / (beside.cpu_s - alone.cpu_s)
        table.put(row, "added", f"{wall:.2f} (CPU {cpu:.2f})")
        table.put(row, "file", f"{traced.file_bytes / beside.file_bytes:.2f}")


def main() -> None:
    is_quick = "--quick" in sys.argv
    pythons = [python for python in pythons_with_gil() if python.minor in MINORS]
    pythons = [python for python in pythons if python.minor == 13] if is_quick else pythons
    table = Table("", corner="Python, program")
    with tempfile.TemporaryDirectory() as folder:
        for python in pythons:
            for program in PROGRAMS:
                n_turns = N_QUICK_TURNS if is_quick else N_TURNS
                runs = measure(python, program, n_turns, Path(folder) / "trace")
                put_row(table, f"{python.label} {program}", runs)
    print(f"load {os.getloadavg()[0]:.0f}")
    print("\n".join(table.format_lines()))


if __name__ == "__main__":
    main()
