"""Readers of large text, compared with plain loops over the same lines, in one run.

    python tests/bench/run_all.py text_readers
    python tests/bench/bench_text_readers.py [--quick] [FORMAT …]

`text_files` makes the files. Figures are processor time and elapsed time of a process of its own,
from opening the file on, without the start of Python; the least of several turns.

    reader    Stackglass, the file to a Profile
    split     getline in C; each line is split at its separators, and its number read: the peer
    getline   getline in C, without further work
    Python    `for line in file`, without further work

FORMAT is a name of `text_files.FORMATS`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from text_files import FORMATS, write_file

from harness.report import Table

SIZES_MB = (34, 100)
TURNS = 5

_OPEN = """
import json, pathlib, sys, time
from stackglass_viewer.model.readers.opener import open_profile
cpu, clock = time.process_time(), time.perf_counter()
open_profile(sys.argv[1])
cpu_s, clock_s = time.process_time() - cpu, time.perf_counter() - clock
status = pathlib.Path("/proc/self/status").read_text()
peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024
print(json.dumps({"cpu_s": cpu_s, "clock_s": clock_s, "peak_bytes": peak}))
"""
_ITERATE = """
import json, sys, time
cpu, clock = time.process_time(), time.perf_counter()
with open(sys.argv[1], "rb") as file:
    for line in file:
        pass
print(json.dumps({"cpu_s": time.process_time() - cpu, "clock_s": time.perf_counter() - clock}))
"""


def build_loop(folder: Path) -> Path:
    """Build the loops in C. Returns the path. Raises CalledProcessError."""
    program = folder / "line_loop"
    source = Path(__file__).with_name("line_loop.c")
    command = ["gcc", "-std=gnu11", "-O2", "-Wall", "-Werror", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def measure(commands: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """Run commands in turns. Returns the least times of each."""
    least: dict[str, dict[str, float]] = {name: {} for name in commands}
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # cached as after an installation
    for _ in range(TURNS):
        for name, command in commands.items():
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment)
            for key, figure in json.loads(done.stdout).items():
                least[name][key] = min(least[name].get(key, figure), figure)
    return least


def main() -> int:
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    sizes_mb = (4,) if "--quick" in sys.argv[1:] else SIZES_MB
    table = Table("Text beside plain loops: CPU s, clock s in brackets", corner="file")
    with tempfile.TemporaryDirectory(prefix="bench-text-") as name:
        folder = Path(name)
        loop = str(build_loop(folder))
        for each in FORMATS:
            if words and each.name not in words:
                continue
            for size_mb in sizes_mb:
                path = folder / "text"
                write_file(path, each, size_mb * 1_000_000)
                commands = {
                    "reader": [sys.executable, "-c", _OPEN, str(path)],
                    "split": [loop, each.separators, str(path)],
                    "getline": [loop, "", str(path)],
                    "Python": [sys.executable, "-c", _ITERATE, str(path)],
                }
                figures = measure(commands)
                row = f"{each.name}, {path.stat().st_size / 1e6:.0f} MB"
                for column, took in figures.items():
                    table.put(row, column, f"{took['cpu_s']:.3f} ({took['clock_s']:.3f})")
                times = figures["reader"]["cpu_s"] / figures["split"]["cpu_s"]
                table.put(row, "reader ÷ split", f"{times:.2f}")
                peak = figures["reader"]["peak_bytes"] / path.stat().st_size
                table.put(row, "memory ÷ file", f"{peak:.2f}")
                print(row, figures, flush=True)
    print(table.title)
    print("\n".join(table.format_lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
