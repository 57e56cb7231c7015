"""Cost of the heap profiler for programs that mostly allocate, compared with tracemalloc.

Each program runs in one process, round after round: unwatched, with Stackglass's hooks at a rate,
unwatched, … (``heap_load.py``). A ratio is the CPU time of a watched round over the mean of its
neighbours; a cell is the median over the rounds. Modes that cost only a few percent get several
rounds a turn, because two rounds of one program differ as much. "×" below is
the share of tracemalloc's added time that Stackglass adds at rate 1, where both keep every block;
Stackglass keeps whole stacks, some 25 frames deep, tracemalloc one frame. "+ imports" is what a
session does by default: memory that extension modules get past Python's allocators is followed as
well.

memray is measured by the Python that runs this file, if it is installed; it is no dependency. It
writes a file; "all" is with all small objects of Python, as Stackglass and tracemalloc see them.
"""

from __future__ import annotations

import importlib.util
import statistics
import subprocess
import sys
from pathlib import Path

from harness.pythons import pythons_with_gil
from harness.report import Table
from native import _core_testing as core

LOAD = Path(__file__).resolve().parent / "heap_load.py"
PROGRAMS = ("objects", "json", "strings", "buffers", "trees", "lists")
MODES = {
    "stackglass:524288": "512 KiB",
    "imports:524288": "512 KiB + imports",
    "stackglass:65536": "64 KiB",
    "stackglass:1": "1",
    "tracemalloc:1": "tracemalloc",
}
PEER_MODES = {"memray:0": "memray", "memray:1": "memray, all"}
BUDGETS = {"512 KiB": 1.05, "512 KiB + imports": 1.05, "64 KiB": 1.10}
N_TURNS = 3
N_ROUNDS = 7  # a turn, of modes that cost a few percent


def measure_program(
    executable: str, program: str, n_turns: int, modes: dict[str, str]
) -> dict[str, float]:
    """Measure the median slowdown of each mode."""
    rounds = [mode for mode in modes for _ in range(N_ROUNDS if modes[mode] in BUDGETS else 1)]
    done = subprocess.run(
        [executable, str(LOAD), str(core.__file__), program, str(n_turns), *rounds],
        capture_output=True,
        text=True,
        check=True,
    )
    ratios: dict[str, list[float]] = {}
    for line in done.stdout.splitlines():
        mode, watched_ns, alone_ns, _n_samples = line.split()
        ratios.setdefault(modes[mode], []).append(int(watched_ns) / int(alone_ns))
    return {mode: statistics.median(values) for mode, values in ratios.items()}


def print_beside_memray(n_turns: int) -> None:
    """Print the comparison with memray, in the Python that runs this file."""
    if not importlib.util.find_spec("memray"):
        print("memray is not installed beside: not measured")
        return
    table = Table("", corner="this Python")
    columns: dict[str, list[float]] = {}
    for program in PROGRAMS:
        modes = {**MODES, **PEER_MODES}
        for mode, ratio in measure_program(sys.executable, program, n_turns, modes).items():
            table.put(program, mode, f"{ratio:.3f}")
            columns.setdefault(mode, []).append(ratio)
    for mode, values in columns.items():
        table.put("geometric mean", mode, f"{statistics.geometric_mean(values):.3f}")
    print("\n".join(table.format_lines()))


def main() -> None:
    is_quick = "--quick" in sys.argv
    pythons = pythons_with_gil()
    if is_quick:
        pythons = tuple(python for python in pythons if python.minor == 13) or pythons[-1:]
    n_turns = 1 if is_quick else N_TURNS
    table = Table("", corner="Python, program")
    columns: dict[str, list[float]] = {}
    shares: list[float] = []
    for python in pythons:
        for program in PROGRAMS:
            row = measure_program(python.executable, program, n_turns, MODES)
            for mode, ratio in row.items():
                table.put(f"{python.label} {program}", mode, f"{ratio:.3f}")
                columns.setdefault(mode, []).append(ratio)
            shares.append((row["1"] - 1) / (row["tracemalloc"] - 1))
            table.put(f"{python.label} {program}", "×", f"{shares[-1]:.2f}")
    print("\n".join(table.format_lines()))
    for mode, values in columns.items():
        mean = statistics.geometric_mean(values)
        budget = f" (budget {BUDGETS[mode]:.2f})" if mode in BUDGETS else ""
        print(f"{mode}: geometric mean {mean:.3f}{budget}")
    added = (statistics.geometric_mean(columns["1"]) - 1) / (
        statistics.geometric_mean(columns["tracemalloc"]) - 1
    )
    print(
        f"rate 1: {added:.2f} of tracemalloc's added time by geometric means, "
        f"median of the cells {statistics.median(shares):.2f}, "
        f"worst {max(shares):.2f} (budget 0.50)"
    )
    print_beside_memray(n_turns)


if __name__ == "__main__":
    main()
