"""Readers of large text beside plain loops over the same lines, in one run.

    python tests/bench/run_all.py text_readers
    python tests/bench/bench_text_readers.py [--quick] [FORMAT …]

Each file has many different lines: 20 000 stacks of 2000 functions. Every figure is the processor
time, and the time by the clock, of a process of its own from opening the file on, the least of
several turns; the start of Python is not in it.

    reader    Stackglass, the file to a Profile
    split     getline in C, each line split at its separators, and its number read: the measure
    getline   getline in C, and nothing done with the line
    Python    `for line in file`, and nothing done with the line

A format is a row of `FORMATS`.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from harness.report import Table

N_FUNCTIONS, N_STACKS, DEPTH = 2000, 20_000, 30
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


class Format(NamedTuple):
    """A kind of text, and how a plain loop takes its lines apart."""

    name: str
    separators: str  # of fields in a line
    write: Callable[[random.Random], Iterator[str]]  # different lines; repeated to the file's size


def name_function(number: int) -> tuple[str, str, int]:
    word = ("load", "parse", "save", "render", "query", "encode", "merge")[number % 7]
    return f"{word}_{number}", f"shop/views_{number % 97}.py", number % 900 + 1


def make_stacks(rng: random.Random) -> list[list[int]]:
    return [rng.choices(range(N_FUNCTIONS), k=DEPTH) for _ in range(N_STACKS)]


def write_raw(rng: random.Random) -> Iterator[str]:
    places = [
        f"{name} ({file}:{line})" for name, file, line in map(name_function, range(N_FUNCTIONS))
    ]
    for stack in make_stacks(rng):
        frames = ";".join(places[each] for each in stack)
        yield f"thread (0x7F{rng.randrange(8):06X});{frames} {rng.randrange(1, 50)}\n"


def write_austin(rng: random.Random) -> Iterator[str]:
    places = [
        f"{file}:{name}:{line}" for name, file, line in map(name_function, range(N_FUNCTIONS))
    ]
    for stack in make_stacks(rng):
        frames = ";".join(places[each] for each in stack)
        yield f"P4711;T0:{4711 + rng.randrange(8)};{frames} {rng.randrange(1, 20_000)}\n"


def write_perf_script(rng: random.Random) -> Iterator[str]:
    for number, stack in enumerate(make_stacks(rng)):
        where = f"{4711 + rng.randrange(8)} [{rng.randrange(4):03}] {100 + number / 100:.6f}:"
        yield f"python3 {where}   10101010 cpu-clock:pppH: \n"
        for each in stack:
            name, offset = name_function(each)[0], rng.randrange(4096)
            address = 0x7F0000000000 + 4096 * each + offset
            yield f"\t{address:16x} {name}+0x{offset:x} (/usr/lib/lib{each % 40}.so)\n"
        yield "\n"


FORMATS = (
    Format("py-spy raw", ";", write_raw),
    Format("Austin", ";", write_austin),
    Format("perf script", " \t", write_perf_script),
)


def write_file(path: Path, each: Format, n_bytes: int) -> None:
    lines = "".join(each.write(random.Random(7)))
    with path.open("w", encoding="ascii") as file:
        for _ in range(-(-n_bytes // len(lines))):
            file.write(lines)


def build_loop(folder: Path) -> Path:
    """The loops in C. Raises CalledProcessError."""
    program = folder / "line_loop"
    source = Path(__file__).with_name("line_loop.c")
    command = ["gcc", "-std=gnu11", "-O2", "-Wall", "-Werror", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def measure(commands: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """The least that each took, in turns."""
    least: dict[str, dict[str, float]] = {name: {} for name in commands}
    for _ in range(TURNS):
        for name, command in commands.items():
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
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
